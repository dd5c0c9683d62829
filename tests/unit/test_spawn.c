/* SPDX-License-Identifier: Apache-2.0 */
/* A child gets what was named and nothing else; what fails names its step.  Each test runs the new and the old way. */
#include "old_kernel.h"
#include "spawn/clone.h"
#include "spawn/spawn.h"

#include "base/buf.h"
#include "base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/abx-test-spawn-XXXXXX";
static const char *const plain_env[] = { "PATH=/usr/bin:/bin", NULL };

static struct spawn shell(const char *const *argv)
{
	struct spawn what = SPAWN_INIT;

	what.argv = argv;
	what.env = plain_env;
	what.out = SPAWN_PIPE;
	what.err = SPAWN_SAME;
	return what;
}

static int finish(struct child *child)
{
	int status;

	assert_int_equal(waitpid(child->pid, &status, 0), child->pid);
	child_close(child);
	return status;
}

static void read_all(int fd, struct buf *to)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	for (;;) {
		char *at = buf_reserve(to, 65536);
		ssize_t got;

		assert_int_equal(poll(&wait, 1, 20000), 1);
		got = read(fd, at, 65536);
		if (got <= 0)
			break;
		buf_commit(to, (size_t)got);
	}
	buf_addc(to, '\0');
}

/* Starts, reads all output, and returns the exit status. */
static int run(const struct spawn *what, struct buf *output)
{
	struct spawn_failure failure;
	struct child child;
	struct err err;

	if (spawn_start(what, &child, &failure, &err) < 0)
		fail_msg("%s", err.text);
	buf_init(output, 16 << 20);
	read_all(child.out, output);
	return finish(&child);
}

static void expect_output(const struct spawn *what, const char *expected)
{
	struct buf output CLEANUP(cleanup_buf);

	assert_int_equal(run(what, &output), 0);
	assert_string_equal(output.data, expected);
}

static void expect_shell(const char *script, const char *expected)
{
	const char *argv[] = { "/bin/sh", "-c", script, NULL };
	struct spawn what = shell(argv);

	expect_output(&what, expected);
}

static unsigned open_count(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned count = 0;

	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

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

static char *make_file(const char *name, const char *text, mode_t mode)
{
	char *path;
	int fd;

	assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
	return path;
}

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
	expect_shell("grep -E 'Sig(Blk|Ign)' /proc/self/status",
		"SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
	signal(SIGPIPE, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGUSR1, SIG_DFL);
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
	const char *argv[] = { "/bin/sh", "-c", "grep -E 'Cap(Inh|Prm|Eff|Bnd|Amb)' /proc/self/status | tr -d '\\n\\t'", NULL };
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
	const char *argv[] = { "/bin/sh", "-c", "stty size; stty -a | grep -o ' iutf8'; tty | cut -c1-9; : >/dev/tty && echo own", NULL };
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
	start = clock_now_ns();
	for (int i = 0; i < 50; i++) {
		assert_int_equal(spawn_start(&what, &child, &failure, &err), 0);
		finish(&child);
	}
	/* B146's bound is 20 ms each; a million close() calls are beyond it. */
	assert_true(clock_now_ns() - start < 50 * 20 * NS_PER_MS);
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
		test_programs_that_cannot_be_executed(state);
		what.extra_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
		what.extra_as = 9;
		expect_output(&what, "0\n1\n2\n9\n");
		_exit(0);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

static int use_new(void **state)
{
	(void)state;
	clone_set_way(CLONE_WAY_UNKNOWN);
	return 0;
}

static int use_old(void **state)
{
	(void)state;
	clone_set_way(CLONE_WAY_OLD);
	return 0;
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) && chmod(folder, 0755) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
	static const char *const names[] = { "in", "extra", "plain", "no-format", "script", "tool", "broken", "echo" };
	char path[128];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		unlink(path);
	}
	return rmdir(folder);
}

#define BOTH(test) { #test " (new)", test, use_new, NULL, NULL }, { #test " (old)", test, use_old, NULL, NULL }

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
		BOTH(test_death_signal),
		BOTH(test_terminal),
		BOTH(test_programs_that_cannot_be_executed),
		BOTH(test_search_goes_on_and_remembers_the_best_answer),
		BOTH(test_other_steps_name_themselves),
		BOTH(test_a_folder_that_the_user_may_not_enter),
		BOTH(test_a_user_that_may_not_be_taken),
		BOTH(test_what_is_used_up_is_named),
		BOTH(test_processes_used_up),
		BOTH(test_nothing_leaks),
		BOTH(test_a_large_descriptor_limit_costs_nothing),
		cmocka_unit_test(test_an_old_kernel),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
