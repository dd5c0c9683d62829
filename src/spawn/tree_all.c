/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of all trees, and of the strays that freed ones left alone.
 */
#include "base/clock.h"
#include "spawn/tree_internal.h"

#include <signal.h>
#include <stdio.h>

enum { KILL_ROUNDS = 100 };

#define TICK_NS (10 * NS_PER_MS)

static struct {
	struct loop *loop;
	struct timer timer;
	int64_t deadline_ns; /* of those that no cgroup holds; trees have their own */
	void (*fn)(void);    /* NULL before the end */
} all;

/* All marked ones of this server, whichever tree they are of, and what descends from them. */
static void find_marked(struct members *m, bool leaders)
{
	char mark[sizeof TREE_MARK + TREE_PREFIX_LEN];
	struct members_of whose = { .mark = mark, .mark_is_prefix = true, .leaders = leaders };

	snprintf(mark, sizeof mark, TREE_MARK "%s", tree_prefix());
	if (members_find(m, &whose) < 0)
		m->count = 0;
}

/* Whoever is gone meanwhile does not need it. */
static void send_to(const struct members *m, bool by_cgroup, int number)
{
	for (size_t i = 0; i < m->count; i++) {
		int result = by_cgroup ? cgroup_signal(NULL, &m->all[i], number) : member_signal(&m->all[i], number);

		(void)result;
	}
}

void tree_end_strays(void)
{
	struct members m CLEANUP(members_free) = { 0 };

	cgroup_members(NULL, &m);
	send_to(&m, true, SIGTERM);
	send_to(&m, true, SIGCONT);
	find_marked(&m, !cgroup_available() && all.fn);
	send_to(&m, false, SIGTERM);
	send_to(&m, false, SIGCONT);
}

static void kill_marked(void)
{
	struct members m CLEANUP(members_free) = { 0 };

	for (int round = 0; round < KILL_ROUNDS; round++) {
		find_marked(&m, !cgroup_available());
		if (m.count == 0)
			return;
		send_to(&m, false, SIGSTOP);
		send_to(&m, false, SIGKILL);
	}
}

void tree_kill_all(void)
{
	struct members m CLEANUP(members_free) = { 0 };

	kill_marked();
	/* Those without a mark, where the kernel has no cgroup.kill. */
	cgroup_members(NULL, &m);
	send_to(&m, true, SIGKILL);
}

static bool any_left(void)
{
	struct members m CLEANUP(members_free) = { 0 };

	cgroup_members(NULL, &m);
	if (m.count == 0)
		find_marked(&m, !cgroup_available());
	return m.count > 0;
}

static void on_tick(struct timer *t)
{
	if (tree_any_ending() || (clock_now_ns() < all.deadline_ns && any_left())) {
		timer_start(t, all.loop, TICK_NS, on_tick);
		return;
	}
	timer_free(t);
	all.fn();
}

/*
 * With cgroups each tree is ended for itself.  Without, each look at one would be a walk of
 * /proc: all are found in one, and what does not heed SIGTERM is killed at the shutdown.
 */
void tree_end_all(struct loop *loop, int64_t grace_ns, void (*fn)(void))
{
	all.loop = loop;
	all.fn = fn;
	all.deadline_ns = clock_now_ns() + grace_ns;
	if (cgroup_available()) {
		LIST_EACH(node, &tree_all)
		tree_begin_end(OWNER(node, struct tree, node), grace_ns);
	}
	tree_end_strays();
	timer_start(&all.timer, loop, 0, on_tick);
}
