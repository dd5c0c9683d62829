/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program started ends with it, however it hides.  All tests run with /proc alone,
 * with cgroups, and with both on a kernel that knows neither clone3, pidfds nor cgroup.kill.
 */
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

#define DEADLINE_NS (20 * NS_PER_S)

enum { NOBODY = 54321, STORM_MAX = 100, HOPS_MAX = 100000 };

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

static void on_exit_seen(struct tree *tree, const struct tree_exit *e, void *user)
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

static void on_gone_seen(struct tree *tree, void *user)
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

static void on_late(struct timer *t)
{
	(void)t;
	too_late = true;
	loop_stop(loop);
}

static void on_tick(struct timer *t)
{
	(void)t;
	loop_stop(loop);
}

/* Runs the loop until something is so; fails when that takes too long. */
static void run_until(bool (*is_so)(void *), void *arg)
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
	assert_false(too_late);
}

static bool has_exited(void *arg)
{
	return ((struct seen *)arg)->exited;
}

static bool is_gone(void *arg)
{
	return ((struct seen *)arg)->gone;
}

struct wanted {
	struct tree *tree;
	size_t count;
};

static bool has_descendants(void *arg)
{
	const struct wanted *w = arg;

	return tree_descendants(w->tree) == w->count;
}

static void wait_for_descendants(struct tree *tree, size_t count)
{
	struct wanted w = { tree, count };

	run_until(has_descendants, &w);
}

/* The kernel counts small numbers of pages late. */
static bool uses_memory(void *arg)
{
	int64_t rss;
	double cpu;

	tree_usage(arg, &cpu, &rss);
	return rss > 0 && cpu >= 0;
}

static bool has_no_children(void *arg)
{
	siginfo_t info;

	(void)arg;
	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD;
}

static bool start_with(struct seen *s, struct spawn *what, const char *script, struct child *ret_child)
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

static void start(struct seen *s, const char *script)
{
	struct spawn what = SPAWN_INIT;
	struct child child;

	assert_true(start_with(s, &what, script, &child));
	assert_int_equal(child.pid_fd, -1);
}

/* Starts a script that prints "ready" once it is set up, and waits for that. */
static int start_ready(struct seen *s, const char *script)
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
static unsigned living_below(void)
{
	struct members m CLEANUP(members_free) = { 0 };
	struct members_of whose = { .mark = "ABX_RUN_ID=r", .mark_is_prefix = true };

	assert_int_equal(members_find(&m, &whose), 0);
	return (unsigned)m.count;
}

static void end_and_check(struct seen *s, int64_t grace_ns, int64_t at_least_ns, int64_t at_most_ns)
{
	int64_t before = clock_now_ns(), took;

	tree_end(s->tree, grace_ns);
	assert_false(s->gone);
	run_until(is_gone, s);
	took = s->gone_at_ns - before;
	assert_true(s->exited);
	assert_int_equal(living_below(), 0);
	if (took < at_least_ns || took > at_most_ns)
		fail_msg("took %ld ms", (long)(took / NS_PER_MS));
	assert_int_equal(tree_descendants(s->tree), 0);
	assert_int_equal(tree_signal(s->tree, SIGTERM, true), -ESRCH);
	tree_free(s->tree);
	run_until(has_no_children, NULL);
}

static void expect_exit(const char *script, int code, int signal_number)
{
	struct seen s = { 0 };

	start(&s, script);
	run_until(has_exited, &s);
	assert_int_equal(s.exit.code, code);
	assert_int_equal(s.exit.signal, signal_number);
	assert_false(s.exit.oom_killed);
	assert_true(s.exit.max_rss_bytes > 0);
	assert_true(tree_exited(s.tree));
	tree_free(s.tree);
}

static void test_exit_codes_and_signals(void **state)
{
	(void)state;
	expect_exit("exit 0", 0, 0);
	expect_exit("exit 3", 3, 0);
	expect_exit("exit 137", 137, 0);
	expect_exit("kill -TERM $$", 128 + SIGTERM, SIGTERM);
	expect_exit("kill -KILL $$", 128 + SIGKILL, SIGKILL);
}

static void test_ids_and_marks(void **state)
{
	struct seen a = { 0 }, b = { 0 };
	struct spawn what = SPAWN_INIT;
	struct child child;
	char text[128] = "", expected[128];

	(void)state;
	what.out = SPAWN_PIPE;
	assert_true(start_with(&a, &what, "env | grep ABX_; exec sleep 1000", &child));
	start(&b, "exec sleep 1000");
	fcntl(child.out, F_SETFL, 0);
	assert_true(read(child.out, text, sizeof text - 1) > 0);
	snprintf(expected, sizeof expected, "ABX_RUN_ID=%s\n", tree_id(a.tree));
	assert_string_equal(text, expected);
	assert_string_not_equal(tree_id(a.tree), tree_id(b.tree));
	assert_int_equal(tree_id(a.tree)[0], 'r');
	assert_true(strlen(tree_id(a.tree)) < TREE_ID_SIZE);
	close(child.out);
	tree_end(b.tree, NS_PER_S);
	run_until(is_gone, &b);
	tree_free(b.tree);
	end_and_check(&a, NS_PER_S, 0, NS_PER_S);
}

static void test_only_the_own_tree_is_ended(void **state)
{
	struct seen a = { 0 }, b = { 0 };
	pid_t foreign = fork();

	(void)state;
	if (foreign == 0) {
		pause();
		_exit(0);
	}
	close(start_ready(&a, "setsid sleep 1000 & echo ready; wait"));
	close(start_ready(&b, "setsid sleep 1000 & echo ready; wait"));
	tree_end(a.tree, 2 * NS_PER_S);
	run_until(is_gone, &a);
	assert_int_equal(tree_descendants(b.tree), 1);
	assert_false(b.exited);
	assert_int_equal(kill(foreign, 0), 0);
	assert_int_equal(waitpid(foreign, NULL, WNOHANG), 0);
	kill(foreign, SIGKILL);
	tree_free(a.tree);
	end_and_check(&b, 2 * NS_PER_S, 0, NS_PER_S);
}

static void test_those_who_obey_end_at_once(void **state)
{
	struct seen s = { 0 };

	(void)state;
	close(start_ready(&s, "sleep 1000 & setsid sleep 1001 & (sleep 1002; true) | cat & echo ready; wait"));
	end_and_check(&s, 2 * NS_PER_S, 0, 100 * NS_PER_MS);
}

static void test_double_forks_into_new_sessions(void **state)
{
	struct seen s = { 0 };

	(void)state;
	close(start_ready(&s, "(setsid sh -c 'sleep 1000 & (setsid sleep 1001 &) ; exec sleep 1002' & ) ; echo ready; exec sleep 1003"));
	wait_for_descendants(s.tree, 3);
	end_and_check(&s, 2 * NS_PER_S, 0, 200 * NS_PER_MS);
}

static void test_those_who_ignore_it_are_killed(void **state)
{
	struct seen s = { 0 };

	(void)state;
	close(start_ready(&s, "trap '' TERM INT HUP; (trap '' TERM; setsid sleep 1000) & echo ready; sleep 1001; sleep 1002"));
	end_and_check(&s, 150 * NS_PER_MS, 150 * NS_PER_MS, 400 * NS_PER_MS);
	assert_int_equal(s.exit.signal, SIGKILL);
	assert_false(s.exit.oom_killed);
}

static void test_grace_may_be_none_or_shortened(void **state)
{
	struct seen s = { 0 }, t = { 0 };

	(void)state;
	close(start_ready(&s, "trap '' TERM; echo ready; while :; do sleep 1000; done"));
	end_and_check(&s, 0, 0, 200 * NS_PER_MS);
	close(start_ready(&t, "trap '' TERM; echo ready; while :; do sleep 1000; done"));
	tree_end(t.tree, 100 * NS_PER_S);
	end_and_check(&t, 50 * NS_PER_MS, 50 * NS_PER_MS, 300 * NS_PER_MS);
}

static void test_a_handler_may_clean_up(void **state)
{
	struct seen s = { 0 };
	int out;
	char text[64] = "";

	(void)state;
	out = start_ready(&s, "trap 'sleep 0.2; echo cleaned; exit 5' TERM; echo ready; sleep 1000 & wait");
	end_and_check(&s, 5 * NS_PER_S, 200 * NS_PER_MS, NS_PER_S);
	assert_int_equal(s.exit.code, 5);
	assert_true(read(out, text, sizeof text - 1) > 0);
	assert_string_equal(text, "cleaned\n");
	close(out);
}

static void test_a_stopped_one_obeys(void **state)
{
	struct seen s = { 0 };

	(void)state;
	close(start_ready(&s, "echo ready; kill -STOP $$; sleep 1000"));
	end_and_check(&s, 5 * NS_PER_S, 0, 500 * NS_PER_MS);
	assert_int_equal(s.exit.signal, SIGTERM);
}

static bool user_is_limited(struct spawn *what)
{
	if (geteuid() != 0) {
		print_message("skipped: not root, so a storm could not be bounded by a user's own limit\n");
		return false;
	}
	what->set_user = true;
	what->uid = what->gid = NOBODY;
	what->limits[0].which = RLIMIT_NPROC;
	what->limits[0].value = (struct rlimit){ STORM_MAX, STORM_MAX };
	what->limit_count = 1;
	return true;
}

static void end_storm(const char *script)
{
	struct spawn what = SPAWN_INIT;
	struct seen s = { 0 };
	struct child child;
	char text[8];

	if (!user_is_limited(&what))
		return;
	what.out = SPAWN_PIPE;
	assert_true(start_with(&s, &what, script, &child));
	fcntl(child.out, F_SETFL, 0);
	assert_true(read(child.out, text, sizeof text) > 0);
	end_and_check(&s, 50 * NS_PER_MS, 0, 5 * NS_PER_S);
	child_close(&child);
}

static void test_a_fork_storm_loses(void **state)
{
	(void)state;
	end_storm("trap '' TERM; s() { while :; do s & sleep 0.01; done; }; s & s & sleep 0.3; echo ready; s");
}

/* Each lives only until it has forked the next; the number bounds the harm of a test that fails. */
static int run_from_pid_to_pid(bool with_sessions)
{
	signal(SIGTERM, SIG_IGN);
	if (fork() != 0) {
		puts("ready");
		fflush(stdout);
		pause();
	}
	for (int hops = 0; hops < HOPS_MAX; hops++) {
		if (fork() > 0)
			_exit(0);
		if (with_sessions)
			setsid();
	}
	return 0;
}

static void end_runner(const char *argument)
{
	char self[512] = "", script[600];
	struct seen s = { 0 };

	assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
	snprintf(script, sizeof script, "exec '%s' %s", self, argument);
	close(start_ready(&s, script));
	end_and_check(&s, 50 * NS_PER_MS, 50 * NS_PER_MS, 5 * NS_PER_S);
}

static void test_one_who_runs_from_pid_to_pid_loses(void **state)
{
	(void)state;
	end_runner("run");
	end_runner("run-with-sessions");
}

static void test_a_dead_leader_with_living_children(void **state)
{
	struct seen s = { 0 };
	char text[8];
	int out;

	(void)state;
	out = start_ready(&s, "sleep 1000 & setsid sleep 1001 & echo ready; exit 7");
	run_until(has_exited, &s);
	assert_int_equal(s.exit.code, 7);
	wait_for_descendants(s.tree, 2);
	run_until(uses_memory, s.tree);
	/* They hold the pipe: no end of file. */
	fcntl(out, F_SETFL, O_NONBLOCK);
	assert_int_equal(read(out, text, 1), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(tree_signal(s.tree, SIGTERM, false), -ESRCH);
	assert_int_equal(tree_signal(s.tree, 0, true), -EINVAL);
	assert_int_equal(tree_signal(s.tree, SIGTERM, true), 0);
	run_until(has_no_children, NULL);
	assert_int_equal(tree_descendants(s.tree), 0);
	assert_int_equal(tree_signal(s.tree, SIGTERM, true), -ESRCH);
	assert_int_equal(read(out, text, 1), 0);
	close(out);
	end_and_check(&s, NS_PER_S, 0, 100 * NS_PER_MS);
}

static void test_the_leader_alone_is_signalled(void **state)
{
	struct seen s = { 0 };

	(void)state;
	close(start_ready(&s, "sleep 1000 & echo ready; wait"));
	assert_int_equal(tree_signal(s.tree, SIGKILL, false), 0);
	run_until(has_exited, &s);
	assert_int_equal(s.exit.signal, SIGKILL);
	assert_int_equal(tree_descendants(s.tree), 1);
	end_and_check(&s, NS_PER_S, 0, 100 * NS_PER_MS);
}

static void test_callbacks_may_free(void **state)
{
	struct seen s = { .free_on_exit = true }, t = { .free_on_gone = true };

	(void)state;
	start(&s, "exit 1");
	run_until(has_exited, &s);
	close(start_ready(&t, "echo ready; sleep 1000"));
	tree_end(t.tree, NS_PER_S);
	run_until(is_gone, &t);
	assert_null(t.tree);
	run_until(has_no_children, NULL);
}

static void test_a_freed_tree_is_left_alone_and_reaped(void **state)
{
	struct seen s = { 0 };
	pid_t pid;

	(void)state;
	start(&s, "sleep 0.1");
	pid = tree_pid(s.tree);
	tree_free(s.tree);
	assert_int_equal(kill(pid, 0), 0);
	run_until(has_no_children, NULL);
	assert_false(s.exited);
}

static void test_orphans_leave_no_zombies(void **state)
{
	struct seen s[50];

	(void)state;
	memset(s, 0, sizeof s);
	for (size_t i = 0; i < ARRAY_LEN(s); i++)
		start(&s[i], "(sh -c 'sleep 0.02' &) ; (true &) ; true");
	for (size_t i = 0; i < ARRAY_LEN(s); i++) {
		run_until(has_exited, &s[i]);
		tree_free(s[i].tree);
	}
	run_until(has_no_children, NULL);
}

static void test_a_start_that_fails_leaves_nothing(void **state)
{
	const char *argv[] = { "/no/such", NULL };
	struct spawn what = SPAWN_INIT;
	struct spawn_failure failure;
	struct child child;
	struct err err;

	(void)state;
	what.argv = argv;
	assert_null(tree_start(loop, &what, &events, NULL, &child, &failure, &err));
	assert_string_equal(failure.step, "exec");
	assert_int_equal(err.code, ERR_COMMANDS_START);
	assert_true(has_no_children(NULL));
}

/* Asks again: one in the middle of an exec shows no mark. */
static bool strays_end(void *arg)
{
	(void)arg;
	tree_end_strays();
	return living_below() == 0;
}

static void test_strays_end_with_the_server(void **state)
{
	struct seen s = { 0 }, t = { 0 };

	(void)state;
	close(start_ready(&s, "setsid sleep 1000 & echo ready"));
	close(start_ready(&t, "(setsid sleep 1001 &) ; echo ready"));
	run_until(has_exited, &s);
	run_until(has_exited, &t);
	tree_free(s.tree);
	tree_free(t.tree);
	run_until(strays_end, NULL);
	run_until(has_no_children, NULL);
}

static unsigned own_folders(const char *path, bool with_trees)
{
	char prefix[32];
	DIR *dir = opendir(path);
	struct dirent *entry;
	unsigned count = 0;

	snprintf(prefix, sizeof prefix, "abx-%d-", getpid());
	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0) {
			char below[512];
			struct stat st;

			snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
			count += with_trees && stat(below, &st) == 0 ? (unsigned)st.st_nlink - 2 : 1;
		}
	}
	closedir(dir);
	return count;
}

/* Where our own cgroup is on this machine, found by a shell. */
static void find_own(char *path, size_t size)
{
	FILE *f = popen("m=$(awk '$0 ~ / - cgroup2 /{print $5; exit}' /proc/self/mountinfo); "
			"p=$(sed -n 's/^0:://p' /proc/self/cgroup); echo \"$m${p%/}\"", "r");

	assert_non_null(fgets(path, (int)size, f));
	pclose(f);
	path[strcspn(path, "\n")] = '\0';
}

static void test_folders_are_used_again_and_removed(void **state)
{
	char path[256], dead[300], lower[310];

	(void)state;
	if (!tree_has_cgroups())
		return;
	find_own(path, sizeof path);
	assert_int_equal(own_folders(path, false), 1);
	for (int i = 0; i < 30; i++) {
		struct seen s = { 0 };

		start(&s, "true");
		run_until(has_exited, &s);
		tree_free(s.tree);
	}
	assert_in_range(own_folders(path, true), 1, 4);
	tree_shutdown();
	assert_int_equal(own_folders(path, false), 0);
	snprintf(dead, sizeof dead, "%s/abx-1-deadbeef", path);
	snprintf(lower, sizeof lower, "%s/0", dead);
	assert_int_equal(mkdir(dead, 0755), 0);
	assert_int_equal(mkdir(lower, 0755), 0);
	assert_int_equal(tree_init(loop, true), 0);
	assert_int_equal(access(dead, F_OK), -1);
}

static void test_folders_of_members_are_members(void **state)
{
	char path[256], script[1024];
	struct seen s = { 0 };

	(void)state;
	if (!tree_has_cgroups())
		return;
	find_own(path, sizeof path);
	snprintf(script, sizeof script, "d=%s/abx-%d-*/*/; for x in $d; do grep -qx $$ $x/cgroup.procs && mkdir $x/sub && "
		 "(echo 0 >$x/sub/cgroup.procs; exec setsid sleep 1000) & done; echo ready; wait", path, getpid());
	close(start_ready(&s, script));
	wait_for_descendants(s.tree, 1);
	end_and_check(&s, NS_PER_S, 0, NS_PER_S);
}

static bool wants_cgroups;

static int set_up(void **state)
{
	(void)state;
	loop = loop_new();
	return tree_init(loop, wants_cgroups);
}

static int tear_down(void **state)
{
	(void)state;
	tree_shutdown();
	loop_free(loop);
	return 0;
}

static int use_cgroups(void **state)
{
	(void)state;
	wants_cgroups = true;
	return 0;
}

static bool machine_has_cgroups(void)
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

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_exit_codes_and_signals, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_ids_and_marks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_only_the_own_tree_is_ended, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_those_who_obey_end_at_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_double_forks_into_new_sessions, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_those_who_ignore_it_are_killed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_grace_may_be_none_or_shortened, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_handler_may_clean_up, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_stopped_one_obeys, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_fork_storm_loses, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_one_who_runs_from_pid_to_pid_loses, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_dead_leader_with_living_children, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_the_leader_alone_is_signalled, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_callbacks_may_free, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_freed_tree_is_left_alone_and_reaped, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_orphans_leave_no_zombies, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_start_that_fails_leaves_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_strays_end_with_the_server, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_folders_are_used_again_and_removed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_folders_of_members_are_members, set_up, tear_down),
	};
	pid_t old;
	int failed, status;

	if (argc > 1)
		return run_from_pid_to_pid(strcmp(argv[1], "run-with-sessions") == 0);
	failed = cmocka_run_group_tests_name("with /proc", tests, NULL, NULL);
	if (machine_has_cgroups())
		failed += cmocka_run_group_tests_name("with cgroups", tests, use_cgroups, NULL);
	fflush(NULL);
	old = fork();
	if (old == 0) {
		become_old();
		wants_cgroups = false;
		failed = cmocka_run_group_tests_name("old kernel, with /proc", tests, NULL, NULL);
		cgroup_set_kill(false);
		if (machine_has_cgroups())
			failed += cmocka_run_group_tests_name("old kernel, with cgroups", tests, use_cgroups, NULL);
		exit(failed ? 1 : 0);
	}
	waitpid(old, &status, 0);
	return failed + (status != 0);
}
