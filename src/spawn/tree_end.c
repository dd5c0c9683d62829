/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "spawn/tree_internal.h"

#include <signal.h>
#include <stdlib.h>

#define POLL_FIRST_NS (2 * NS_PER_MS)
#define POLL_LAST_NS (16 * NS_PER_MS)
#define POLL_SOON_NS NS_PER_MS
#define GIVE_UP_NS (10 * NS_PER_S) /* after SIGKILL; only what hangs in the kernel lives that long */
#define CHASE_ONE_NS (3 * NS_PER_MS)
#define CHASE_NS (500 * NS_PER_MS) /* how long to stop all before any is killed */

enum { STOP_PASSES = 8 };

static struct tree *ending;

static void on_poll(struct timer *timer);

static void poll_after(struct tree *t, int64_t after_ns)
{
	t->poll_at_ns = clock_now_ns() + after_ns;
	timer_start(&t->timer, t->loop, after_ns, on_poll);
}

static int64_t soon(const struct tree *t)
{
	/* Where a look is dear, looking must not be all that is done. */
	return MAX(POLL_SOON_NS, 2 * t->look_ns);
}

void tree_poll_soon(void)
{
	int64_t now = clock_now_ns();

	for (struct tree *t = ending; t; t = t->next_ending) {
		t->wait_ns = POLL_FIRST_NS;
		if (t->poll_at_ns > now + soon(t))
			poll_after(t, soon(t));
	}
}

static void link_ending(struct tree *t)
{
	t->prev_ending = NULL;
	t->next_ending = ending;
	if (ending)
		ending->prev_ending = t;
	ending = t;
}

void tree_stop_ending(struct tree *t)
{
	timer_free(&t->timer);
	if (t->stage == TREE_RUNS)
		return;
	if (t->stage == TREE_IS_KILLED && t->cgroup)
		cgroup_freeze(t->cgroup, false);
	if (t->next_ending)
		t->next_ending->prev_ending = t->prev_ending;
	if (t->prev_ending)
		t->prev_ending->next_ending = t->next_ending;
	else
		ending = t->next_ending;
	t->stage = TREE_RUNS;
}

static struct member *told(const struct tree *t, const struct member *one)
{
	for (size_t i = 0; i < t->told.count; i++) {
		if (t->told.all[i].pid == one->pid && t->told.all[i].start == one->start)
			return &t->told.all[i];
	}
	return NULL;
}

static bool is_orphan(const struct tree *t, const struct member *one)
{
	for (size_t i = 0; i < t->seen.count; i++) {
		if (t->seen.all[i].pid == one->parent)
			return false;
	}
	return true;
}

/* How many of those seen now were not told yet, and are. */
static size_t stop_new(struct tree *t)
{
	size_t count = 0;

	tree_look(t);
	for (size_t i = 0; i < t->seen.count; i++) {
		const struct member *one = &t->seen.all[i];

		if (!told(t, one) && tree_signal_member(t, one, SIGSTOP) == 0) {
			members_add(&t->told, one);
			count++;
		}
	}
	return count;
}

static void tell(struct tree *t, const struct member *one)
{
	if (tree_signal_member(t, one, SIGTERM) < 0)
		return;
	/* A stopped one has to wake up to obey. */
	if (tree_signal_member(t, one, SIGCONT) < 0)
		return;
}

/*
 * First all; later those whom their parent's end made orphans, once: they were forked just
 * then and missed the signal, or took it in the moment in which a forked shell still had its
 * parent's handler.  What a handler starts in order to clean up has a parent, and is let be.
 */
static void terminate(struct tree *t, bool first)
{
	tree_look(t);
	for (size_t i = 0; i < t->seen.count; i++) {
		struct member one = t->seen.all[i], *before = told(t, &one);
		bool orphan = is_orphan(t, &one);

		if (!(before ? orphan && !before->is_orphan : orphan || first))
			continue;
		one.is_orphan = orphan;
		if (before)
			before->is_orphan = true;
		else
			members_add(&t->told, &one);
		tell(t, &one);
	}
}

static void kill_seen(struct tree *t)
{
	for (size_t i = 0; i < t->seen.count; i++) {
		if (tree_signal_member(t, &t->seen.all[i], SIGKILL) < 0)
			continue; /* gone; the next look tells */
	}
}

/* Stopped ones cannot fork, and hold the places that others would fork into; then all die at once. */
static void stop_and_kill(struct tree *t)
{
	for (int pass = 0; pass < STOP_PASSES; pass++) {
		if (stop_new(t) == 0) {
			kill_seen(t);
			t->told.count = 0;
			if (t->seen.unsettled)
				tree_chase(t, CHASE_ONE_NS);
			return;
		}
	}
	if (clock_now_ns() > t->kill_at_ns + CHASE_NS) {
		kill_seen(t);
		t->told.count = 0;
	}
}

static void kill_all(struct tree *t)
{
	if (t->stage != TREE_IS_KILLED) {
		t->stage = TREE_IS_KILLED;
		t->told.count = 0;
		t->wait_ns = POLL_FIRST_NS;
	}
	/* Also where the rest cannot be seen. */
	if (!t->exited && tree_signal_leader(t, SIGKILL) < 0)
		t->wait_ns = POLL_FIRST_NS;
	if (!t->cgroup) {
		stop_and_kill(t);
	} else if (!cgroup_kill(t->cgroup)) {
		cgroup_freeze(t->cgroup, true);
		tree_look(t);
		kill_seen(t);
	}
}

/* In /proc one may slip through a look while it forks; not through two, when all were told to stop. */
static bool is_gone(struct tree *t)
{
	if (!t->exited)
		return false;
	if (t->cgroup)
		return cgroup_is_empty(t->cgroup);
	tree_look(t);
	if (t->seen.count || t->seen.unsettled)
		return false;
	tree_look(t);
	return t->seen.count == 0 && !t->seen.unsettled;
}

static void on_poll(struct timer *timer)
{
	struct tree *t = OWNER(timer, struct tree, timer);
	int64_t now = clock_now_ns();

	if (is_gone(t) || now >= t->give_up_at_ns) {
		tree_stop_ending(t);
		if (t->owner_waits && t->events && t->events->on_gone)
			t->events->on_gone(t, t->user);
		return;
	}
	if (now >= t->kill_at_ns)
		kill_all(t);
	else
		terminate(t, false);
	t->wait_ns = MAX(MIN(t->wait_ns * 2, POLL_LAST_NS), soon(t));
	if (t->stage == TREE_TERMINATES)
		poll_after(t, MIN(t->wait_ns, MAX(t->kill_at_ns - now, 0)));
	else
		poll_after(t, t->wait_ns);
}

bool tree_any_ending(void)
{
	return ending != NULL;
}

void tree_end(struct tree *tree, int64_t grace_ns)
{
	tree->owner_waits = true;
	tree_begin_end(tree, grace_ns);
}

void tree_begin_end(struct tree *tree, int64_t grace_ns)
{
	int64_t now = clock_now_ns();
	int64_t kill_at = grace_ns > 0 ? now + grace_ns : now;

	if (tree->stage != TREE_RUNS) {
		tree->kill_at_ns = MIN(tree->kill_at_ns, kill_at);
		tree->give_up_at_ns = tree->kill_at_ns + GIVE_UP_NS;
		if (tree->stage == TREE_TERMINATES)
			poll_after(tree, MIN(grace_ns > 0 ? grace_ns : 0, POLL_FIRST_NS));
		return;
	}
	tree->kill_at_ns = kill_at;
	tree->give_up_at_ns = kill_at + GIVE_UP_NS;
	tree->stage = TREE_TERMINATES;
	tree->wait_ns = POLL_FIRST_NS;
	link_ending(tree);
	tree->told.count = 0;
	if (grace_ns > 0)
		terminate(tree, true);
	poll_after(tree, grace_ns > 0 ? POLL_SOON_NS : 0);
}
