/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every test runs twice: with unnamed files and with named temporary ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ops/files/target.h"
#include "policy/roots.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static int dir_fd;
static struct err err;
static struct place place;
static const struct target_how plainly;

static int set_up(void **state)
{
	(void)state;
	umask(022);
	snprintf(folder, sizeof folder, "/tmp/test_target.XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	dir_fd = open(folder, O_PATH | O_DIRECTORY);
	place = (struct place){ .parent_fd = dir_fd, .name = "f", .path = "/f", .given = "f" };
	err = (struct err){ 0 };
	return dir_fd < 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlinkat(dir_fd, "f", 0);
	unlinkat(dir_fd, "f", AT_REMOVEDIR);
	close(dir_fd);
	return rmdir(folder); /* fails when anything was left */
}

static unsigned entries(void)
{
	DIR *dir = opendir(folder);
	unsigned count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

static void put(const char *text, mode_t mode)
{
	int fd = openat(dir_fd, "f", O_WRONLY | O_CREAT | O_TRUNC, mode);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void holds(const char *text, mode_t mode)
{
	char found[64] = "";
	int fd = openat(dir_fd, "f", O_RDONLY);
	struct stat st;

	assert_true(fd >= 0);
	assert_true(read(fd, found, sizeof found - 1) >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	assert_string_equal(found, text);
	assert_int_equal(st.st_mode & 07777, mode);
	assert_int_equal(st.st_nlink, 1);
}

/* Opens, writes, commits, ends: 0, or the error. */
static enum err_code replace(const char *text, const struct target_how *how)
{
	struct target t;
	int status = target_open(&t, &place, how, &err);

	if (status == 0)
		status = target_write(&t, text, strlen(text), &err);
	if (status == 0)
		status = target_commit(&t, &err);
	target_done(&t);
	return status == 0 ? ERR_NONE : err.code;
}

static void a_new_file_appears_at_the_end(void **state)
{
	struct target t;

	(void)state;
	assert_int_equal(target_open(&t, &place, &plainly, &err), 0);
	assert_int_equal(target_write(&t, "one", 3, &err), 0);
	assert_int_equal(faccessat(dir_fd, "f", F_OK, 0), -1);
	assert_int_equal(target_commit(&t, &err), 0);
	assert_int_equal(strlen(t.etag), 18);
	target_done(&t);
	holds("one", 0644);
	assert_int_equal(entries(), 1);
}

/* The folders above come with the file, and not before it. */
static void missing_folders_are_made_at_the_end(void **state)
{
	const char *const list[] = { folder, NULL };
	struct roots_spec spec = { .base = folder, .roots = list, .rule = "paths" };
	struct roots *roots = roots_new(&spec, &err);
	char path[sizeof folder + 8];
	struct place deep = { .parent_fd = -1, .path = path, .given = "a/b/f", .missing = true };

	(void)state;
	assert_non_null(roots);
	snprintf(path, sizeof path, "%s/a/b/f", folder);
	deep.name = strrchr(path, '/') + 1;
	deep.root = roots_at(roots, folder);
	for (unsigned commits = 0; commits < 2; commits++) {
		struct target t;

		assert_int_equal(target_open(&t, &deep, &plainly, &err), 0);
		assert_int_equal(target_write(&t, "one", 3, &err), 0);
		assert_int_equal(faccessat(dir_fd, "a", F_OK, 0), -1);
		assert_int_equal(commits ? target_commit(&t, &err) : 0, 0);
		target_done(&t);
		assert_int_equal(entries(), commits);
	}
	assert_int_equal(unlinkat(deep.parent_fd, "f", 0), 0);
	assert_int_equal(unlinkat(dir_fd, "a/b", AT_REMOVEDIR), 0);
	assert_int_equal(unlinkat(dir_fd, "a", AT_REMOVEDIR), 0);
	place_close(&deep);
	roots_free(roots);
}

static void without_a_commit_nothing_is_left(void **state)
{
	struct target t;

	(void)state;
	put("old", 0640);
	assert_int_equal(target_open(&t, &place, &plainly, &err), 0);
	assert_int_equal(target_write(&t, "new", 3, &err), 0);
	target_done(&t);
	holds("old", 0640);
	assert_int_equal(entries(), 1);
}

static void modes_are_kept_or_given(void **state)
{
	struct target_how how = { .has_mode = true, .mode = 0751 };

	(void)state;
	put("old", 0604);
	assert_int_equal(replace("new", &plainly), ERR_NONE);
	holds("new", 0604);
	assert_int_equal(replace("newer", &how), ERR_NONE);
	holds("newer", 0751);
	how.durable = true;
	how.mode = 0;
	assert_int_equal(replace("", &how), ERR_NONE);
	assert_int_equal(fchmodat(dir_fd, "f", 0600, 0), 0);
	holds("", 0600);
	assert_int_equal(entries(), 1);
}

static void create_only_is_decided_at_the_end(void **state)
{
	struct target_how how = { .create_only = true };
	struct target t;

	(void)state;
	assert_int_equal(target_open(&t, &place, &how, &err), 0);
	put("other", 0644);
	assert_int_equal(target_commit(&t, &err), -1);
	assert_int_equal(err.code, ERR_FILES_EXISTS);
	target_done(&t);
	holds("other", 0644);
	assert_int_equal(replace("new", &how), ERR_FILES_EXISTS);
	assert_int_equal(unlinkat(dir_fd, "f", 0), 0);
	assert_int_equal(replace("new", &how), ERR_NONE);
	holds("new", 0644);
	assert_int_equal(entries(), 1);
}

static void a_file_that_appeared_meanwhile_is_replaced(void **state)
{
	struct target t;

	(void)state;
	assert_int_equal(target_open(&t, &place, &plainly, &err), 0);
	put("other", 0600);
	assert_int_equal(target_write(&t, "new", 3, &err), 0);
	assert_int_equal(target_commit(&t, &err), 0);
	target_done(&t);
	holds("new", 0644);
	assert_int_equal(entries(), 1);
}

static void a_match_is_looked_at_again(void **state)
{
	char tag[FILES_ETAG_SIZE];
	struct target_how how = { 0 };
	struct target t;
	struct stat st;

	(void)state;
	put("old", 0644);
	assert_int_equal(fstatat(dir_fd, "f", &st, 0), 0);
	files_etag(&st, tag);
	how.if_match = str_of(tag);
	assert_int_equal(target_open(&t, &place, &how, &err), 0);
	put("other content", 0644);
	assert_int_equal(target_commit(&t, &err), -1);
	assert_int_equal(err.code, ERR_FILES_CHANGED);
	target_done(&t);
	holds("other content", 0644);
	assert_int_equal(replace("new", &how), ERR_FILES_CHANGED);
	assert_int_equal(unlinkat(dir_fd, "f", 0), 0);
	assert_int_equal(replace("new", &how), ERR_FILES_CHANGED);
	assert_int_equal(entries(), 0);
}

static void what_is_no_file_is_refused(void **state)
{
	(void)state;
	assert_int_equal(mkdirat(dir_fd, "f", 0755), 0);
	assert_int_equal(replace("x", &plainly), ERR_FILES_IS_DIR);
	assert_int_equal(unlinkat(dir_fd, "f", AT_REMOVEDIR), 0);
	assert_int_equal(symlinkat("elsewhere", dir_fd, "f"), 0); /* put there after the place was resolved */
	assert_int_equal(replace("x", &plainly), ERR_FILES_NOT_REGULAR);
	assert_int_equal(unlinkat(dir_fd, "f", 0), 0);
	assert_int_equal(mkfifoat(dir_fd, "f", 0644), 0);
	assert_int_equal(replace("x", &plainly), ERR_FILES_NOT_REGULAR);
	place.wants_folder = true;
	assert_int_equal(replace("x", &plainly), ERR_FILES_IS_DIR);
	assert_int_equal(entries(), 1);
}

static void a_folder_that_came_in_between_stays(void **state)
{
	struct target t;

	(void)state;
	assert_int_equal(target_open(&t, &place, &plainly, &err), 0);
	assert_int_equal(mkdirat(dir_fd, "f", 0755), 0);
	assert_int_equal(target_commit(&t, &err), -1);
	assert_int_equal(err.code, ERR_FILES_IS_DIR);
	target_done(&t);
	assert_int_equal(entries(), 1);
}

static int with_unnamed(void **state)
{
	(void)state;
	target_use_unnamed(true);
	return 0;
}

static int without_unnamed(void **state)
{
	(void)state;
	target_use_unnamed(false);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_new_file_appears_at_the_end),
		TEST(missing_folders_are_made_at_the_end),
		TEST(without_a_commit_nothing_is_left),
		TEST(modes_are_kept_or_given),
		TEST(create_only_is_decided_at_the_end),
		TEST(a_file_that_appeared_meanwhile_is_replaced),
		TEST(a_match_is_looked_at_again),
		TEST(what_is_no_file_is_refused),
		TEST(a_folder_that_came_in_between_stays),
	};
	int failed = cmocka_run_group_tests_name("unnamed", tests, with_unnamed, NULL);

	return failed + cmocka_run_group_tests_name("named", tests, without_unnamed, NULL);
}
