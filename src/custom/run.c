/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command that is a program for each call: its argv out of the templates, its standard output
 * as the result.
 */
#include "custom/custom.h"
#include "custom/manifest.h"

#include "base/utf8.h"
#include "policy/place.h"
#include "policy/policy.h"
#include "program/capture.h"
#include "program/confine.h"
#include "program/launch.h"
#include "program/running.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

enum { ARG_BYTES = 131071 /* of one argument (R07) */, REASON_SIZE = 128 };

struct run {
	struct call *call;
	struct running running;
	struct capture captured;
	struct tail tail;
	struct buf input, result; /* from the budget */
};

static const struct custom_in *in_of(const struct run *run)
{
	return call_in(run->call, struct custom_in);
}

static void on_free(struct call *call)
{
	struct run *run = call->state;

	custom_of(call->op)->count->running--;
	capture_free(&run->captured);
	buf_free(&run->input);
	buf_free(&run->result);
}

static void on_gone(struct call *call)
{
	running_cancel(&((struct run *)call->state)->running);
}

static void on_bytes(struct running *r, unsigned stream, struct str bytes)
{
	struct run *run = OWNER(r, struct run, running);

	if (stream == PIPES_OUT)
		capture_add(&run->captured, bytes);
	else
		tail_add(&run->tail, bytes);
}

/* The last line that is not empty. */
static struct str last_line(struct str text)
{
	struct str last = { NULL, 0 };

	while (text.len) {
		struct str line = str_trim(str_cut(&text, '\n'));

		if (line.len)
			last = line;
	}
	return last;
}

static void fail(struct run *run, struct str message, struct str tail)
{
	const struct tree_exit *exit = &run->running.exit;
	struct custom_failure failure = {
		.message = message, .stderr_tail = tail, .exited = true, .exit_code = exit->code, .signal = exit->signal
	};

	custom_fail(run->call, &failure);
}

static int fail_exit(struct run *run, struct str tail)
{
	const struct tree_exit *exit = &run->running.exit;
	struct str message = last_line(tail);
	char reason[REASON_SIZE], signal[16];

	if (exit->signal)
		snprintf(reason, sizeof reason, "it was ended by %s", command_signal_name(exit->signal, signal));
	else
		snprintf(reason, sizeof reason, "it ended with exit code %d", exit->code);
	fail(run, message.len && !exit->signal ? message : str_of(reason), tail);
	return -1;
}

/* Standard output as JSON text in run->result. */
static int take_json(struct run *run, struct str text, struct str tail)
{
	struct json_error problem;
	struct json *value;
	struct json_writer w;
	char reason[REASON_SIZE];
	int status = json_parse(&run->call->arena, (char *)text.p, text.len, &value, &problem);

	if (status == -ENOMEM)
		return err_set(&run->call->err, ERR_BUSY, "the result needs more memory than is left");
	if (status < 0) {
		snprintf(reason, sizeof reason, "its output is not JSON: line %zu, column %zu: %s", problem.line,
			problem.column, problem.reason);
		fail(run, str_of(reason), tail);
		return -1;
	}
	json_write_init(&w, &run->result);
	json_tree(&w, value, false);
	return 0;
}

static int take_result(struct run *run, struct custom_out *out, struct str tail)
{
	bool wants_json = custom_of(run->call->op)->manifest->result == MANIFEST_RESULT_JSON;
	struct str text = capture_bytes(&run->captured, false);
	struct json_writer w;
	char reason[REASON_SIZE];

	if (capture_truncated(&run->captured) && run->captured.len < run->captured.max)
		return err_set(&run->call->err, ERR_BUSY, "the result needs more memory than is left");
	if (capture_truncated(&run->captured)) {
		snprintf(reason, sizeof reason, "its output of %llu bytes is over %zu (max_result_bytes)",
			(unsigned long long)run->captured.total, run->captured.max);
		fail(run, str_of(reason), tail);
		return -1;
	}
	json_write_init(&w, &run->result);
	out->lossy = !wants_json && !utf8_valid(text);
	if (!wants_json)
		json_text(&w, text);
	else if (take_json(run, text, tail) < 0)
		return -1;
	out->result = buf_str(&run->result);
	return buf_failed(&run->result)
		       ? err_set(&run->call->err, ERR_BUSY, "the result needs more memory than is left")
		       : 0;
}

static void on_done(struct running *r)
{
	struct run *run = OWNER(r, struct run, running);
	struct call *call = run->call;
	struct custom_out out = { .lossy = false };
	char text[TAIL_SIZE];
	struct str tail = tail_since(&run->tail, 0, text);
	int status = -1;

	running_free(r);
	if (r->timed_out)
		custom_time_out(call, r->timeout_s, tail);
	else
		status = r->exit.code ? fail_exit(run, tail) : take_result(run, &out, tail);
	if (status < 0)
		call_fail(call);
	else
		call_reply(call, &out);
}

static const struct running_events events = { .on_bytes = on_bytes, .on_done = on_done };

static int make_argv(struct run *run, const char ***ret_argv)
{
	const struct custom *c = custom_of(run->call->op);
	const struct template *templates = c->manifest->run.items;
	size_t count = c->manifest->run.count;
	const char **argv = call_alloc(run->call, (count + 1) * sizeof *argv);

	for (size_t i = 0; argv && i < count; i++) {
		AUTOBUF struct buf text;

		buf_init_budgeted(&text, ARG_BYTES);
		template_fill(&templates[i], &c->args, in_of(run)->args, &text);
		if (buf_failed(&text))
			return err_set(&run->call->err, ERR_ARGS_INVALID,
				"%s: the program's argument %zu would have more than %d bytes", c->op.id, i, ARG_BYTES);
		argv[i] = arena_strndup(&run->call->arena, text.data, text.len);
		if (!argv[i])
			return err_set(&run->call->err, ERR_BUSY, "the arguments need more memory than is left");
	}
	*ret_argv = argv;
	return argv ? 0 : -1;
}

static int make_env(struct run *run, const char *const **ret_env)
{
	struct call *call = run->call;
	const struct manifest *m = custom_of(call->op)->manifest;
	struct child_env env;

	child_env_init(&env, &call->arena);
	policy_child_env(principal_policy(call->caller), NULL, false, &env);
	manifest_put_env(m, &env);
	confine_put_temp_dir(call->caller, NULL, &env);
	*ret_env = child_env_items(&env);
	return *ret_env ? 0 : err_set(&call->err, ERR_BUSY, "the environment needs more memory than is left");
}

static int make_input(struct run *run)
{
	const struct custom *c = custom_of(run->call->op);
	struct json_writer w;

	if (c->manifest->input != MANIFEST_STDIN_JSON)
		return 0;
	json_write_init(&w, &run->input);
	args_write(&w, &c->args, in_of(run)->args);
	buf_addc(&run->input, '\n');
	return buf_failed(&run->input)
		       ? err_set(&run->call->err, ERR_BUSY, "the arguments need more memory than is left")
		       : 0;
}

/* That a program cannot be started is its author's fault, unless the arguments are too long together. */
static int cannot_start(struct call *call)
{
	struct custom_failure failure = { .message = str_of(call->err.text) };
	char text[ERR_TEXT_MAX];

	if (call->err.code != ERR_COMMANDS_START || call->err.sys_errno == E2BIG)
		return -1;
	snprintf(text, sizeof text, "%s", call->err.text);
	failure.message = str_of(text);
	custom_fail(call, &failure);
	return -1;
}

static int start_program(struct run *run, int folder_fd)
{
	struct call *call = run->call;
	struct spawn spawn = SPAWN_INIT;
	const char **argv = NULL;
	struct child child;
	struct tree *tree;

	if (make_argv(run, &argv) < 0 || make_env(run, &spawn.env) < 0 || make_input(run) < 0)
		return -1;
	spawn.argv = argv;
	spawn.dir_fd = folder_fd;
	spawn.in = run->input.len ? SPAWN_PIPE : SPAWN_NULL;
	spawn.out = spawn.err = SPAWN_PIPE;
	if (launch_prepare(call, NULL, &spawn) < 0)
		return -1;
	running_init(&run->running, call->loop, custom_of(call->op)->timeout_s, &events);
	tree = launch(call, &spawn, &running_tree_events, &run->running, &child);
	if (!tree)
		return cannot_start(call);
	running_go(&run->running, tree, &child, buf_str(&run->input));
	return 0;
}

static int open_folder(struct call *call)
{
	const char *cwd = custom_of(call->op)->manifest->cwd;
	struct custom_failure failure = { .type = NULL };
	char reason[REASON_SIZE + 256];
	int fd = cwd ? open(cwd, O_PATH | O_DIRECTORY | O_CLOEXEC) : place_base_fd(call->caller);
	int number = fd >= 0 ? 0 : cwd ? errno : -fd;

	if (fd >= 0)
		return fd;
	snprintf(reason, sizeof reason, "cannot enter the folder '%.200s': %s",
		cwd ? cwd : place_base_path(call->caller), strerrordesc_np(number));
	failure.message = str_of(reason);
	custom_fail(call, &failure);
	return -1;
}

void custom_run(struct call *call)
{
	struct run *run = call_new(call, struct run);
	AUTOCLOSE int folder_fd = -1;

	if (!run) {
		call_fail(call);
		return;
	}
	run->call = call;
	capture_init(&run->captured, (size_t)call_limit(call, "max_result_bytes"));
	buf_init_budgeted(&run->input, SIZE_MAX / 2);
	buf_init_budgeted(&run->result, SIZE_MAX / 2);
	call->state = run;
	call->on_free = on_free;
	custom_of(call->op)->count->running++;
	folder_fd = open_folder(call);
	if (folder_fd < 0 || start_program(run, folder_fd) < 0) {
		call_fail(call);
		return;
	}
	call->on_gone = on_gone;
}
