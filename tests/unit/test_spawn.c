/* SPDX-License-Identifier: Apache-2.0 */
/* A child gets what was named and nothing else.  Each test runs the new and the old way. */
#include "old_kernel.h"
#include "spawn_harness.h"

#include <sys/resource.h>

static void test_arguments_are_bytes(void **state)
{
	const char *argv[] = { "/usr/bin/printf", "[%s]", "", "a b\n", "\xff\xfe", "'\"$x`", "-n", "\xc3\xa9", NULL };
	struct spawn what = shell(argv);

	(void)state;
	expect_output(&what, "[][a b\n][\xff\xfe]['\"$x`][-n][\xc3\xa9]");
}

static void test_path_differs_from_the_first_argument(void **state)
{
	const char *argv[] = { "-sh", "-c", "echo $0", NULL };
	struct spawn what = shell(argv);

	(void)state;
	what.path = "/bin/sh";
	expect_output(&what, "-sh\n");
}

static void test_the_environment_is_the_given_one(void **state)
{
	const char *argv[] = { "env", NULL };
	const char *env[] = { "PATH=/nowhere:/usr/bin:/bin", "A=", "B=\xff", NULL };
	struct spawn what = shell(argv);

	(void)state;
	setenv("ABX_SECRET", "1", 1);
	what.env = env;
	expect_output(&what, "PATH=/nowhere:/usr/bin:/bin\nA=\nB=\xff\n");
	what.env = NULL;
	expect_output(&what, "");
}

static void test_signals_are_as_new(void **state)
{
	sigset_t all, before;

	(void)state;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGUSR1, SIG_IGN);
	spawn_signals_changed();
	expect_shell(
		"grep -E 'Sig(Blk|Ign)' /proc/self/status", "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
	signal(SIGPIPE, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGUSR1, SIG_DFL);
	spawn_signals_changed();
	sigprocmask(SIG_SETMASK, &before, NULL);
	/* The parent's own are as they were. */
	sigprocmask(SIG_BLOCK, NULL, &all);
	assert_int_equal(sigismember(&all, SIGTERM), 0);
}

static void test_no_descriptor_is_inherited(void **state)
{
	int high, low;

	(void)state;
	low = open("/dev/null", O_RDONLY);
	high = fcntl(low, F_DUPFD, 700);
	assert_true(low >= 0 && high >= 700);
	expect_shell("ls /proc/$$/fd", "0\n1\n2\n");
	close(low);
	close(high);
}

static void test_session_without_a_terminal(void **state)
{
	(void)state;
	expect_shell("set -- $(cat /proc/$$/stat); [ $6 = $$ ] && [ $5 = $$ ] && echo leader; "
		     "(: </dev/tty) 2>/dev/null || echo none",
		"leader\nnone\n");
}

static void test_stdin_is_empty(void **state)
{
	(void)state;
	expect_shell("wc -c; readlink /proc/self/fd/0", "0\n/dev/null\n");
}

static void test_two_pipes_and_stdin(void **state)
{
	const char *argv[] = { "/bin/sh", "-c", "cat; echo e >&2", NULL };
	struct spawn what = shell(argv);
	struct buf out CLEANUP(cleanup_buf), err_text CLEANUP(cleanup_buf);
	struct spawn_failure failure;
	struct child child;
	struct err err;

	(void)state;
	what.in = what.err = SPAWN_PIPE;
	assert_int_equal(spawn_start(&what, &child, &failure, &err), 0);
	assert_true(fcntl(child.in, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(child.out, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(child.err, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(write(child.in, "in", 2), 2);
	close_fd(take_fd(&child.in));
	buf_init(&out, 65536 * 2);
	buf_init(&err_text, 65536 * 2);
	read_all(child.out, &out);
	read_all(child.err, &err_text);
	assert_string_equal(out.data, "in");
	assert_string_equal(err_text.data, "e\n");
	assert_int_equal(finish(&child), 0);
}

static void test_given_descriptors_may_have_any_number(void **state)
{
	const char *argv[] = { "/bin/sh", "-c", "cat; cat <&3; ls /proc/$$/fd", NULL };
	struct spawn what = shell(argv);
	AUTOFREE char *in = make_file("in", "standard ", 0600);
	AUTOFREE char *extra = make_file("extra", "extra ", 0600);
	int saved = fcntl(0, F_DUPFD_CLOEXEC, 10);
	int extra_fd;

	(void)state;
	/* The extra one is our 0 and our 3 is the child's 0. */
	close(0);
	assert_int_equal(open(extra, O_RDONLY | O_CLOEXEC), 0);
	extra_fd = open(in, O_RDONLY | O_CLOEXEC);
	what.in = extra_fd;
	what.extra_fd = 0;
	what.extra_as = 3;
	expect_output(&what, "standard extra 0\n1\n2\n3\n");
	what.extra_as = 9;
	argv[2] = "cat <&9; ls /proc/$$/fd";
	lseek(0, 0, SEEK_SET);
	expect_output(&what, "extra 0\n1\n2\n9\n");
	/* At two numbers, of which the second is where another one of ours stands. */
	what.extra_as = 3;
	what.extra_twice = true;
	assert_int_equal(extra_fd < 5 ? dup2(extra_fd, 4) : 4, 4);
	what.in = 4;
	argv[2] = "cat <&4; ls /proc/$$/fd";
	lseek(0, 0, SEEK_SET);
	expect_output(&what, "extra 0\n1\n2\n3\n4\n");
	if (extra_fd != 4)
		close(4);
	close(extra_fd);
	dup2(saved, 0);
	close(saved);
}

static void test_folder_umask_and_limits(void **state)
{
	const char *argv[] = { "/bin/sh", "-c", "pwd -P; umask; ulimit -n; ulimit -c", NULL };
	struct spawn what = shell(argv);
	char expected[128];

	(void)state;
	what.dir_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	what.umask = 027;
	what.limits[0].which = RLIMIT_NOFILE;
	what.limits[0].value = (struct rlimit){ 77, 99 };
	what.limits[1].which = RLIMIT_CORE;
	what.limit_count = 2;
	snprintf(expected, sizeof expected, "%s\n0027\n77\n0\n", folder);
	expect_output(&what, expected);
	close(what.dir_fd);
}

static void test_user_groups_and_privileges(void **state)
{
	const char *argv[] = { "/bin/sh", "-c", "id -u; id -g; id -G; grep NoNewPrivs /proc/self/status", NULL };
	gid_t groups[] = { 1234, 1235 };
	struct spawn what = shell(argv);

	(void)state;
	if (geteuid() != 0) {
		print_message("skipped: not root, so no other user can be taken\n");
		return;
	}
	what.set_user = true;
	what.uid = what.gid = 1234;
	what.groups = groups;
	what.group_count = 2;
	what.no_new_privs = true;
	expect_output(&what, "1234\n1234\n1234 1235\nNoNewPrivs:\t1\n");
	assert_int_equal(geteuid(), 0);
}

static void test_capabilities_are_dropped(void **state)
{
	const char *argv[] = { "/bin/sh", "-c", "grep -E 'Cap(Inh|Prm|Eff|Bnd|Amb)' /proc/self/status | tr -d '\\n\\t'",
		NULL };
	struct spawn what = shell(argv);

	(void)state;
	if (geteuid() != 0) {
		print_message("skipped: not root, so there are no capabilities\n");
		return;
	}
	what.drop_capabilities = true;
	expect_output(&what, "CapInh:0000000000000000CapPrm:0000000000000000CapEff:0000000000000000"
			     "CapBnd:0000000000000000CapAmb:0000000000000000");
}

/* This program's own bounding set is given up for those that must have none; the others keep what was there before. */
static void test_capabilities_are_kept_by_the_others(void **state)
{
	const char *argv[] = { "/bin/sh", "-c", "grep CapBnd /proc/self/status", NULL },
		   *missing[] = { "/missing", NULL };
	struct spawn what = shell(argv), none = shell(argv), wrong = shell(missing);
	struct buf first CLEANUP(cleanup_buf);
	struct spawn_failure failure;
	struct child child;
	struct err err;

	(void)state;
	assert_int_equal(spawn_start(&what, &child, &failure, &err), 0);
	buf_init(&first, 1 << 20);
	read_all(child.out, &first);
	assert_int_equal(finish(&child), 0);
	none.drop_capabilities = true;
	for (int i = 0; i < 3; i++) {
		expect_output(&none, geteuid() == 0 ? "CapBnd:\t0000000000000000\n" : first.data);
		expect_output(&what, first.data);
		assert_int_equal(spawn_start(&wrong, &child, &failure, &err), -1);
		assert_string_equal(failure.step, "exec");
		assert_int_equal(failure.number, ENOENT);
	}
}

static void test_death_signal(void **state)
{
	const char *argv[] = { "/bin/cat", NULL };
	struct spawn what = shell(argv);
	struct buf output CLEANUP(cleanup_buf);
	int both[2], status;
	pid_t middle;

	(void)state;
	assert_int_equal(pipe2(both, O_CLOEXEC), 0);
	middle = fork();
	if (middle == 0) {
		struct spawn_failure failure;
		struct child child;
		struct err err;

		what.in = SPAWN_PIPE;
		what.out = both[1];
		what.death_signal = SIGKILL;
		_exit(spawn_start(&what, &child, &failure, &err) == 0 ? 0 : 1);
	}
	close(both[1]);
	/* The cat waits for input that its dying parent's pipe ends; the other end of file comes from its own end. */
	buf_init(&output, 1 << 20);
	read_all(both[0], &output);
	assert_int_equal(waitpid(middle, &status, 0), middle);
	assert_int_equal(status, 0);
	close(both[0]);
}

static void test_terminal(void **state)
{
	const char *argv[] = { "/bin/sh", "-c",
		"stty size; stty -a | grep -o ' iutf8'; tty | cut -c1-9; : >/dev/tty && echo own", NULL };
	struct spawn what = shell(argv);
	struct buf output CLEANUP(cleanup_buf);
	struct spawn_failure failure;
	struct child child;
	struct err err;

	(void)state;
	what.in = what.out = what.err = SPAWN_PTY;
	what.rows = 33;
	what.columns = 101;
	assert_int_equal(spawn_start(&what, &child, &failure, &err), 0);
	assert_true(child.in >= 0 && child.out >= 0 && child.err == -1);
	buf_init(&output, 1 << 20);
	read_all(child.out, &output);
	assert_string_equal(output.data, "33 101\r\n iutf8\r\n/dev/pts/\r\nown\r\n");
	assert_int_equal(finish(&child), 0);
}

static void test_nothing_leaks(void **state)
{
	const char *argv[] = { "/bin/true", NULL };
	struct spawn what = shell(argv);
	struct spawn_failure failure;
	struct child child;
	struct err err;
	unsigned before = open_count();

	(void)state;
	for (int i = 0; i < 200; i++) {
		what.in = i % 2 ? SPAWN_PIPE : SPAWN_NULL;
		what.err = i % 3 ? SPAWN_PIPE : SPAWN_NULL;
		argv[0] = i % 5 ? "/bin/true" : "/no/such";
		if (spawn_start(&what, &child, &failure, &err) == 0)
			assert_int_equal(finish(&child), 0);
	}
	assert_int_equal(open_count(), before);
}

static int64_t cpu_of_children_us(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 + usage.ru_utime.tv_usec +
	       usage.ru_stime.tv_usec;
}

static void test_a_large_descriptor_limit_costs_nothing(void **state)
{
	const char *argv[] = { "/bin/true", NULL };
	struct spawn what = shell(argv);
	struct rlimit before, large;
	struct spawn_failure failure;
	struct child child;
	struct err err;
	int64_t start;

	(void)state;
	getrlimit(RLIMIT_NOFILE, &before);
	large = (struct rlimit){ 1048576, MAX(before.rlim_max, 1048576) };
	/* As much as the machine lets us have. */
	if (setrlimit(RLIMIT_NOFILE, &large) < 0) {
		large = (struct rlimit){ before.rlim_max, before.rlim_max };
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &large), 0);
	}
	start = cpu_of_children_us();
	for (int i = 0; i < 50; i++) {
		assert_int_equal(spawn_start(&what, &child, &failure, &err), 0);
		finish(&child);
	}
	/* B146's bound is 20 ms each, and here of CPU; a million close() calls are beyond it. */
	assert_true(cpu_of_children_us() - start < 50 * 20000);
	setrlimit(RLIMIT_NOFILE, &before);
}

/* In a process of its own: what the kernel refuses stays refused. */
static void test_an_old_kernel(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		const char *argv[] = { "/bin/sh", "-c", "cat <&9; ls /proc/$$/fd", NULL };
		struct spawn what = shell(argv);

		become_old();
		clone_set_way(CLONE_WAY_UNKNOWN);
		test_signals_are_as_new(state);
		assert_int_equal(clone_way(), CLONE_WAY_OLD);
		test_no_descriptor_is_inherited(state);
		what.extra_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
		what.extra_as = 9;
		expect_output(&what, "0\n1\n2\n9\n");
		_exit(0);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(test_arguments_are_bytes),
		BOTH(test_path_differs_from_the_first_argument),
		BOTH(test_the_environment_is_the_given_one),
		BOTH(test_signals_are_as_new),
		BOTH(test_no_descriptor_is_inherited),
		BOTH(test_session_without_a_terminal),
		BOTH(test_stdin_is_empty),
		BOTH(test_two_pipes_and_stdin),
		BOTH(test_given_descriptors_may_have_any_number),
		BOTH(test_folder_umask_and_limits),
		BOTH(test_user_groups_and_privileges),
		BOTH(test_capabilities_are_dropped),
		BOTH(test_capabilities_are_kept_by_the_others),
		BOTH(test_death_signal),
		BOTH(test_terminal),
		BOTH(test_nothing_leaks),
		BOTH(test_a_large_descriptor_limit_costs_nothing),
		cmocka_unit_test(test_an_old_kernel),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
