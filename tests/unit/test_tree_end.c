/* SPDX-License-Identifier: Apache-2.0 */
/* What a program started ends with it, however it hides. */
#include "tree_harness.h"

#include <poll.h>

enum { STORM_USERS = 100000, STORM_MAX = 100, HOPS_MAX = 100000 };

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
	tree_end(a.tree, LONG_GRACE_NS);
	run_until(is_gone, &a);
	assert_int_equal(tree_descendants(b.tree), 1);
	assert_false(b.exited);
	assert_int_equal(kill(foreign, 0), 0);
	assert_int_equal(waitpid(foreign, NULL, WNOHANG), 0);
	kill(foreign, SIGKILL);
	tree_free(a.tree);
	end_and_check(&b, LONG_GRACE_NS, 0);
}

static void test_those_who_obey_end_at_once(void **state)
{
	struct seen s = { 0 };

	(void)state;
	close(start_ready(&s, "sleep 1000 & setsid sleep 1001 & (sleep 1002; true) | cat & echo ready; wait"));
	end_and_check(&s, LONG_GRACE_NS, 0);
}

static void test_double_forks_into_new_sessions(void **state)
{
	struct seen s = { 0 };

	(void)state;
	close(start_ready(&s,
		"(setsid sh -c 'sleep 1000 & (setsid sleep 1001 &) ; exec sleep 1002' & ) ; echo ready; exec sleep 1003"));
	wait_for_descendants(s.tree, 3);
	end_and_check(&s, LONG_GRACE_NS, 0);
}

static void test_those_who_ignore_it_are_killed(void **state)
{
	struct seen s = { 0 };

	(void)state;
	close(start_ready(
		&s, "trap '' TERM INT HUP; (trap '' TERM; setsid sleep 1000) & echo ready; sleep 1001; sleep 1002"));
	end_and_check(&s, 150 * NS_PER_MS, 150 * NS_PER_MS);
	assert_int_equal(s.exit.signal, SIGKILL);
	assert_false(s.exit.oom_killed);
}

static void test_grace_may_be_none_or_shortened(void **state)
{
	struct seen s = { 0 }, t = { 0 };

	(void)state;
	close(start_ready(&s, "trap '' TERM; echo ready; while :; do sleep 1000; done"));
	end_and_check(&s, 0, 0);
	close(start_ready(&t, "trap '' TERM; echo ready; while :; do sleep 1000; done"));
	tree_end(t.tree, LONG_GRACE_NS);
	end_and_check(&t, 50 * NS_PER_MS, 50 * NS_PER_MS);
}

static void test_a_handler_may_clean_up(void **state)
{
	struct seen s = { 0 };
	int out;
	char text[64] = "";

	(void)state;
	out = start_ready(&s, "trap 'sleep 0.2; echo cleaned; exit 5' TERM; sleep 1000 & echo ready; wait");
	end_and_check(&s, LONG_GRACE_NS, 200 * NS_PER_MS);
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
	end_and_check(&s, LONG_GRACE_NS, 0);
	assert_int_equal(s.exit.signal, SIGTERM);
}

static bool user_is_limited(struct spawn *what)
{
	if (geteuid() != 0) {
		print_message("skipped: not root, so a storm could not be bounded by a user's own limit\n");
		return false;
	}
	what->set_user = true;
	what->uid = what->gid = STORM_USERS + (uid_t)getpid(); /* his processes are counted, and nobody else's */
	what->limits[0].which = RLIMIT_NPROC;
	what->limits[0].value = (struct rlimit){ STORM_MAX, STORM_MAX };
	what->limit_count = 1;
	return true;
}

static bool is_storm(void *arg)
{
	(void)arg;
	return living_below() >= 10;
}

/*
 * Forks as fast as the limit lets it, and every other one goes when it has left somebody behind; a shell would end
 * where it cannot fork, and the storm with the last of them.
 */
static int storm(void)
{
	pid_t first = getpid();

	signal(SIGTERM, SIG_IGN);
	signal(SIGCHLD, SIG_IGN); /* the dead would take the places of the living */
	puts("ready");
	fflush(stdout);
	for (unsigned i = 0;; i++) {
		pid_t pid = fork();

		if (pid > 0 && i % 2 && getpid() != first)
			_exit(0);
		poll(NULL, 0, 5);
	}
}

/* By a descriptor: another user may not be let into the folder of this program. */
static void test_a_fork_storm_loses(void **state)
{
	const char *argv[] = { "/proc/self/fd/9", "storm", NULL };
	struct spawn what = SPAWN_INIT;
	struct spawn_failure failure;
	struct seen s = { 0 };
	struct child child;
	struct err err;
	char text[8];

	(void)state;
	if (!user_is_limited(&what))
		return;
	what.argv = argv;
	what.env = plain_env;
	what.out = SPAWN_PIPE;
	what.extra_fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	what.extra_as = 9;
	s.tree = tree_start(loop, &what, &events, &s, &child, &failure, &err);
	assert_non_null(s.tree);
	close(what.extra_fd);
	fcntl(child.out, F_SETFL, 0);
	assert_true(read(child.out, text, sizeof text) > 0);
	run_until(is_storm, NULL);
	end_and_check(&s, 50 * NS_PER_MS, 0);
	child_close(&child);
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
	end_and_check(&s, 50 * NS_PER_MS, 50 * NS_PER_MS);
}

static void test_one_who_runs_from_pid_to_pid_loses(void **state)
{
	(void)state;
	end_runner("run");
	end_runner("run-with-sessions");
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

static bool all_ended;

static void on_all_ended(void)
{
	all_ended = true;
	loop_stop(loop);
}

static bool have_all_ended(void *arg)
{
	(void)arg;
	return all_ended;
}

/*
 * Trees, what they left behind, and strays of freed ones; an owner who did not ask hears of exits only.  All are told
 * once, and one in the middle of an exec shows no mark: these do without.
 */
static void test_all_end_with_the_server(void **state)
{
	struct seen s = { 0 }, t = { 0 }, u = { 0 };

	(void)state;
	close(start_ready(&s, "setsid sleep 1000 & echo ready; wait"));
	close(start_ready(&t, "(setsid sh -c 'echo ready; kill -STOP $$' &)"));
	close(start_ready(&u, "sh -c 'echo ready; kill -STOP $$' & exit"));
	run_until(has_exited, &t);
	run_until(has_exited, &u);
	tree_free(t.tree);
	all_ended = false;
	tree_end_all(loop, LONG_GRACE_NS, on_all_ended);
	run_until(have_all_ended, NULL);
	assert_int_equal(living_below(), 0);
	run_until(has_exited, &s);
	assert_int_equal(s.exit.signal, SIGTERM);
	assert_false(s.gone || u.gone);
	tree_free(s.tree);
	tree_free(u.tree);
	run_until(has_no_children, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_only_the_own_tree_is_ended, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_those_who_obey_end_at_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_double_forks_into_new_sessions, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_those_who_ignore_it_are_killed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_grace_may_be_none_or_shortened, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_handler_may_clean_up, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_stopped_one_obeys, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_fork_storm_loses, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_one_who_runs_from_pid_to_pid_loses, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_strays_end_with_the_server, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_all_end_with_the_server, set_up, tear_down),
	};

	if (argc > 1 && strcmp(argv[1], "storm") == 0)
		return storm();
	if (argc > 1)
		return run_from_pid_to_pid(strcmp(argv[1], "run-with-sessions") == 0);
	return RUN_EVERYWHERE(tests);
}
