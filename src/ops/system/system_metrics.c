/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system.metrics: how much of the sandbox is in use now.
 */
#include "ops/system/measure.h"

static const struct field network_rows[] = {
	R_NULL_INT(struct network_figures, rx_bytes, "Bytes received, loopback apart."),
	R_NULL_INT(struct network_figures, tx_bytes, "Bytes sent, loopback apart."),
	FIELDS_END,
};

static const struct field result[] = {
	R_NULL_NUM(struct metrics, cpu_load_1m, "Load average of one minute."),
	R_NULL_NUM(struct metrics, cpu_load_5m, "Load average of five minutes."),
	R_NULL_NUM(struct metrics, cpu_load_15m, "Load average of fifteen minutes."),
	R_NULL_NUM(struct metrics, cpu_percent,
		"Use of the CPU just now: of the quota where there is one, else of all CPUs."),
	R_NULL_NUM(struct metrics, memory_used_mb, "MiB in use, without page cache."),
	R_NULL_NUM(
		struct metrics, memory_total_mb, "MiB that may be used: the cgroup's limit, or the machine's memory."),
	R_NULL_NUM(struct metrics, memory_cache_mb, "MiB of page cache, which is given back when memory is short."),
	R_NULL_NUM(struct metrics, memory_percent, "Share of the memory that is in use."),
	R_NULL_NUM(struct metrics, disk_used_gb, "GiB in use on the file system of the base directory."),
	R_NULL_NUM(struct metrics, disk_total_gb, "GiB that it has."),
	R_NULL_NUM(struct metrics, disk_percent, "Share of it that is in use."),
	R_NULL_NUM(struct metrics, uptime_seconds, "Since the sandbox's first process began."),
	R_NULL_INT(struct metrics, processes, "Processes that can be seen."),
	R_INT(struct metrics, open_sessions, "Terminal sessions."),
	R_OBJECT(struct metrics, network, struct network_figures, "NetworkFigures", network_rows, "The network."),
	FIELDS_END,
};

static void done(struct call *call, const struct metrics *metrics)
{
	call_reply(call, metrics);
}

static void start(struct call *call)
{
	measure_start(call, done);
}

const struct op op_system_metrics = {
	.id = "system.metrics",
	.endpoint = "system_metrics",
	.group = "system",
	.scope = "system:read",
	.kind = OP_JSON,
	.method = "GET",
	.path = "/system/metrics",
	.since = "0.1.0",
	.summary = "Tell how much of the sandbox is in use now.",
	.description =
		"The figures are the cgroup's where it sets a limit. What is not known is null. Takes a fifth of a second.",
	.example = { .args = JSON_TEXT({}) },
	.effects = OP_READS | OP_IDEMPOTENT,
	.result = result,
	.result_size = sizeof(struct metrics),
	.start = start,
};
