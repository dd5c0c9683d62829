/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a tree: its exit, its members, its folders; nothing is left of it. */
#include "tree_harness.h"

enum { SERVERS = 6, STARTS = 100 };

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
	tree_end(b.tree, LONG_GRACE_NS);
	run_until(is_gone, &b);
	tree_free(b.tree);
	end_and_check(&a, LONG_GRACE_NS, 0);
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
	end_and_check(&s, LONG_GRACE_NS, 0);
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
	end_and_check(&s, LONG_GRACE_NS, 0);
}

static void test_callbacks_may_free(void **state)
{
	struct seen s = { .free_on_exit = true }, t = { .free_on_gone = true };

	(void)state;
	start(&s, "exit 1");
	run_until(has_exited, &s);
	close(start_ready(&t, "echo ready; sleep 1000"));
	tree_end(t.tree, LONG_GRACE_NS);
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

/* Either they are in force, or nothing is started; only best effort does without. */
static void test_limits_that_cannot_be_set(void **state)
{
	const char *argv[] = { "true", NULL };
	struct spawn what = SPAWN_INIT;
	struct spawn_failure failure;
	struct seen s = { 0 };
	struct child child;
	struct err err;

	(void)state;
	cgroup_disable();
	what.argv = argv;
	what.env = plain_env;
	what.cgroup.pids_max = 100;
	assert_int_equal(cgroup_can_limit(CGROUP_PIDS), 0);
	assert_null(tree_start(loop, &what, &events, &s, &child, &failure, &err));
	assert_string_equal(failure.step, "cgroup");
	assert_int_equal(err.code, ERR_COMMANDS_START);
	assert_true(has_no_children(NULL));
	what.cgroup_best_effort = true;
	s.tree = tree_start(loop, &what, &events, &s, &child, &failure, &err);
	assert_non_null(s.tree);
	assert_int_equal(tree_limited(s.tree), 0);
	run_until(has_exited, &s);
	tree_free(s.tree);
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
			"p=$(sed -n 's/^0:://p' /proc/self/cgroup); echo \"$m${p%/}\"",
		"r");

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
	assert_in_range(own_folders(path, true), 1, 15);
	tree_shutdown();
	assert_int_equal(own_folders(path, false), 0);
	snprintf(dead, sizeof dead, "%s/abx-1-%08x", path, getpid());
	snprintf(lower, sizeof lower, "%s/0", dead);
	/* Another program that starts now may take it away already. */
	do
		assert_int_equal(mkdir(dead, 0755), 0);
	while (mkdir(lower, 0755) < 0 && errno == ENOENT);
	assert_int_equal(tree_init(loop, true), 0);
	assert_int_equal(access(dead, F_OK), -1);
}

/* Whether a server has its folder each time it starts, however many look for dead ones' folders at that moment. */
static int start_again_and_again(void)
{
	for (int i = 0; i < STARTS; i++) {
		bool has;

		if (cgroup_init(true) < 0)
			return 1;
		has = cgroup_available();
		cgroup_shutdown();
		if (!has)
			return 1;
	}
	return 0;
}

static void test_servers_that_start_at_once_have_their_folders(void **state)
{
	pid_t all[SERVERS];
	int status;

	(void)state;
	if (!tree_has_cgroups())
		return;
	tree_shutdown();
	for (size_t i = 0; i < SERVERS; i++) {
		all[i] = fork();
		if (all[i] == 0)
			_exit(start_again_and_again());
	}
	for (size_t i = 0; i < SERVERS; i++) {
		assert_int_equal(waitpid(all[i], &status, 0), all[i]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(tree_init(loop, true), 0);
}

static void test_folders_of_members_are_members(void **state)
{
	char path[256], script[1024];
	struct seen s = { 0 };

	(void)state;
	if (!tree_has_cgroups())
		return;
	find_own(path, sizeof path);
	snprintf(script, sizeof script,
		"d=%s/abx-%d-*/*/; for x in $d; do grep -qx $$ $x/cgroup.procs && mkdir $x/sub && "
		"(echo 0 >$x/sub/cgroup.procs; exec setsid sleep 1000) & done; echo ready; wait",
		path, getpid());
	close(start_ready(&s, script));
	wait_for_descendants(s.tree, 1);
	end_and_check(&s, LONG_GRACE_NS, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_exit_codes_and_signals, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_ids_and_marks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_dead_leader_with_living_children, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_the_leader_alone_is_signalled, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_callbacks_may_free, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_freed_tree_is_left_alone_and_reaped, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_orphans_leave_no_zombies, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_start_that_fails_leaves_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_limits_that_cannot_be_set, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_folders_are_used_again_and_removed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_servers_that_start_at_once_have_their_folders, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_folders_of_members_are_members, set_up, tear_down),
	};

	return RUN_EVERYWHERE(tests);
}
