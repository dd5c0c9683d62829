/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system.prometheus: the figures of system.metrics and the server's own counters, in the text
 * format that Prometheus reads.
 */
#include "base/budget.h"
#include "call/counters.h"
#include "custom/custom.h"
#include "ops/system/measure.h"

#include <stdio.h>

enum { TEXT_MAX = 4 * 1024 * 1024 };

static const char MEDIA_TYPE[] = "text/plain; version=0.0.4";

struct out {
	struct str text;
};

static const struct field result[] = {
	R_TEXT(struct out, text, "The whole text."),
	FIELDS_END,
};

struct sending {
	struct source source;
	struct buf text;
};

static void begin(struct buf *to, const char *name, const char *type, const char *help)
{
	buf_addf(to, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void add_number(struct buf *to, const char *name, struct opt_num value, const char *help)
{
	if (!value.set)
		return;
	begin(to, name, "gauge", help);
	buf_addf(to, "%s %.15g\n", name, value.value);
}

static void add_integer(struct buf *to, const char *name, const char *type, int64_t value, const char *help)
{
	begin(to, name, type, help);
	buf_addf(to, "%s %lld\n", name, (long long)value);
}

static void add_metrics(struct buf *to, const struct metrics *m)
{
	add_number(to, "sandbox_cpu_load_1m", m->cpu_load_1m, "Load average of one minute.");
	add_number(to, "sandbox_cpu_load_5m", m->cpu_load_5m, "Load average of five minutes.");
	add_number(to, "sandbox_cpu_load_15m", m->cpu_load_15m, "Load average of fifteen minutes.");
	add_number(to, "sandbox_cpu_percent", m->cpu_percent, "Use of the CPU: of the quota, or of all CPUs.");
	add_number(to, "sandbox_memory_used_mb", m->memory_used_mb, "MiB in use, without page cache.");
	add_number(to, "sandbox_memory_total_mb", m->memory_total_mb, "MiB that may be used.");
	add_number(to, "sandbox_memory_cache_mb", m->memory_cache_mb, "MiB of page cache.");
	add_number(to, "sandbox_memory_percent", m->memory_percent, "Share of the memory that is in use.");
	add_number(to, "sandbox_disk_used_gb", m->disk_used_gb, "GiB in use on the file system of the base directory.");
	add_number(to, "sandbox_disk_total_gb", m->disk_total_gb, "GiB of the file system of the base directory.");
	add_number(to, "sandbox_disk_percent", m->disk_percent, "Share of the disk that is in use.");
	add_number(to, "sandbox_uptime_seconds", m->uptime_seconds, "Since the sandbox's first process began.");
	if (m->processes.set)
		add_integer(to, "sandbox_processes", "gauge", m->processes.value, "Processes that can be seen.");
	if (m->network.rx_bytes.set) {
		add_integer(to, "sandbox_network_receive_bytes_total", "counter", m->network.rx_bytes.value,
			"Bytes received, loopback apart.");
		add_integer(to, "sandbox_network_transmit_bytes_total", "counter", m->network.tx_bytes.value,
			"Bytes sent, loopback apart.");
	}
}

static void add_calls(struct buf *to, const char *name, const struct op *op)
{
	for (unsigned class = 1; class <= COUNTERS_CLASSES; class ++) {
		uint64_t count = counters_calls(op, class);

		if (count)
			buf_addf(to, "%s{op=\"%s\",status=\"%uxx\"} %llu\n", name, op ? op->id : "", class,
				(unsigned long long)count);
	}
}

static void add_counters(struct buf *to)
{
	static const char calls[] = "abx_requests_total";

	begin(to, calls, "counter", "Requests that were answered, by op and class of status.");
	for (const struct op *const *op = ops_all; *op; op++)
		add_calls(to, calls, *op);
	add_calls(to, calls, &custom_any);
	add_calls(to, calls, NULL);
	add_integer(to, "abx_connections", "gauge", counters_get(GAUGE_CONNECTIONS), "Open HTTP connections.");
	add_integer(to, "abx_managed_processes", "gauge", counters_get(GAUGE_PROCESSES),
		"Programs of process.start that still run.");
	add_integer(to, "abx_terminal_sessions", "gauge", counters_get(GAUGE_SESSIONS), "Terminal sessions.");
	add_integer(to, "abx_memory_budget_used_bytes", "gauge", (int64_t)budget_used(),
		"Memory that bodies, captures, journals and queues hold.");
	add_integer(
		to, "abx_memory_budget_limit_bytes", "gauge", (int64_t)budget_limit(), "The most that they may hold.");
	add_integer(to, "abx_audit_lines_total", "counter", counters_get(COUNTER_AUDITED),
		"Lines of the audit log that were written.");
	add_integer(to, "abx_audit_lost_total", "counter", counters_get(COUNTER_AUDIT_LOST),
		"Lines of the audit log that could not be written.");
	begin(to, "abx_jobs", "gauge", "Jobs of workers, running and waiting, by lane.");
	buf_addf(to, "abx_jobs{lane=\"short\"} %u\nabx_jobs{lane=\"long\"} %u\n", job_count(LANE_SHORT),
		job_count(LANE_LONG));
}

static enum source_status pull(struct source *source, struct buf *out, size_t room)
{
	struct sending *s = OWNER(source, struct sending, source);
	size_t len = MIN(room, s->text.len);

	buf_add(out, s->text.data, len);
	buf_drop(&s->text, len);
	return s->text.len ? SOURCE_MORE : SOURCE_END;
}

static void close_sending(struct source *source)
{
	buf_free(&OWNER(source, struct sending, source)->text);
}

static void send_text(struct call *call, struct buf *text)
{
	struct raw_reply head = { .status = 200, .media_type = MEDIA_TYPE, .length = (int64_t)text->len };
	struct sending *sending = call_new(call, struct sending);

	if (!sending) {
		call_fail(call);
		return;
	}
	sending->source = (struct source){ pull, close_sending };
	sending->text = *text;
	buf_init(text, 0);
	call_send(call, &head, &sending->source);
}

static void done(struct call *call, const struct metrics *metrics)
{
	AUTOBUF struct buf text;

	buf_init(&text, TEXT_MAX);
	add_metrics(&text, metrics);
	add_counters(&text);
	if (buf_failed(&text)) {
		err_set(&call->err, ERR_BUSY, "the answer needs more memory than is left");
		call_fail(call);
	} else if (call->http.raw_response) {
		send_text(call, &text);
	} else {
		struct out out = { { call_alloc(call, text.len + 1), text.len } };

		if (!out.text.p) {
			call_fail(call);
			return;
		}
		memcpy((char *)out.text.p, text.data, text.len);
		call_reply(call, &out);
	}
}

static void start(struct call *call)
{
	measure_start(call, done);
}

static const struct raw raw = { .response = true, .preferred = true, .media_type = MEDIA_TYPE };

const struct op op_system_prometheus = {
	.id = "system.prometheus",
	.group = "system",
	.scope = "system:read",
	.kind = OP_RAW,
	.method = "GET",
	.path = "/metrics",
	.since = "0.1.0",
	.summary = "Give the figures of the sandbox and of the server as Prometheus reads them.",
	.description = "At its own address the text itself, unless Accept asks for application/json.",
	.example = { .args = JSON_TEXT({}) },
	.effects = OP_READS | OP_IDEMPOTENT,
	.result = result,
	.result_size = sizeof(struct out),
	.raw = &raw,
	.start = start,
};
