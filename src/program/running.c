/* SPDX-License-Identifier: Apache-2.0 */
#include "program/running.h"

#include "base/clock.h"

/* From SIGTERM to SIGKILL. */
#define GRACE_NS (2 * NS_PER_S)

static void check_done(struct running *r)
{
	if (r->exited && r->drained && (!r->ending || r->gone))
		r->events->on_done(r);
}

static void on_leader_exit(struct tree *tree, const struct tree_exit *exit, void *user)
{
	struct running *r = user;

	(void)tree;
	r->exit = *exit;
	r->exited = true;
	r->duration_ns = clock_now_ns() - r->started_ns;
	timer_stop(&r->timeout);
	pipes_exited(&r->pipes); /* may be the end of r */
}

static void on_gone(struct tree *tree, void *user)
{
	struct running *r = user;

	(void)tree;
	r->gone = true;
	check_done(r);
}

static size_t room(struct pipes *p)
{
	struct running *r = OWNER(p, struct running, pipes);

	return r->events->room ? r->events->room(r) : SIZE_MAX;
}

static void on_bytes(struct pipes *p, unsigned stream, struct str bytes)
{
	struct running *r = OWNER(p, struct running, pipes);

	r->events->on_bytes(r, stream, bytes);
}

static void on_closed(struct pipes *p, unsigned stream)
{
	struct running *r = OWNER(p, struct running, pipes);

	if (r->events->on_closed)
		r->events->on_closed(r, stream);
}

static void on_pipes_end(struct pipes *p, bool held)
{
	struct running *r = OWNER(p, struct running, pipes);

	r->drained = true;
	r->held = held;
	check_done(r);
}

const struct tree_events running_tree_events = { .on_exit = on_leader_exit, .on_gone = on_gone };
static const struct pipes_events pipes_events = {
	.room = room, .on_bytes = on_bytes, .on_closed = on_closed, .on_end = on_pipes_end
};

static void end_tree(struct running *r)
{
	if (r->ending)
		return;
	r->ending = true;
	timer_stop(&r->timeout);
	pipes_close_input(&r->pipes);
	tree_end(r->tree, GRACE_NS);
}

static void on_timeout(struct timer *t)
{
	struct running *r = OWNER(t, struct running, timeout);

	r->timed_out = true;
	end_tree(r);
}

void running_init(struct running *r, struct loop *loop, double timeout_s, const struct running_events *events)
{
	*r = (struct running){ .events = events, .loop = loop, .timeout_s = timeout_s, .started_ns = clock_now_ns() };
}

void running_go(struct running *r, struct tree *tree, const struct child *child, struct str input)
{
	r->tree = tree;
	r->pid = child->pid;
	pipes_start(&r->pipes, r->loop, child->in, child->out, child->err, &pipes_events);
	if (input.p)
		pipes_feed(&r->pipes, input);
	if (r->timeout_s > 0)
		timer_start(&r->timeout, r->loop, (int64_t)(r->timeout_s * (double)NS_PER_S), on_timeout);
}

int running_start(struct running *r, struct call *call, const struct command *command, double timeout_s,
	const struct running_events *events)
{
	struct child child;
	struct tree *tree;

	running_init(r, call->loop, timeout_s, events);
	tree = command_start(call, command, 0, &running_tree_events, r, &child);
	if (!tree)
		return -1;
	running_go(r, tree, &child, command_input(command));
	return 0;
}

void running_cancel(struct running *r)
{
	end_tree(r);
	/* Whoever waited for the reader need not wait any longer. */
	pipes_resume(&r->pipes);
}

void running_free(struct running *r)
{
	pipes_stop(&r->pipes);
	timer_free(&r->timeout);
	tree_free(r->tree);
}
