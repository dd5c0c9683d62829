/* SPDX-License-Identifier: Apache-2.0 */
#include "program/program.h"

#include "base/clock.h"
#include "policy/policy.h"
#include "program/confine.h"
#include "spawn/failure.h"
#include "spawn/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>

/* From SIGTERM to SIGKILL. */
#define GRACE_NS (2 * NS_PER_S)

static void check_done(struct program *p)
{
	if (p->exited && p->drained && (!p->ending || p->gone))
		p->on_done(p);
}

static void on_exit_of(struct tree *tree, const struct tree_exit *exit, void *user)
{
	struct program *p = user;

	(void)tree;
	p->exit = *exit;
	p->exited = true;
	p->duration_ns = clock_now_ns() - p->started_ns;
	timer_stop(&p->timeout);
	pipes_exited(&p->pipes); /* may be the end of p */
}

static void on_gone(struct tree *tree, void *user)
{
	struct program *p = user;

	(void)tree;
	p->gone = true;
	check_done(p);
}

static void on_bytes(struct pipes *pipes, unsigned stream, struct str bytes)
{
	struct program *p = OWNER(pipes, struct program, pipes);
	struct buf *output = &p->output[stream];
	size_t room = p->max_bytes - output->len;

	/* What comes behind a hole is not wanted. */
	if (p->total[stream] == output->len)
		buf_add(output, bytes.p, MIN(bytes.len, room));
	p->total[stream] += bytes.len;
}

static void on_end(struct pipes *pipes, bool held)
{
	struct program *p = OWNER(pipes, struct program, pipes);

	(void)held;
	p->drained = true;
	check_done(p);
}

static const struct tree_events tree_events = { .on_exit = on_exit_of, .on_gone = on_gone };
static const struct pipes_events pipes_events = { .on_bytes = on_bytes, .on_end = on_end };

void program_cancel(struct program *p)
{
	if (p->ending)
		return;
	p->ending = true;
	timer_stop(&p->timeout);
	pipes_close_input(&p->pipes);
	tree_end(p->tree, GRACE_NS);
}

static void on_timeout(struct timer *t)
{
	struct program *p = OWNER(t, struct program, timeout);

	p->timed_out = true;
	program_cancel(p);
}

static void fill_in_user(struct call *call, struct spawn *spawn)
{
	const struct run_as *user = policy_user(principal_policy(call->caller), NULL);

	if (!user)
		return;
	spawn->set_user = true;
	spawn->uid = user->uid;
	spawn->gid = user->gid;
	spawn->groups = user->groups;
	spawn->group_count = user->group_count;
}

static void fill_in_limits(struct call *call, struct spawn *spawn)
{
	struct policy_rlimit limits[POLICY_RLIMITS_MAX];
	size_t count = policy_rlimits(principal_policy(call->caller), limits);

	spawn->limits[0].which = RLIMIT_NOFILE;
	spawn->limits[0].value = limits_of_children();
	spawn->limit_count = 1;
	for (size_t i = 0; i < count; i++) {
		spawn->limits[spawn->limit_count].which = limits[i].which;
		spawn->limits[spawn->limit_count++].value = limits[i].value;
	}
	spawn->umask = policy_umask(principal_policy(call->caller));
}

static struct tree *start(struct program *p, const struct program_plan *plan, int dir_fd, struct child *ret_child)
{
	struct call *call = p->call;
	struct spawn spawn = SPAWN_INIT;
	struct spawn_failure failure;
	struct tree *tree;

	spawn.argv = plan->argv;
	spawn.env = plan->env;
	spawn.dir_fd = dir_fd;
	spawn.in = plan->input.p ? SPAWN_PIPE : SPAWN_NULL;
	spawn.out = spawn.err = SPAWN_PIPE;
	spawn.extra_fd = plan->extra_fd;
	spawn.extra_as = plan->extra_fd < 0 ? -1 : plan->extra_as;
	spawn.death_signal = SIGKILL;
	fill_in_user(call, &spawn);
	fill_in_limits(call, &spawn);
	if (confine_apply(call->caller, &spawn, &call->err) < 0)
		return NULL;
	tree = tree_start(call->loop, &spawn, &tree_events, p, ret_child, &failure, &call->err);
	if (!tree && call->err.code == ERR_COMMANDS_START) {
		failure_set(
			&call->err, &call->arena, failure.step, failure.number, str_of(plan->argv[0]), failure.reason);
		call->err.sys_errno = failure.number;
	}
	return tree;
}

int program_start(struct program *p, struct call *call, const struct program_plan *plan, program_fn *on_done)
{
	AUTOCLOSE int top = plan->dir_fd < 0 ? open("/", O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	struct child child;

	if (!plan->env)
		return err_set(&call->err, ERR_BUSY, "the environment needs more memory than is left");
	*p = (struct program){ .call = call, .on_done = on_done, .max_bytes = plan->max_bytes };
	p->started_ns = clock_now_ns();
	p->tree = start(p, plan, plan->dir_fd < 0 ? top : plan->dir_fd, &child);
	if (!p->tree) {
		*p = (struct program){ 0 };
		return -1;
	}
	buf_init_budgeted(&p->output[PIPES_OUT], plan->max_bytes);
	buf_init_budgeted(&p->output[PIPES_ERR], plan->max_bytes);
	pipes_start(&p->pipes, call->loop, child.in, child.out, child.err, &pipes_events);
	if (plan->input.p)
		pipes_feed(&p->pipes, plan->input);
	timer_start(&p->timeout, call->loop, (int64_t)(plan->timeout_s * (double)NS_PER_S), on_timeout);
	return 0;
}

void program_free(struct program *p)
{
	if (!p->call)
		return;
	pipes_stop(&p->pipes);
	timer_free(&p->timeout);
	if (p->tree)
		tree_free(p->tree);
	buf_free(&p->output[PIPES_OUT]);
	buf_free(&p->output[PIPES_ERR]);
	*p = (struct program){ 0 };
}

struct str program_output(const struct program *p, unsigned stream)
{
	const struct buf *output = &p->output[stream];

	return output->data ? buf_str(output) : STR("");
}

bool program_truncated(const struct program *p, unsigned stream)
{
	return p->total[stream] > p->output[stream].len;
}

void program_clean_env(const struct call *call, struct child_env *env)
{
	struct child_env of_children;

	child_env_init(&of_children, env->arena);
	policy_child_env(principal_policy(call->caller), NULL, false, &of_children);
	if (child_env_get(&of_children, "PATH"))
		child_env_put(env, "PATH", str_of(child_env_get(&of_children, "PATH")));
	child_env_put(env, "HOME", STR("/nonexistent"));
	child_env_put(env, "LC_ALL", STR("C.UTF-8"));
}
