/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.stdin: write to a process's standard input.
 *
 * The answer comes when the pipe has taken all bytes, in the order of the calls.  A process that
 * does not read makes the call wait, and then fail with the number of bytes that were taken.
 */
#include "ops/process/process.h"

struct in {
	const char *pid;
	struct str data, data_b64;
	bool eof;
};

struct out {
	int64_t pid, bytes;
};

static const struct field params[] = {
	PROCESS_PARAM(struct in),
	P_TEXT(struct in, data, 0, "What to write, as text."),
	P_BYTES(struct in, data_b64, 0, "What to write, as bytes in base64."),
	P_BOOL(struct in, eof, false, "Whether to close it behind the bytes."),
	FIELDS_END,
};

static const struct one_of one_of[] = {
	{ .names = { "data", "data_b64" }, .optional = true },
	{ .names = { NULL } },
};

static const struct field result[] = {
	R_INT(struct out, pid, "Process id."),
	R_INT(struct out, bytes, "How many bytes were written."),
	FIELDS_END,
};

struct writing {
	struct feed_item item;
	struct process *process;
	struct call *call;
};

static void finish(struct writing *w, enum err_code code)
{
	struct out out = { w->process->pid, (int64_t)w->item.taken };
	struct process *p = w->process;
	struct call *call = w->call;

	if (code == ERR_LIMIT_TOO_MANY)
		err_set(&call->err, code, "process '%s' does not read its input: %zu bytes were written, %zu were not",
			p->id, w->item.taken, w->item.left.len);
	else if (code == ERR_PROCESS_EXITED)
		err_set(&call->err, code, "process '%s' has ended after %zu bytes", p->id, w->item.taken);
	else if (code)
		err_set(&call->err, code, "process '%s' has closed its input after %zu bytes", p->id, w->item.taken);
	if (code)
		call_fail_with_result(call, &out);
	else
		call_reply(call, &out);
	process_release(p);
}

static void on_fed(struct feed_item *item, enum feed_end how)
{
	struct writing *w = OWNER(item, struct writing, item);

	if (how == FEED_TAKEN)
		finish(w, ERR_NONE);
	else if (how == FEED_STALLED)
		finish(w, ERR_LIMIT_TOO_MANY);
	else
		finish(w, w->process->exited ? ERR_PROCESS_EXITED : ERR_PROCESS_STDIN_CLOSED);
}

/* What was not written yet is dropped: nobody could be told. */
static void on_gone(struct call *call)
{
	struct writing *w = call->state;

	feed_leave(&w->item);
	finish(w, ERR_LIMIT_TOO_MANY);
}

static int check(struct call *call, const struct in *in, const struct process *p)
{
	if (!in->data.p && !in->data_b64.p && !in->eof)
		return err_set(&call->err, ERR_ARGS_MISSING, "process.stdin needs one of 'data', 'data_b64', 'eof'");
	if (p->exited)
		return err_set(&call->err, ERR_PROCESS_EXITED, "process '%s' has ended", p->id);
	if (!p->takes_input)
		return err_set(&call->err, ERR_PROCESS_NO_STDIN, "process '%s' was started without stdin", p->id);
	if (p->feed.fd < 0)
		return err_set(&call->err, ERR_PROCESS_STDIN_CLOSED, "the input of process '%s' is closed", p->id);
	return 0;
}

static void start(struct call *call)
{
	const struct in *in = call_in(call, struct in);
	struct process *p = process_find(call, in->pid);
	struct writing *w = p && check(call, in, p) == 0 ? call_new(call, struct writing) : NULL;

	if (!w) {
		call_fail(call);
		return;
	}
	w->process = p;
	w->call = call;
	call->state = w;
	call->on_gone = on_gone;
	process_hold(p);
	feed_put(&p->feed, &w->item, in->data.p ? in->data : in->data_b64, in->eof, on_fed);
}

static const enum err_code errors[] = { ERR_PROCESS_NOT_FOUND, ERR_PROCESS_EXITED, ERR_PROCESS_NO_STDIN,
	ERR_PROCESS_STDIN_CLOSED, ERR_LIMIT_TOO_MANY, ERR_NONE };

const struct op op_process_stdin = {
	.id = "process.stdin",
	.endpoint = "process_stdin",
	.group = "process",
	.scope = "process:control",
	.kind = OP_JSON,
	.method = "POST",
	.path = "/process/{pid}/stdin",
	.since = "0.1.0",
	.summary = "Write to a process's standard input.",
	.description =
		"The process must have been started with 'stdin'. The call is answered when the bytes are in the pipe, in the "
		"order of the calls. When the process takes none for five seconds (or one call lasts over a minute) it is "
		"limit.too_many, and 'details' says how many bytes were written; the rest was not.",
	.example = { .args = JSON_TEXT({ "data" : "hello", "eof" : true }),
		.after = "process.start",
		.take = "pid",
		.into = "pid" },
	.effects = OP_WRITES,
	.params = params,
	.params_size = sizeof(struct in),
	.one_of = one_of,
	.result = result,
	.result_size = sizeof(struct out),
	.errors = errors,
	.start = start,
};
