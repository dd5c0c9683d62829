/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.output: read what a process wrote, from an offset on.
 *
 * Reading consumes nothing: the same offset gives the same bytes to everybody, as long as the
 * ring keeps them (R21).  With 'wait' the answer comes with the first byte, or the end.
 */
#include "ops/process/process.h"
#include "ops/process/reading.h"

/* After so long without output half a character is believed to be all. */
#define SETTLED_NS (500 * NS_PER_MS)

enum { WAIT_MAX = 60, BYTES = 1024 * 1024, BYTES_MAX = 16 * 1024 * 1024 };

static const char *const streams[] = { [READ_BOTH] = "both", [READ_STDOUT] = "stdout", [READ_STDERR] = "stderr", NULL };
static const char *const chunk_streams[] = { [JOURNAL_STDOUT] = "stdout", [JOURNAL_STDERR] = "stderr", NULL };

struct in {
	const char *pid;
	int64_t since, max_bytes;
	double wait;
	int stream, encoding;
};

struct chunk_out {
	int stream;
	int64_t offset;
	struct output data;
	bool lossy;
};

struct out {
	int64_t pid, since, next, dropped;
	struct list chunks;
	bool eof, timed_out, oom_killed;
	int state;
	struct opt_int exit_code;
	const char *signal;
};

static const struct field params[] = {
	PROCESS_PARAM(struct in),
	P_INT(struct in, since, 0, 0, INT64_MAX,
		"Offset of the first byte, counted over both streams since the start."),
	P_NUM(struct in, wait, 0, 0, WAIT_MAX, "Seconds to wait for a byte or the end when there is none yet."),
	P_INT(struct in, max_bytes, BYTES, 1, BYTES_MAX, "Most bytes to return."),
	P_CHOICE(struct in, stream, READ_BOTH, streams, "Which stream; offsets count both in any case."),
	P_CHOICE(struct in, encoding, ENCODING_UTF8, encoding_choices, "How the bytes are given: as text, or exactly."),
	FIELDS_END,
};

static const struct field chunk_rows[] = {
	R_CHOICE(struct chunk_out, stream, chunk_streams, "Where the process wrote it."),
	R_INT(struct chunk_out, offset, "Offset of its first byte."),
	R_OUTPUT(struct chunk_out, data, "data", "The bytes, as text or base64."),
	R_FLAG(struct chunk_out, lossy, "Bytes that are not UTF-8 were replaced: encoding=base64 gives them."),
	FIELDS_END,
};

static const struct field result[] = {
	R_INT(struct out, pid, "Process id."),
	R_OBJECTS(struct out, chunks, struct chunk_out, "OutputChunk", chunk_rows, "What was written, in its order."),
	R_INT(struct out, since, "The offset that was asked for."),
	R_INT(struct out, next, "Where to go on reading."),
	R_INT(struct out, dropped, "How many of the bytes asked for were older than what is kept, and are gone."),
	R_BOOL(struct out, eof, "Whether nothing will come behind 'next'."),
	R_CHOICE(struct out, state, process_states, "Whether the process runs."),
	R_NULL_INT(struct out, exit_code, "Its exit code; 128 and N when signal N ended it; null while it runs."),
	R_OPT_STRING(struct out, signal, "The signal that ended it."),
	R_FLAG(struct out, timed_out, "It was ended by its timeout."),
	R_FLAG(struct out, oom_killed, "The kernel ended it for want of memory."),
	FIELDS_END,
};

/* Lives as long as the call: the answer refers to its bytes. */
struct asking {
	struct call *call;
	struct process *process; /* held */
	struct journal_reader reader;
	struct timer timer;
	struct reading reading;
	char signal[16];
};

static void stop_waiting(struct asking *a)
{
	journal_detach(&a->reader);
	timer_free(&a->timer);
	a->call->on_gone = NULL;
	a->call->on_shutdown = NULL;
}

static void on_free(struct call *call)
{
	struct asking *a = call->state;

	journal_detach(&a->reader);
	timer_free(&a->timer);
	reading_free(&a->reading);
	process_release(a->process);
}

static int make_chunks(struct asking *a, struct list *ret_chunks)
{
	const struct in *in = call_in(a->call, struct in);
	const struct reading *r = &a->reading;
	struct chunk_out *chunks = call_alloc(a->call, (reading_count(r) + 1) * sizeof *chunks);
	size_t count = 0;

	if (!chunks)
		return -1;
	for (size_t i = 0; i < reading_count(r); i++) {
		const struct chunk *chunk = reading_chunk(r, i);

		if (chunk->len == 0)
			continue;
		chunks[count++] = (struct chunk_out){
			.stream = chunk->stream,
			.offset = (int64_t)chunk->offset,
			.data = { { r->data.data + chunk->at, chunk->len }, in->encoding == ENCODING_BASE64 },
			.lossy = chunk->lossy,
		};
	}
	*ret_chunks = (struct list){ chunks, count };
	return 0;
}

static void answer(struct asking *a)
{
	const struct process *p = a->process;
	struct out out = {
		.pid = p->pid,
		.since = call_in(a->call, struct in)->since,
		.next = (int64_t)a->reading.next,
		.dropped = (int64_t)a->reading.dropped,
		.eof = a->reading.next == journal_end(p->journal) && process_is_silent(a->process),
		.state = process_state(p),
	};

	stop_waiting(a);
	if (p->exited) {
		out.exit_code = (struct opt_int){ true, p->exit.code };
		out.signal = command_signal_name(p->exit.signal, a->signal);
		out.timed_out = p->timed_out;
		out.oom_killed = p->exit.oom_killed;
	}
	if (a->reading.failed)
		err_set(&a->call->err, ERR_BUSY,
			"the answer needs more memory than is left: try again, or ask for less");
	if (a->reading.failed || make_chunks(a, &out.chunks) < 0)
		call_fail(a->call);
	else
		call_reply(a->call, &out);
}

static void read_now(struct asking *a)
{
	const struct in *in = call_in(a->call, struct in);
	struct read_request request = {
		.since = (uint64_t)in->since,
		.max = (size_t)in->max_bytes,
		.streams = in->stream,
		.as_text = in->encoding == ENCODING_UTF8,
		.settled = clock_now_ns() - a->process->written_ns >= SETTLED_NS,
	};

	reading_free(&a->reading);
	reading_do(&a->reading, a->process->journal, &request);
}

static bool has_answer(const struct asking *a)
{
	const struct in *in = call_in(a->call, struct in);
	bool beyond = (uint64_t)in->since > a->reading.next;

	return reading_count(&a->reading) > 0 || a->reading.failed || a->reading.dropped || beyond ||
	       journal_closed(a->process->journal);
}

static void on_deadline(struct timer *t)
{
	answer(OWNER(t, struct asking, timer));
}

/* In the next turn: now the journal is being written to. */
static void on_bytes_later(struct timer *t);

static void on_bytes(struct journal_reader *r)
{
	struct asking *a = OWNER(r, struct asking, reader);

	journal_detach(r);
	timer_start(&a->timer, a->call->loop, 0, on_bytes_later);
}

static void wait_for_bytes(struct asking *a)
{
	const struct in *in = call_in(a->call, struct in);
	int64_t deadline_ns = a->call->started_ns + (int64_t)(in->wait * (double)NS_PER_S);
	int64_t left_ns = deadline_ns - clock_now_ns();

	if (left_ns <= 0) {
		answer(a);
		return;
	}
	journal_attach(a->process->journal, &a->reader, UINT64_MAX, false, on_bytes);
	if (a->reading.stuck)
		timer_start(&a->timer, a->call->loop, MIN(left_ns, SETTLED_NS), on_bytes_later);
	else
		timer_start(&a->timer, a->call->loop, left_ns, on_deadline);
}

static void on_bytes_later(struct timer *t)
{
	struct asking *a = OWNER(t, struct asking, timer);

	read_now(a);
	if (has_answer(a))
		answer(a);
	else
		wait_for_bytes(a);
}

static void on_gone(struct call *call)
{
	answer(call->state);
}

/* The server ends, or the caller lost the op: call->err says which. */
static void on_shutdown(struct call *call)
{
	stop_waiting(call->state);
	call_fail(call);
}

static void start(struct call *call)
{
	const struct in *in = call_in(call, struct in);
	struct process *p = process_find_captured(call, in->pid);
	struct asking *a = p ? call_new(call, struct asking) : NULL;

	if (!a) {
		call_fail(call);
		return;
	}
	a->call = call;
	a->process = p;
	process_hold(p);
	call->state = a;
	call->on_free = on_free;
	call->on_gone = on_gone;
	call->on_shutdown = on_shutdown;
	read_now(a);
	if (in->wait == 0 || has_answer(a))
		answer(a);
	else
		wait_for_bytes(a);
}

static const enum err_code errors[] = { ERR_PROCESS_NOT_FOUND, ERR_PROCESS_NOT_CAPTURED, ERR_NONE };

const struct op op_process_output = {
	.id = "process.output",
	.endpoint = "process_output",
	.group = "process",
	.scope = "process:read",
	.kind = OP_JSON,
	.method = "GET",
	.path = "/process/{pid}/output",
	.since = "0.1.0",
	.summary = "Read what a process wrote, from an offset on.",
	.description =
		"Reading consumes nothing: any number of readers go on from their own 'next', and the same 'since' gives the same "
		"bytes again. The newest 'max_output_bytes' are kept; 'dropped' tells how many of the wanted ones are gone. "
		"With 'wait' the answer comes with the first byte or when the process ends. A character that a limit would cut "
		"belongs to the later read.",
	.example = { .args = JSON_TEXT({ "wait" : 5 }), .after = "process.start", .take = "pid", .into = "pid" },
	.effects = OP_READS | OP_IDEMPOTENT,
	.params = params,
	.params_size = sizeof(struct in),
	.result = result,
	.result_size = sizeof(struct out),
	.errors = errors,
	.waits = true,
	.start = start,
};
