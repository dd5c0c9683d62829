/* SPDX-License-Identifier: Apache-2.0 */
#include "program/program.h"

#include "policy/policy.h"
#include "program/launch.h"

#include <fcntl.h>

static void on_bytes(struct running *r, unsigned stream, struct str bytes)
{
	capture_add(&OWNER(r, struct program, running)->output[stream], bytes);
}

static void on_done(struct running *r)
{
	struct program *p = OWNER(r, struct program, running);

	p->on_done(p);
}

static const struct running_events events = { .on_bytes = on_bytes, .on_done = on_done };

static int start(struct program *p, const struct program_plan *plan, int dir_fd)
{
	struct spawn spawn = SPAWN_INIT;
	struct child child;
	struct tree *tree;

	spawn.argv = plan->argv;
	spawn.env = plan->env;
	spawn.dir_fd = dir_fd;
	spawn.dir_name = plan->dir_name;
	spawn.in = plan->input.p ? SPAWN_PIPE : SPAWN_NULL;
	spawn.out = spawn.err = SPAWN_PIPE;
	spawn.extra_fd = plan->extra_fd;
	spawn.extra_as = plan->extra_fd < 0 ? -1 : plan->extra_as;
	if (launch_prepare(p->call, NULL, &spawn) < 0)
		return -1;
	tree = launch(p->call, &spawn, &running_tree_events, &p->running, &child);
	if (!tree)
		return -1;
	running_go(&p->running, tree, &child, plan->input);
	return 0;
}

int program_start(struct program *p, struct call *call, const struct program_plan *plan, program_fn *on_done_fn)
{
	AUTOCLOSE int top = plan->dir_fd < 0 ? open("/", O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	if (!plan->env)
		return err_set(&call->err, ERR_BUSY, "the environment needs more memory than is left");
	*p = (struct program){ .call = call, .on_done = on_done_fn };
	running_init(&p->running, call->loop, plan->timeout_s, &events);
	capture_init(&p->output[PIPES_OUT], plan->max_bytes);
	capture_init(&p->output[PIPES_ERR], plan->max_bytes);
	if (start(p, plan, plan->dir_fd < 0 ? top : plan->dir_fd) == 0)
		return 0;
	*p = (struct program){ 0 };
	return -1;
}

void program_cancel(struct program *p)
{
	running_cancel(&p->running);
}

void program_free(struct program *p)
{
	if (!p->call)
		return;
	running_free(&p->running);
	capture_free(&p->output[PIPES_OUT]);
	capture_free(&p->output[PIPES_ERR]);
	*p = (struct program){ 0 };
}

struct str program_output(const struct program *p, unsigned stream)
{
	return capture_bytes(&p->output[stream], false);
}

bool program_truncated(const struct program *p, unsigned stream)
{
	return capture_truncated(&p->output[stream]);
}

bool program_starved(const struct program *p, unsigned stream)
{
	return program_truncated(p, stream) && p->output[stream].len < p->output[stream].max;
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
