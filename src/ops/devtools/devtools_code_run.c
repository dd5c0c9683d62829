/* SPDX-License-Identifier: Apache-2.0 */
/*
 * devtools.code.run: run a piece of code by the interpreter of its language.
 *
 * The code is a file without a name (language.h); the program is as a command of commands.run
 * otherwise: the same variables, user and limits, ended with all that it started.
 */
#include "base/clock.h"
#include "base/utf8.h"
#include "ops/devtools/language.h"
#include "policy/place.h"
#include "policy/policy.h"
#include "program/command.h"
#include "program/program.h"
#include "spawn/failure.h"

#include <errno.h>

enum { TIMEOUT_DEFAULT = 30, TIMEOUT_MAX = 300, OUTPUT_MAX = 10 * 1024 * 1024, VALUE_MAX = 131071 };

struct in {
	struct str code;
	const char *language;
	double timeout;
	struct path_arg cwd;
	struct list env;
	struct str input;
};

struct out {
	struct str out_text, err_text;
	int64_t exit_code, execution_time_ms;
	const char *language, *signal;
	bool stdout_truncated, stderr_truncated, background, lossy, oom_killed;
	int64_t stdout_bytes, stderr_bytes;
	double timeout;
};

static const struct field params[] = {
	P_TEXT(struct in, code, F_REQUIRED, "The code; may be empty."),
	P_STRING(struct in, language, F_AUDIT, "python, node, bash, or what the policy's devtools.languages adds.",
		.def_text = "python"),
	FIELD_ROW(struct in, timeout, double, FIELD_NUMBER,
		"Seconds until it is ended with all that it started; 0 is no limit.", .num_def = TIMEOUT_DEFAULT,
		.num_minimum = 0, .num_maximum = TIMEOUT_MAX),
	P_PATH(struct in, cwd, F_CWD, "Working directory, where modules are found; the base directory by default."),
	P_MAP(struct in, env, F_AUDIT, "Variables on top of the server's for children."),
	FIELD_ROW_AS(struct in, input, "stdin", struct str, FIELD_TEXT,
		"Standard input as text; without it end of file at once."),
	FIELDS_END,
};

static const struct field result[] = {
	FIELD_ROW_AS(struct out, out_text, "stdout", struct str, FIELD_TEXT, "What the code wrote to standard output.",
		.flags = F_REQUIRED),
	FIELD_ROW_AS(struct out, err_text, "stderr", struct str, FIELD_TEXT, "What it wrote to standard error.",
		.flags = F_REQUIRED),
	R_INT(struct out, exit_code, "The interpreter's exit code; 128 and N when signal N ended it."),
	R_OPT_STRING(struct out, signal, "The signal that ended it."),
	R_STRING(struct out, language, "The language."),
	R_INT(struct out, execution_time_ms, "From its start to its end."),
	R_BOOL(struct out, stdout_truncated, "Whether bytes of stdout are missing."),
	R_BOOL(struct out, stderr_truncated, "Whether bytes of stderr are missing."),
	R_INT(struct out, stdout_bytes, "How many bytes of stdout there were in all."),
	R_INT(struct out, stderr_bytes, "How many bytes of stderr there were in all."),
	R_NUM(struct out, timeout, "The timeout that was in force, in seconds; 0 none."),
	R_FLAG(struct out, background, "Something that it started still held a pipe at the answer."),
	R_FLAG(struct out, lossy, "Bytes that are not UTF-8 were replaced."),
	R_FLAG(struct out, oom_killed, "The kernel ended it for want of memory."),
	FIELDS_END,
};

struct run {
	struct call *call;
	struct job job;
	struct program program;
	int folder_fd; /* in's, or base_fd */
	int base_fd, file_fd;
	int status;
	char signal[16];
};

static struct str text_of(const struct program *p, unsigned stream)
{
	struct str text = program_output(p, stream);

	if (program_truncated(p, stream))
		text.len -= utf8_incomplete_tail(text);
	return text;
}

static void on_done(struct program *p)
{
	struct call *call = p->call;
	const struct in *in = call_in(call, struct in);
	struct out out = {
		.out_text = text_of(p, PIPES_OUT),
		.err_text = text_of(p, PIPES_ERR),
		.exit_code = p->running.exit.code,
		.execution_time_ms = p->running.duration_ns / NS_PER_MS,
		.language = in->language,
		.stdout_truncated = program_truncated(p, PIPES_OUT),
		.stderr_truncated = program_truncated(p, PIPES_ERR),
		.timeout = in->timeout,
		.signal = command_signal_name(p->running.exit.signal, ((struct run *)call->state)->signal),
		.stdout_bytes = (int64_t)p->output[PIPES_OUT].total,
		.stderr_bytes = (int64_t)p->output[PIPES_ERR].total,
		.background = p->running.held,
		.oom_killed = p->running.exit.oom_killed,
	};

	out.lossy = !(utf8_valid(out.out_text) && utf8_valid(out.err_text));
	if (p->running.timed_out) {
		err_set(&call->err, ERR_COMMANDS_TIMEOUT, "the code did not end within %g seconds and was ended",
			in->timeout);
		call_fail_with_result(call, &out);
	} else {
		call_reply(call, &out);
	}
}

static int permit(struct call *call)
{
	return command_permit_env(call, &call_in(call, struct in)->env);
}

static int add_env(struct call *call, const struct in *in, struct child_env *env)
{
	const struct pair *pairs = in->env.items;

	policy_child_env(principal_policy(call->caller), NULL, false, env);
	if (permit(call) < 0)
		return -1;
	for (size_t i = 0; i < in->env.count; i++) {
		if (strlen(pairs[i].name) + 1 + pairs[i].value.len > VALUE_MAX)
			return err_set(&call->err, ERR_ARGS_INVALID,
				"the variable '%.60s' is too long; the system takes at most %d bytes", pairs[i].name,
				VALUE_MAX);
		child_env_put(env, pairs[i].name, pairs[i].value);
	}
	return 0;
}

/* The first way whose program is there. */
static int start_one(struct run *run, struct call *call, const struct language_run *language, struct program_plan *plan)
{
	for (size_t i = 0; language->ways[i]; i++) {
		plan->argv = language->ways[i];
		if (program_start(&run->program, call, plan, on_done) == 0)
			return 0;
		if (call->err.code != ERR_COMMANDS_START || call->err.sys_errno != ENOENT ||
			!strstr(call->err.details, "\"exec\""))
			return -1;
	}
	call->err.details = NULL;
	return err_set(&call->err, ERR_RUNTIME_UNAVAILABLE, "there is no '%s' here for code in %s",
		language->ways[0][0], call_in(call, struct in)->language);
}

static int start_program(struct run *run)
{
	struct call *call = run->call;
	const struct in *in = call_in(call, struct in);
	struct program_plan plan = {
		.dir_fd = run->folder_fd,
		.dir_name = in->cwd.place ? in->cwd.given : str_of(place_base_path(call->caller)),
		.extra_fd = run->file_fd,
		.extra_as = LANGUAGE_FD,
		.input = in->input,
		.timeout_s = in->timeout,
		.max_bytes = OUTPUT_MAX,
	};
	struct language_run language;
	struct child_env env;

	child_env_init(&env, &call->arena);
	if (language_find(call, in->language, &language) < 0 || add_env(call, in, &env) < 0)
		return -1;
	plan.env = child_env_items(&env);
	return start_one(run, call, &language, &plan);
}

static void on_free(struct call *call)
{
	program_free(&((struct run *)call->state)->program);
}

static void on_gone(struct call *call)
{
	struct run *run = call->state;

	if (run->program.call)
		program_cancel(&run->program);
}

/* The folder and the file with the code: the disk may be slow. */
static void prepare(struct job *job)
{
	struct run *run = OWNER(job, struct run, job);
	struct call *call = run->call;
	const struct in *in = call_in(call, struct in);

	run->status = -1;
	if (in->cwd.place) {
		run->folder_fd = in->cwd.folder_fd;
	} else {
		run->folder_fd = run->base_fd = place_base_fd(call->caller);
		if (run->base_fd < 0) {
			failure_set(&call->err, &call->arena, "cwd", -run->base_fd,
				str_of(place_base_path(call->caller)), NULL);
			return;
		}
	}
	run->file_fd = language_file(call, run->folder_fd, in->code);
	run->status = run->file_fd < 0 ? -1 : 0;
}

static void prepared(struct job *job)
{
	struct run *run = OWNER(job, struct run, job);

	if (run->status == 0 && !run->call->gone)
		run->status = start_program(run);
	close_fd(run->base_fd);
	close_fd(run->file_fd);
	if (run->status < 0 || !run->program.call)
		call_fail(run->call);
}

static void start(struct call *call)
{
	struct run *run = call_new(call, struct run);

	if (!run) {
		call_fail(call);
		return;
	}
	run->call = call;
	run->base_fd = run->file_fd = -1;
	call->state = run;
	call->on_free = on_free;
	call->on_gone = on_gone;
	if (call_job(call, &run->job, LANE_SHORT, prepare, prepared) < 0)
		call_fail(call);
}

static const enum err_code errors[] = { ERR_COMMANDS_START, ERR_COMMANDS_TIMEOUT, ERR_POLICY_ENV, ERR_POLICY_PATH,
	ERR_RUNTIME_UNAVAILABLE, ERR_NONE };

const struct op op_devtools_code_run = {
	.id = "devtools.code.run",
	.endpoint = "code_run",
	.group = "dev_tools",
	.scope = "code:run",
	.kind = OP_JSON,
	.method = "POST",
	.path = "/code/run",
	.since = "0.1.0",
	.summary = "Run a piece of code and answer when it has ended.",
	.description =
		"The interpreter gets the code as a file that has no name and is gone afterwards; modules are found from 'cwd'. A "
		"non-zero exit is a result, not an error. The code is ended at its timeout and when the caller leaves, with "
		"everything that it started. Of each stream the first 10 MiB are kept.",
	.example = { .args = JSON_TEXT({ "code" : "print(6 * 7)", "language" : "python" }) },
	.effects = OP_RUNS | OP_READS | OP_WRITES,
	.params = params,
	.params_size = sizeof(struct in),
	.result = result,
	.result_size = sizeof(struct out),
	.errors = errors,
	.permit = permit,
	.start = start,
};
