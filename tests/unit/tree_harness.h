/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of trees share: scripts that are started, what happened to them, waiting with a deadline. */
#pragma once

#include "spawn/tree.h"

#include "base/buf.h"
#include "base/clock.h"
#include "old_kernel.h"
#include "spawn/cgroup.h"
#include "spawn/members.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define DEADLINE_NS (60 * NS_PER_S)
/* Of those who obey.  One that misses the signal in the middle of a fork, which is rare, is killed after it. */
#define LONG_GRACE_NS (10 * NS_PER_S)

static struct loop *loop;
static const char *const plain_env[] = { "PATH=/usr/bin:/bin", "ABX_RUN_ID=foreign", NULL };

/* What happened to one tree. */
struct seen {
	struct tree *tree;
	struct tree_exit exit;
	bool exited, gone;
	bool free_on_exit, free_on_gone;
	int64_t gone_at_ns;
};

static inline void on_exit_seen(struct tree *tree, const struct tree_exit *e, void *user)
{
	struct seen *s = user;

	s->exit = *e;
	s->exited = true;
	if (s->free_on_exit) {
		tree_free(tree);
		s->tree = NULL;
	}
	loop_stop(loop);
}

static inline void on_gone_seen(struct tree *tree, void *user)
{
	struct seen *s = user;

	s->gone = true;
	s->gone_at_ns = clock_now_ns();
	if (s->free_on_gone) {
		tree_free(tree);
		s->tree = NULL;
	}
	loop_stop(loop);
}

static const struct tree_events events = { .on_exit = on_exit_seen, .on_gone = on_gone_seen };

static bool too_late;

static inline void on_late(struct timer *t)
{
	(void)t;
	too_late = true;
	loop_stop(loop);
}

static inline void on_tick(struct timer *t)
{
	(void)t;
	loop_stop(loop);
}

/* Runs the loop until something is so; fails when that takes too long. */
static inline void run_until_named(bool (*is_so)(void *), void *arg, const char *name)
{
	struct timer late = { 0 }, tick = { 0 };

	too_late = false;
	timer_start(&late, loop, DEADLINE_NS, on_late);
	while (!is_so(arg) && !too_late) {
		timer_start(&tick, loop, 2 * NS_PER_MS, on_tick);
		loop_run(loop);
	}
	timer_free(&late);
	timer_free(&tick);
	if (too_late)
		fail_msg("not in time: %s", name);
}

#define run_until(is_so, arg) run_until_named(is_so, arg, #is_so "(" #arg ")")

static inline bool has_exited(void *arg)
{
	return ((struct seen *)arg)->exited;
}

static inline bool is_gone(void *arg)
{
	return ((struct seen *)arg)->gone;
}

struct wanted {
	struct tree *tree;
	size_t count;
};

static inline bool has_descendants(void *arg)
{
	const struct wanted *w = arg;

	return tree_descendants(w->tree) == w->count;
}

static inline void wait_for_descendants(struct tree *tree, size_t count)
{
	struct wanted w = { tree, count };

	run_until(has_descendants, &w);
}

/* The kernel counts small numbers of pages late. */
static inline bool uses_memory(void *arg)
{
	int64_t rss;
	double cpu;

	tree_usage(arg, &cpu, &rss);
	return rss > 0 && cpu >= 0;
}

static inline bool has_no_children(void *arg)
{
	siginfo_t info;

	(void)arg;
	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD;
}

static inline bool start_with(struct seen *s, struct spawn *what, const char *script, struct child *ret_child)
{
	const char *argv[] = { "/bin/sh", "-c", script, NULL };
	struct spawn_failure failure;
	struct err err;

	what->argv = argv;
	what->env = plain_env;
	s->tree = tree_start(loop, what, &events, s, ret_child, &failure, &err);
	what->argv = NULL;
	return s->tree != NULL;
}

static inline void start(struct seen *s, const char *script)
{
	struct spawn what = SPAWN_INIT;
	struct child child;

	assert_true(start_with(s, &what, script, &child));
	assert_int_equal(child.pid_fd, -1);
}

/* Starts a script that prints "ready" once it is set up, and waits for that. */
static inline int start_ready(struct seen *s, const char *script)
{
	struct spawn what = SPAWN_INIT;
	struct child child;
	char text[64];

	what.out = SPAWN_PIPE;
	assert_true(start_with(s, &what, script, &child));
	fcntl(child.out, F_SETFL, 0);
	assert_true(read(child.out, text, sizeof text) > 0);
	return child.out;
}

/* How many processes carry a tree's mark or sit below us, by an independent look. */
static inline unsigned living_below(void)
{
	struct members m CLEANUP(members_free) = { 0 };
	struct members_of whose = { .mark = "ABX_RUN_ID=r", .mark_is_prefix = true };

	assert_int_equal(members_find(&m, &whose), 0);
	return (unsigned)m.count;
}

static inline void end_and_check(struct seen *s, int64_t grace_ns, int64_t at_least_ns)
{
	int64_t before = clock_now_ns();

	tree_end(s->tree, grace_ns);
	assert_false(s->gone);
	run_until(is_gone, s);
	assert_true(s->exited);
	assert_int_equal(living_below(), 0);
	assert_true(s->gone_at_ns - before >= at_least_ns);
	assert_int_equal(tree_descendants(s->tree), 0);
	assert_int_equal(tree_signal(s->tree, SIGTERM, true), -ESRCH);
	tree_free(s->tree);
	run_until(has_no_children, NULL);
}

static bool wants_cgroups;

static inline int set_up(void **state)
{
	(void)state;
	loop = loop_new();
	return tree_init(loop, wants_cgroups);
}

static inline int tear_down(void **state)
{
	(void)state;
	tree_shutdown();
	loop_free(loop);
	return 0;
}

static inline int use_cgroups(void **state)
{
	(void)state;
	wants_cgroups = true;
	return 0;
}

static inline bool machine_has_cgroups(void)
{
	bool has;

	loop = loop_new();
	assert_int_equal(tree_init(loop, true), 0);
	has = tree_has_cgroups();
	tree_shutdown();
	loop_free(loop);
	if (!has)
		print_message("skipped: the run with cgroups; this machine has no cgroup v2 that we may write\n");
	return has;
}

/* All tests with /proc alone, with cgroups, and with both on a kernel that knows neither clone3, pidfds nor cgroup.kill. */
#define RUN_EVERYWHERE(tests) \
	({ \
		int failed_ = cmocka_run_group_tests_name("with /proc", tests, NULL, NULL), status_; \
		pid_t old_; \
\
		if (machine_has_cgroups()) \
			failed_ += cmocka_run_group_tests_name("with cgroups", tests, use_cgroups, NULL); \
		fflush(NULL); \
		old_ = fork(); \
		if (old_ == 0) { \
			become_old(); \
			wants_cgroups = false; \
			failed_ = cmocka_run_group_tests_name("old kernel, /proc", tests, NULL, NULL); \
			cgroup_set_kill(false); \
			if (machine_has_cgroups()) \
				failed_ += cmocka_run_group_tests_name( \
					"old kernel, cgroups", tests, use_cgroups, NULL); \
			exit(failed_ ? 1 : 0); \
		} \
		waitpid(old_, &status_, 0); \
		failed_ + (status_ != 0); \
	})
