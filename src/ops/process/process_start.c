/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.start: start a program that outlives the call.
 *
 * A start that is repeated with its Idempotency-Key is answered as the first one was, and starts
 * nothing (R28, R102).
 */
#include "ops/process/idempotency.h"
#include "ops/process/process.h"

#include "base/utf8.h"
#include "policy/policy.h"

enum {
	TIMEOUT_MAX = 365 * 24 * 3600,
	SHOWN_MAX = 1024, /* of the command, in answers */
	NAME_MAX_BYTES = 128,
	KEY_MAX_BYTES = 255,
	PROCESSES = 100,
	PROCESSES_MAX = 4096,
	OUTPUT = 1024 * 1024,
	OUTPUT_MAX = 16 * 1024 * 1024,
	RETAIN = 100,
	RETAIN_MAX = 1000,
};

struct in {
	struct command command;
	const char *name;
	bool capture_output, takes_input;
	double timeout;
};

struct out {
	const char *id, *command, *started_at;
	int64_t pid;
};

static const struct field params[] = {
	COMMAND_PARAMS(struct in, command),
	P_BOOL(struct in, capture_output, false, "Whether its output is kept for process.output and process.follow."),
	FIELD_ROW_AS(struct in, takes_input, "stdin", bool, FIELD_BOOLEAN,
		"Whether process.stdin can write to it; otherwise it reads end of file at once."),
	P_STRING(struct in, name, F_AUDIT, "A label of at most 128 bytes: not unique, not an address."),
	P_NUM(struct in, timeout, 0, 0, TIMEOUT_MAX,
		"Seconds until it and all that it started are ended; 0 is no limit."),
	FIELDS_END,
};

static const struct one_of one_of[] = { COMMAND_ONE_OF, { .names = { NULL } } };

static const struct field result[] = {
	R_STRING(struct out, id, "What it is addressed by."),
	R_INT(struct out, pid, "Its process id, which addresses it too."),
	R_STRING(struct out, command, "What was started, cut after 1024 bytes."),
	R_STRING(struct out, started_at, "When it was started."),
	FIELDS_END,
};

static bool is_plain(const char *word)
{
	static const char others[] = "_@%+=:,./-";

	for (const char *c = word; *c; c++) {
		bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');

		if (!letter && !strchr(others, *c))
			return false;
	}
	return word[0] != '\0';
}

/* As one would type it. */
static void add_word(struct buf *text, const char *word)
{
	if (is_plain(word)) {
		buf_adds(text, word);
		return;
	}
	buf_addc(text, '\'');
	for (const char *c = word; *c && text->len <= SHOWN_MAX; c++) {
		if (*c == '\'')
			buf_adds(text, "'\\''");
		else
			buf_addc(text, *c);
	}
	buf_addc(text, '\'');
}

static const char *shown_command(struct call *call, const struct command *command)
{
	const char *const *words = command->argv.items;
	struct str whole = str_of(command->text);
	const char *shown;
	AUTOBUF struct buf text;

	buf_init(&text, SIZE_MAX / 2);
	for (size_t i = 0; !command->text && i < command->argv.count && text.len <= SHOWN_MAX; i++) {
		if (i)
			buf_addc(&text, ' ');
		add_word(&text, words[i]);
	}
	if (!command->text)
		whole = buf_str(&text);
	shown = arena_strndup(&call->arena, whole.p, utf8_cut(whole, SHOWN_MAX));
	if (!shown)
		err_set(&call->err, ERR_BUSY, "the call needs more memory than is left");
	return shown;
}

static int check(struct call *call, const struct in *in)
{
	struct str key = call->http.idempotency_key;
	int64_t most = call_limit(call, "max_processes");

	if (in->name && strlen(in->name) > NAME_MAX_BYTES)
		return err_set(
			&call->err, ERR_ARGS_INVALID, "parameter 'name' must have at most %d bytes", NAME_MAX_BYTES);
	if (key.p && (key.len == 0 || key.len > KEY_MAX_BYTES))
		return err_set(
			&call->err, ERR_ARGS_INVALID, "the Idempotency-Key must have 1 to %d bytes", KEY_MAX_BYTES);
	if ((int64_t)process_running(principal_name(call->caller)) >= most)
		return call_over_limit(call, "max_processes", &call->err,
			"%lld processes run, which is all that may (max_processes)", (long long)most);
	return 0;
}

static int start_new(struct call *call, struct out *out)
{
	const struct in *in = call_in(call, struct in);
	struct process_start what = {
		.command = &in->command,
		.name = in->name,
		.captures = in->capture_output,
		.takes_input = in->takes_input,
		.timeout_s = in->timeout,
		.max_output_bytes = (size_t)call_limit(call, "max_output_bytes"),
		.retain = (size_t)call_limit(call, "retain"),
	};
	struct process *p;

	if (check(call, in) < 0)
		return -1;
	what.shown = shown_command(call, &in->command);
	p = what.shown ? process_begin(call, &what) : NULL;
	if (!p)
		return -1;
	*out = (struct out){ p->id, p->command, p->started_at, p->pid };
	return 0;
}

/* Whatever has changed since the first time, a folder that is gone among it. */
static bool replay(struct call *call)
{
	struct str key = call->http.idempotency_key;
	struct idempotency_answer first;
	struct out out;

	if (!key.p)
		return false;
	switch (idempotency_find(principal_name(call->caller), key, call->http.body_hash, clock_now_ns(), &first)) {
	case IDEMPOTENCY_OTHER:
		err_set(&call->err, ERR_ARGS_IDEMPOTENCY, "the Idempotency-Key was used with another body");
		call_fail(call);
		return true;
	case IDEMPOTENCY_AGAIN:
		out = (struct out){ first.id, first.command, first.started_at, first.pid };
		call_reply(call, &out);
		return true;
	default:
		return false;
	}
}

static void remember(struct call *call, const struct out *out)
{
	struct idempotency_answer first = { out->id, out->command, out->started_at, (pid_t)out->pid };

	if (call->http.idempotency_key.p)
		idempotency_put(principal_name(call->caller), call->http.idempotency_key, call->http.body_hash,
			clock_now_ns(), &first);
}

static int permit(struct call *call)
{
	return command_permit(call, &call_in(call, struct in)->command);
}

static void start(struct call *call)
{
	struct out out;

	/* The first one may have come while our folder was looked at. */
	if (replay(call))
		return;
	if (start_new(call, &out) < 0) {
		call_fail(call);
		return;
	}
	remember(call, &out);
	call_reply(call, &out);
}

static const enum err_code errors[] = { COMMAND_ERRORS, ERR_ARGS_IDEMPOTENCY, ERR_LIMIT_TOO_MANY, ERR_NONE };

static const struct limit limits[] = {
	{ "max_processes", PROCESSES, PROCESSES_MAX, ERR_LIMIT_TOO_MANY, "How many of one caller may run at a time." },
	{ "max_output_bytes", OUTPUT, OUTPUT_MAX, ERR_NONE, "How much output of one process is kept, the newest." },
	{ "retain", RETAIN, RETAIN_MAX, ERR_NONE,
		"How many newer ones an ended process outlives, for an hour at most." },
	{ .name = NULL },
};

const struct op op_process_start = {
	.id = "process.start",
	.endpoint = "process_start",
	.group = "process",
	.scope = "process:run",
	.kind = OP_JSON,
	.method = "POST",
	.path = "/process/start",
	.since = "0.1.0",
	.summary = "Start a program that outlives the call.",
	.description =
		"Exactly one of 'command' (run by a shell) and 'argv' (no shell). It runs until it ends by itself, by its timeout, "
		"by a signal, or with the server. With an Idempotency-Key header a repeated start gives the first answer again "
		"for an hour and starts nothing; the server forgets the keys when it is restarted. Without 'capture_output' its "
		"output goes nowhere.",
	.example = { .args = JSON_TEXT({
		"command" : "echo ready; read line; echo got $line",
		"capture_output" : true,
		"stdin" : true,
		"timeout" : 60
	}) },
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
	.replay = replay,
};
