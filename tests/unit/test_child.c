/* SPDX-License-Identifier: Apache-2.0 */
/* A start that fails names its step and its reason, and leaves nothing.  Each test runs the new and the old way. */
#include "spawn_harness.h"

static void expect_failure(const struct spawn *what, const char *step, int number, const char *reason)
{
	struct spawn_failure failure = { 0 };
	struct child child = { 0 };
	struct err err = { 0 };
	unsigned before = open_count();

	assert_int_equal(spawn_start(what, &child, &failure, &err), -1);
	assert_string_equal(failure.step, step);
	assert_int_equal(failure.number, number);
	if (reason)
		assert_string_equal(failure.reason, reason);
	assert_int_equal(err.code, ERR_COMMANDS_START);
	assert_non_null(strstr(err.text, failure.reason));
	assert_int_equal(open_count(), before);
	/* No zombie is left either. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void test_programs_that_cannot_be_executed(void **state)
{
	AUTOFREE char *plain = make_file("plain", "text", 0644);
	AUTOFREE char *empty = make_file("no-format", "text", 0755);
	AUTOFREE char *script = make_file("script", "#!/no/such/interp\n", 0755);
	AUTOFREE char *below = NULL;
	const char *argv[] = { NULL, NULL };
	struct spawn what = shell(argv);

	(void)state;
	assert_true(asprintf(&below, "%s/x", plain) > 0);
	argv[0] = "/no/such/program";
	expect_failure(&what, "exec", ENOENT, "no such file");
	argv[0] = "no-such-program";
	expect_failure(&what, "exec", ENOENT, "no such file");
	argv[0] = "";
	expect_failure(&what, "exec", ENOENT, "no such file");
	argv[0] = below;
	expect_failure(&what, "exec", ENOTDIR, "no such file");
	argv[0] = plain;
	expect_failure(&what, "exec", EACCES, "not executable");
	argv[0] = folder;
	expect_failure(&what, "exec", EACCES, "is a folder");
	argv[0] = empty;
	expect_failure(&what, "exec", ENOEXEC, "not a program");
	argv[0] = script;
	expect_failure(&what, "exec", ENOENT, "no interpreter");
}

static void test_search_goes_on_and_remembers_the_best_answer(void **state)
{
	char path[128];
	const char *env[] = { path, NULL };
	const char *argv[] = { "tool", "x", NULL };
	struct spawn what = shell(argv);

	(void)state;
	free(make_file("tool", "text", 0644));
	free(make_file("broken", "#!/no/such/interp\n", 0755));
	free(make_file("echo", "text", 0644));
	snprintf(path, sizeof path, "PATH=/nowhere:%s:/bin:/usr/bin", folder);
	what.env = env;
	expect_failure(&what, "exec", EACCES, "not executable");
	argv[0] = "broken";
	expect_failure(&what, "exec", ENOENT, "no interpreter");
	argv[0] = "echo";
	expect_output(&what, "x\n");
}

static void test_other_steps_name_themselves(void **state)
{
	const char *argv[] = { "/bin/true", NULL };
	struct spawn what = shell(argv);

	(void)state;
	what.dir_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	expect_failure(&what, "cwd", ENOTDIR, NULL);
	close(what.dir_fd);
	what.dir_fd = -1;
	what.limits[0].which = RLIMIT_NOFILE;
	what.limits[0].value = (struct rlimit){ 20, 10 };
	what.limit_count = 1;
	expect_failure(&what, "limits", EINVAL, NULL);
	what.limit_count = 0;
	what.network_fd = 0;
	expect_failure(&what, "setup", EINVAL, NULL);
	what.network_fd = -1;
	what.ruleset_fd = 0;
	what.no_new_privs = true;
	expect_failure(&what, "setup", EBADFD, NULL);
	what.ruleset_fd = -1;
	what.out = 12345;
	expect_failure(&what, "setup", EBADF, NULL);
}

static void test_a_folder_that_the_user_may_not_enter(void **state)
{
	const char *argv[] = { "/bin/true", NULL };
	struct spawn what = shell(argv);
	char path[64];

	(void)state;
	if (geteuid() != 0) {
		print_message("skipped: not root, so no other user can be taken\n");
		return;
	}
	snprintf(path, sizeof path, "%s/private", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	what.dir_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	what.set_user = true;
	what.uid = what.gid = 1234;
	expect_failure(&what, "cwd", EACCES, NULL);
	close(what.dir_fd);
	rmdir(path);
}

static void test_a_user_that_may_not_be_taken(void **state)
{
	const char *argv[] = { "/bin/true", NULL };
	struct spawn what = shell(argv);
	int status;
	pid_t pid;

	(void)state;
	what.set_user = true;
	what.uid = what.gid = 1;
	pid = fork();
	if (pid == 0) {
		if (geteuid() == 0 && (setgid(1234) < 0 || setuid(1234) < 0))
			_exit(2);
		expect_failure(&what, "user", EPERM, NULL);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

static void test_what_is_used_up_is_named(void **state)
{
	const char *argv[] = { "/bin/true", NULL };
	struct spawn what = shell(argv);
	struct rlimit before, none;
	struct spawn_failure failure;
	struct child child;
	struct err err;

	(void)state;
	getrlimit(RLIMIT_NOFILE, &before);
	none = before;
	for (none.rlim_cur = 3; none.rlim_cur < 9; none.rlim_cur++) {
		int result;

		setrlimit(RLIMIT_NOFILE, &none);
		result = spawn_start(&what, &child, &failure, &err);
		setrlimit(RLIMIT_NOFILE, &before);
		if (result == 0) {
			assert_int_equal(finish(&child), 0);
			continue;
		}
		assert_int_equal(err.code, ERR_BUSY);
		assert_non_null(strstr(err.text, "descriptors"));
	}
	assert_int_equal(spawn_start(&what, &child, &failure, &err), 0);
	assert_int_equal(finish(&child), 0);
}

static void test_processes_used_up(void **state)
{
	const char *argv[] = { "/bin/true", NULL };
	struct spawn what = shell(argv);
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	if (pid == 0) {
		struct rlimit one = { 0, 0 };
		struct spawn_failure failure;
		struct child child;
		struct err err;

		/* Root is not bound by it. */
		if (geteuid() == 0 && (setgid(54321) < 0 || setuid(54321) < 0))
			_exit(2);
		setrlimit(RLIMIT_NPROC, &one);
		if (spawn_start(&what, &child, &failure, &err) == 0)
			_exit(3);
		_exit(err.code == ERR_BUSY && strstr(err.text, "processes") && strstr(err.text, "EAGAIN") ? 0 : 4);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(test_programs_that_cannot_be_executed),
		BOTH(test_search_goes_on_and_remembers_the_best_answer),
		BOTH(test_other_steps_name_themselves),
		BOTH(test_a_folder_that_the_user_may_not_enter),
		BOTH(test_a_user_that_may_not_be_taken),
		BOTH(test_what_is_used_up_is_named),
		BOTH(test_processes_used_up),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
