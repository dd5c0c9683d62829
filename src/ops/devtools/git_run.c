/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/devtools/git_run.h"

#include "base/utf8.h"
#include "policy/place.h"
#include "policy/policy.h"

#include <errno.h>

enum { SECONDS_DEFAULT = 60, SECONDS_MAX = 300, ARGS_FIRST = 32 };

const struct limit git_limits[] = {
	{ "max_seconds", SECONDS_DEFAULT, SECONDS_MAX, ERR_COMMANDS_TIMEOUT, "Seconds until git is ended." },
	{ .name = NULL },
};

/* For every call; the view of the repository says nothing of these already. */
static const char *const common_args[] = { "git", "--no-pager", "--no-optional-locks", "-c", "core.fsmonitor=false",
	"-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false", "-c", "status.renames=copies", "-c",
	"submodule.recurse=false" };

static const struct {
	const char *name, *value;
} common_env[] = {
	{ "GIT_CONFIG_NOSYSTEM", "1" },
	{ "GIT_CONFIG_GLOBAL", "/dev/null" },
	{ "GIT_CONFIG_SYSTEM", "/dev/null" },
	{ "GIT_ATTR_NOSYSTEM", "1" },
	{ "GIT_OPTIONAL_LOCKS", "0" },
	{ "GIT_TERMINAL_PROMPT", "0" },
	{ "GIT_NO_LAZY_FETCH", "1" },
	{ "GIT_ALLOW_PROTOCOL", "none" },
	{ "GIT_PAGER", "cat" },
};

void git_arg(struct git_run *run, const char *arg)
{
	if (run->argc + 1 >= run->argv_size) {
		size_t size = run->argv_size ? run->argv_size * 2 : ARGS_FIRST;
		const char **grown = arena_array(&run->call->arena, const char *, size);

		if (!grown)
			arg = NULL;
		if (grown && run->argc)
			memcpy(grown, run->argv, run->argc * sizeof *grown);
		if (grown) {
			run->argv = grown;
			run->argv_size = size;
		}
	}
	if (arg)
		run->argv[run->argc++] = arg;
	else
		run->status = -1;
}

static void prepare(struct job *job)
{
	struct git_run *run = OWNER(job, struct git_run, job);
	struct call *call = run->call;

	run->folder_fd = place_open_dir(run->path->place);
	if (run->folder_fd < 0) {
		run->status = err_system(&call->err, -run->folder_fd, "'%s'", run->path->place->given);
		return;
	}
	if (git_repo_open(call, run->path->place, &run->repo) < 0) {
		run->status = -1;
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(common_args); i++)
		git_arg(run, common_args[i]);
	if (run->kind->plan(run) < 0)
		run->status = -1;
	else if (run->status < 0)
		err_set(&call->err, ERR_BUSY, "the call needs more memory than is left");
}

static const char *const *make_env(struct git_run *run, struct child_env *env)
{
	child_env_init(env, &run->call->arena);
	program_clean_env(run->call, env);
	for (size_t i = 0; i < ARRAY_LEN(common_env); i++)
		child_env_put(env, common_env[i].name, str_of(common_env[i].value));
	child_env_put(env, "GIT_DIR", str_of(run->repo.git_dir));
	child_env_put(env, "GIT_COMMON_DIR", str_of(run->repo.view));
	child_env_put(env, "GIT_WORK_TREE", str_of(run->repo.top));
	return child_env_items(env);
}

static void end(struct git_run *run)
{
	close_fd(run->folder_fd);
	run->folder_fd = -1;
	git_repo_close(&run->repo);
}

static void finished(struct job *job)
{
	struct git_run *run = OWNER(job, struct git_run, job);

	if (run->status < 0)
		call_fail(run->call);
	else
		call_reply(run->call, run->out);
}

/* The first line that git complained with; one that names the view would tell of a path that nobody knows. */
static int complain(struct git_run *run)
{
	struct str said = program_output(&run->program, PIPES_ERR);
	struct str line = str_cut(&said, '\n');

	if (str_starts(line, "fatal: ") || str_starts(line, "error: ")) {
		line.p += strlen("fatal: ");
		line.len -= strlen("fatal: ");
	}
	if (line.len == 0 || memmem(line.p, line.len, run->repo.view, strlen(run->repo.view)))
		line = STR("it did not say why");
	return err_set(&run->call->err, ERR_GIT_FAILED, "git %s failed: %.*s", run->kind->name, (int)MIN(line.len, 300),
		line.p);
}

static void finish(struct job *job)
{
	struct git_run *run = OWNER(job, struct git_run, job);
	const struct program *p = &run->program;

	if (p->running.timed_out)
		run->status = err_set(&run->call->err, ERR_COMMANDS_TIMEOUT, "git %s took more than %lld seconds",
			run->kind->name, (long long)call_limit(run->call, "max_seconds"));
	else if (p->running.exit.code != 0)
		run->status = complain(run);
	else if (program_starved(p, PIPES_OUT))
		run->status = err_set(&run->call->err, ERR_BUSY, "the answer needs more memory than is left");
	else
		run->status = run->kind->read(run);
	end(run);
}

static void on_done(struct program *p)
{
	struct git_run *run = OWNER(p, struct git_run, program);

	if (call_job(run->call, &run->job, LANE_SHORT, finish, finished) < 0) {
		end(run);
		call_fail(run->call);
	}
}

static int start_git(struct git_run *run)
{
	struct call *call = run->call;
	struct child_env env;
	struct program_plan plan = {
		.argv = run->argv,
		.env = make_env(run, &env),
		.dir_fd = run->folder_fd,
		.dir_name = str_of(run->path->place->given),
		.extra_fd = -1,
		.timeout_s = (double)call_limit(call, "max_seconds"),
		.max_bytes = run->kind->max_bytes,
	};

	if (program_start(&run->program, call, &plan, on_done) == 0)
		return 0;
	if (call->err.code == ERR_COMMANDS_START && call->err.sys_errno == ENOENT) {
		call->err.details = NULL;
		return err_set(&call->err, ERR_RUNTIME_UNAVAILABLE, "there is no git here");
	}
	return -1;
}

static void prepared(struct job *job)
{
	struct git_run *run = OWNER(job, struct git_run, job);

	if (run->status < 0 || run->call->gone || start_git(run) < 0) {
		end(run);
		call_fail(run->call);
	}
}

static void on_gone(struct call *call)
{
	struct git_run *run = call->state;

	if (run->program.call && !run->program.running.exited)
		program_cancel(&run->program);
}

static void on_free(struct call *call)
{
	program_free(&((struct git_run *)call->state)->program);
}

struct str git_exact(struct str path)
{
	return utf8_valid(path) ? (struct str){ NULL, 0 } : path;
}

void git_start(struct call *call, const struct git_kind *kind, const struct path_arg *path)
{
	struct git_run *run = call_new(call, struct git_run);

	if (!run) {
		call_fail(call);
		return;
	}
	run->out = call_alloc(call, call->op->result_size);
	run->call = call;
	run->kind = kind;
	run->path = path;
	run->folder_fd = -1;
	call->state = run;
	call->on_free = on_free;
	call->on_gone = on_gone;
	if (!run->out || call_job(call, &run->job, LANE_SHORT, prepare, prepared) < 0)
		call_fail(call);
}
