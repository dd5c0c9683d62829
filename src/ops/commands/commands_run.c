/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands.run: run a command and answer when it has ended.
 *
 * The answer waits for the command itself and for what it left in its pipes, not for children
 * that it left behind (R01, R02).  A caller who leaves takes the command along: what is to
 * outlive its caller is started with process.start (R17).
 */
#include "program/capture.h"
#include "program/running.h"

#include "base/clock.h"
#include "base/utf8.h"

enum { TIMEOUT_DEFAULT = 300, TIMEOUT_MAX = 3600, OUTPUT_MAX = 10 * 1024 * 1024 };

struct in {
	struct command command;
	double timeout;
	int64_t max_output_bytes;
	int encoding;
};

struct out {
	struct output out_text, err_text;
	int64_t exit_code, duration_ms, stdout_bytes, stderr_bytes, pid;
	const char *signal;
	bool stdout_truncated, stderr_truncated, background, lossy, oom_killed;
	double timeout;
};

static const struct field params[] = {
	COMMAND_PARAMS(struct in, command),
	COMMAND_INPUT(struct in, command),
	P_NUM(struct in, timeout, TIMEOUT_DEFAULT, 0, TIMEOUT_MAX,
		"Seconds until the command and all that it started are ended; 0 is no limit."),
	P_INT(struct in, max_output_bytes, OUTPUT_MAX, 0, OUTPUT_MAX,
		"How many bytes of each stream to keep: the first ones."),
	P_CHOICE(struct in, encoding, ENCODING_UTF8, encoding_choices,
		"How stdout and stderr are given: as text, or exactly."),
	FIELDS_END,
};

static const struct one_of one_of[] = { COMMAND_ONE_OF, COMMAND_INPUT_ONE_OF, { .names = { NULL } } };

static const struct field result[] = {
	R_OUTPUT(struct out, out_text, "stdout", "What the command wrote to standard output."),
	R_OUTPUT(struct out, err_text, "stderr", "What it wrote to standard error."),
	R_INT(struct out, exit_code, "Its exit code; 128 and N when signal N ended it."),
	R_OPT_STRING(struct out, signal, "The signal that ended it."),
	R_INT(struct out, duration_ms, "From its start to its end."),
	R_BOOL(struct out, stdout_truncated, "Whether bytes of stdout are missing."),
	R_BOOL(struct out, stderr_truncated, "Whether bytes of stderr are missing."),
	R_INT(struct out, stdout_bytes, "How many bytes of stdout there were in all."),
	R_INT(struct out, stderr_bytes, "How many bytes of stderr there were in all."),
	R_NUM(struct out, timeout, "The timeout that was in force, in seconds; 0 none."),
	R_INT(struct out, pid, "Process id of the command."),
	R_FLAG(struct out, background, "Something that it started still held a pipe at the answer."),
	R_FLAG(struct out, lossy, "Bytes that are not UTF-8 were replaced: encoding=base64 gives them."),
	R_FLAG(struct out, oom_killed, "The kernel ended it for want of memory."),
	FIELDS_END,
};

struct run {
	struct running running;
	struct call *call;
	struct capture captures[PIPES_COUNT];
	char signal[16];
};

static void on_bytes(struct running *r, unsigned stream, struct str bytes)
{
	capture_add(&OWNER(r, struct run, running)->captures[stream], bytes);
}

static void fill_in(struct run *run, struct out *out)
{
	const struct in *in = call_in(run->call, struct in);
	const struct capture *captures = run->captures;
	const struct running *r = &run->running;
	bool base64 = in->encoding == ENCODING_BASE64;

	*out = (struct out){
		.out_text = { capture_bytes(&captures[PIPES_OUT], !base64), base64 },
		.err_text = { capture_bytes(&captures[PIPES_ERR], !base64), base64 },
		.exit_code = r->exit.code,
		.signal = command_signal_name(r->exit.signal, run->signal),
		.duration_ms = r->duration_ns / NS_PER_MS,
		.stdout_truncated = capture_truncated(&captures[PIPES_OUT]),
		.stderr_truncated = capture_truncated(&captures[PIPES_ERR]),
		.stdout_bytes = (int64_t)captures[PIPES_OUT].total,
		.stderr_bytes = (int64_t)captures[PIPES_ERR].total,
		.timeout = r->timeout_s,
		.pid = r->pid,
		.background = r->held,
		.oom_killed = r->exit.oom_killed,
	};
	out->lossy = !base64 && !(utf8_valid(out->out_text.bytes) && utf8_valid(out->err_text.bytes));
}

static void on_done(struct running *r)
{
	struct run *run = OWNER(r, struct run, running);
	struct call *call = run->call;
	struct out out;

	fill_in(run, &out);
	running_free(r);
	if (r->timed_out) {
		err_set(&call->err, ERR_COMMANDS_TIMEOUT, "the command did not end within %g seconds and was ended",
			r->timeout_s);
		call_fail_with_result(call, &out);
	} else {
		call_reply(call, &out);
	}
}

/* The captures are what the answer refers to: they live as long as the call. */
static void on_free(struct call *call)
{
	struct run *run = call->state;

	capture_free(&run->captures[PIPES_OUT]);
	capture_free(&run->captures[PIPES_ERR]);
}

static void on_gone(struct call *call)
{
	running_cancel(&((struct run *)call->state)->running);
}

static const struct running_events events = { .on_bytes = on_bytes, .on_done = on_done };

/* A cap below the default lowers it; what is in force is told. */
static int check_timeout(struct call *call, double *timeout)
{
	int64_t max = call_limit(call, "max_timeout");

	if (*timeout == TIMEOUT_DEFAULT && max < TIMEOUT_DEFAULT)
		*timeout = (double)max;
	if (*timeout <= (double)max)
		return 0;
	return call_over_limit(call, "max_timeout", &call->err,
		"parameter 'timeout' must be at most %lld seconds (max_timeout)", (long long)max);
}

static int permit(struct call *call)
{
	return command_permit(call, &call_in(call, struct in)->command);
}

static void start(struct call *call)
{
	struct in *in = call_in(call, struct in);
	struct run *run = call_new(call, struct run);
	size_t max;

	if (!run || check_timeout(call, &in->timeout) < 0) {
		call_fail(call);
		return;
	}
	max = (size_t)MIN(in->max_output_bytes, call_limit(call, "max_output_bytes"));
	run->call = call;
	capture_init(&run->captures[PIPES_OUT], max);
	capture_init(&run->captures[PIPES_ERR], max);
	call->state = run;
	call->on_free = on_free;
	if (running_start(&run->running, call, &in->command, in->timeout, &events) < 0) {
		call_fail(call);
		return;
	}
	call->on_gone = on_gone;
}

static const enum err_code errors[] = { COMMAND_ERRORS, ERR_COMMANDS_TIMEOUT, ERR_NONE };

static const struct limit limits[] = {
	{ "max_timeout", TIMEOUT_MAX, TIMEOUT_MAX, ERR_ARGS_INVALID,
		"Longest timeout, in seconds; 0 (none) is always allowed." },
	{ "max_output_bytes", OUTPUT_MAX, OUTPUT_MAX, ERR_NONE, "Most bytes of each stream that are kept." },
	{ .name = NULL },
};

const struct op op_commands_run = {
	.id = "commands.run",
	.endpoint = "shell",
	.group = "process",
	.scope = "process:run",
	.kind = OP_JSON,
	.method = "POST",
	.path = "/shell",
	.since = "0.1.0",
	.summary = "Run a command and answer when it has ended.",
	.description =
		"Exactly one of 'command' (run by a shell) and 'argv' (no shell). A non-zero exit is a result, not an error. The "
		"command is ended at its timeout and when the caller leaves, with everything that it started; what is to outlive "
		"its caller is started with process.start. Children that it leaves behind do not hold the answer. Behind a proxy "
		"that gives up on slow answers use commands.stream, or process.start and process.output.",
	.example = { .args = JSON_TEXT({ "command" : "wc -l notes.txt", "cwd" : "demo" }) },
	.effects = OP_RUNS | OP_READS | OP_WRITES,
	.params = params,
	.params_size = sizeof(struct in),
	.one_of = one_of,
	.result = result,
	.result_size = sizeof(struct out),
	.errors = errors,
	.limits = limits,
	.permit = permit,
	.start = start,
};
