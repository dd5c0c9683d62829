/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Servers that are killed in the middle are child processes here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ops/files/leftover.h"
#include "ops/files/target.h"
#include "ops/files/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64], lists[128];
static int dir_fd;

static int set_up(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/test_leftover.XXXXXX");
	if (!mkdtemp(folder) || setenv("TMPDIR", folder, 1) < 0)
		return -1;
	snprintf(lists, sizeof lists, "%s/agent-sandbox-server-%u", folder, (unsigned)geteuid());
	dir_fd = open(folder, O_PATH | O_DIRECTORY);
	return dir_fd < 0;
}

static int tear_down(void **state)
{
	struct err err;

	(void)state;
	close(dir_fd);
	return tree_remove(NULL, AT_FDCWD, folder, folder, &err);
}

static unsigned count_in(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	unsigned count = 0;

	while (dir && (entry = readdir(dir)))
		count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	if (dir)
		closedir(dir);
	return count;
}

typedef void act_fn(void);

/* In a process that is killed when it has done this. */
static void killed_after(act_fn *act)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		leftover_start(loop_new());
		act();
		raise(SIGKILL);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void write_half(void)
{
	static const struct target_how plainly;
	struct place place = { .parent_fd = dir_fd, .name = "f", .path = "/f", .given = "f" };
	static struct target targets[3];
	struct err err;

	target_use_unnamed(false);
	for (size_t i = 0; i < ARRAY_LEN(targets); i++) {
		if (target_open(&targets[i], &place, &plainly, &err) < 0 || target_write(&targets[i], "x", 1, &err) < 0)
			_exit(1);
	}
	target_done(&targets[1]);
}

static void make_tree(void)
{
	const char name[] = ".abx-upload-0123456789abcdef";
	int fd;

	(void)leftover_note(dir_fd, name).slot;
	mkdirat(dir_fd, name, 0700);
	fd = openat(dir_fd, name, O_PATH | O_DIRECTORY);
	if (mkdirat(fd, "below", 0700) < 0 || symlinkat("/tmp", fd, "link") < 0)
		_exit(1);
}

/* No such name is one of ours, or it is not there any more. */
static void note_others(void)
{
	(void)leftover_note(dir_fd, "important").slot;
	(void)leftover_note(dir_fd, ".abx-upload-0123456789abcdex").slot;
	(void)leftover_note(dir_fd, ".abx-upload-0000000000000000").slot;
	close(openat(dir_fd, "important", O_CREAT | O_WRONLY, 0600));
	close(openat(dir_fd, ".abx-upload-0123456789abcdex", O_CREAT | O_WRONLY, 0600));
}

static void test_named_uploads(void **state)
{
	(void)state;
	killed_after(write_half);
	assert_int_equal(count_in(folder), 3);
	assert_int_equal(leftover_sweep(), 2);
	assert_int_equal(count_in(folder), 1);
	assert_int_equal(count_in(lists), 0);
	assert_int_equal(leftover_sweep(), 0);
}

static void test_trees(void **state)
{
	(void)state;
	killed_after(make_tree);
	assert_int_equal(leftover_sweep(), 1);
	assert_int_equal(count_in(folder), 1);
}

static void test_nothing_else_is_removed(void **state)
{
	(void)state;
	killed_after(note_others);
	assert_int_equal(leftover_sweep(), 0);
	assert_int_equal(count_in(folder), 3);
}

static void test_what_lives_stays(void **state)
{
	const char name[] = ".abx-upload-0123456789abcdef";
	struct loop *loop = loop_new();
	struct leftover left;

	(void)state;
	leftover_start(loop);
	left = leftover_note(dir_fd, name);
	assert_int_not_equal(left.slot, 0);
	close(openat(dir_fd, name, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(leftover_sweep(), 0);
	assert_int_equal(faccessat(dir_fd, name, F_OK, 0), 0);
	leftover_forget(&left);
	loop_run(loop);
	leftover_stop();
	loop_free(loop);
	assert_int_equal(access(lists, F_OK), -1);
}

static void test_a_folder_of_others_is_not_used(void **state)
{
	struct loop *loop = loop_new();

	(void)state;
	assert_int_equal(mkdir(lists, 0700), 0);
	assert_int_equal(chmod(lists, 0755), 0);
	leftover_start(loop);
	assert_int_equal(leftover_note(dir_fd, ".abx-upload-0123456789abcdef").slot, 0);
	assert_int_equal(count_in(lists), 0);
	loop_run(loop);
	leftover_stop();
	loop_free(loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_named_uploads, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_trees, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_nothing_else_is_removed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_what_lives_stays, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_folder_of_others_is_not_used, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
