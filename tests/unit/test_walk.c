/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/budget.h"
#include "ops/files/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[64];
static int dir_fd;

static int set_up(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/test_walk.XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	dir_fd = open(folder, O_RDONLY | O_DIRECTORY);
	return dir_fd < 0;
}

/* Removes all by the very walk that is tested. */
static int tear_down(void **state)
{
	struct walk w;
	int event, status = walk_start(&w, dup(dir_fd), folder);

	(void)state;
	while (status == 0 && (event = walk_next(&w)) != WALK_END) {
		if (event < 0)
			status = event;
		else if (event == WALK_LEFT)
			status = w.dir_fd >= 0 && unlinkat(w.dir_fd, w.name, AT_REMOVEDIR) < 0 ? -errno : 0;
		else if (w.type == DT_DIR)
			status = walk_enter(&w);
		else
			status = unlinkat(w.dir_fd, w.name, 0) < 0 ? -errno : 0;
	}
	walk_done(&w);
	close(dir_fd);
	assert_int_equal(budget_used(), 0);
	return status < 0 ? status : rmdir(folder);
}

static void make_file(int fd, const char *name)
{
	int file = openat(fd, name, O_WRONLY | O_CREAT, 0644);

	assert_true(file >= 0);
	close(file);
}

static unsigned open_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static void make_chain(int levels)
{
	int fd = dup(dir_fd);

	for (int i = 0; i < levels; i++) {
		int next;

		assert_int_equal(mkdirat(fd, "d", 0755), 0);
		make_file(fd, "f");
		next = openat(fd, "d", O_RDONLY | O_DIRECTORY);
		assert_true(next >= 0);
		close(fd);
		fd = next;
	}
	close(fd);
}

static void a_deep_tree_is_walked_with_few_descriptors(void **state)
{
	unsigned files = 0, folders = 0, before = open_fds(), most = 0;
	struct walk w;
	int event;

	(void)state;
	make_chain(300);
	assert_int_equal(walk_start(&w, dup(dir_fd), "/top"), 0);
	while ((event = walk_next(&w)) > 0) {
		unsigned now = open_fds();

		most = now > most ? now : most;
		if (event == WALK_LEFT) {
			folders++;
		} else if (w.type == DT_DIR) {
			assert_int_equal(walk_enter(&w), 0);
		} else {
			assert_int_equal(faccessat(w.dir_fd, w.name, F_OK, 0), 0);
			files++;
		}
	}
	assert_int_equal(event, WALK_END);
	walk_done(&w);
	assert_int_equal(files, 300);
	assert_int_equal(folders, 301);
	assert_true(most - before <= 32);
}

static void paths_are_those_of_the_entries(void **state)
{
	struct walk w;

	(void)state;
	assert_int_equal(mkdirat(dir_fd, "a", 0755), 0);
	assert_int_equal(mkdirat(dir_fd, "a/b", 0755), 0);
	assert_int_equal(walk_start(&w, dup(dir_fd), "/"), 0);
	assert_int_equal(walk_next(&w), WALK_ENTRY);
	assert_string_equal(w.path.data, "/a");
	assert_int_equal(walk_enter(&w), 0);
	assert_int_equal(walk_next(&w), WALK_ENTRY);
	assert_string_equal(w.path.data, "/a/b");
	assert_int_equal(walk_next(&w), WALK_LEFT);
	assert_string_equal(w.path.data, "/a");
	assert_string_equal(w.name, "a");
	assert_int_equal(walk_next(&w), WALK_LEFT);
	assert_int_equal(w.dir_fd, -1);
	assert_int_equal(walk_next(&w), WALK_END);
	walk_done(&w);
}

static void the_start_may_be_a_mere_name(void **state)
{
	struct walk w;

	(void)state;
	assert_int_equal(mkdirat(dir_fd, "a", 0755), 0);
	assert_int_equal(walk_start(&w, dup(dir_fd), "top"), 0);
	assert_int_equal(walk_next(&w), WALK_ENTRY);
	assert_string_equal(w.path.data, "top/a");
	assert_int_equal(walk_next(&w), WALK_LEFT);
	assert_string_equal(w.path.data, "top");
	assert_string_equal(w.name, "top");
	assert_int_equal(walk_next(&w), WALK_END);
	walk_done(&w);
}

static void links_are_not_entered(void **state)
{
	struct walk w;

	(void)state;
	assert_int_equal(symlinkat("/", dir_fd, "l"), 0);
	assert_int_equal(walk_start(&w, dup(dir_fd), "/top"), 0);
	assert_int_equal(walk_next(&w), WALK_ENTRY);
	assert_int_equal(w.type, DT_LNK);
	assert_true(walk_enter(&w) < 0);
	walk_done(&w);
}

static void a_folder_that_was_moved_away_ends_the_walk(void **state)
{
	struct walk w;
	int event = 0;

	(void)state;
	make_chain(40);
	assert_int_equal(walk_start(&w, dup(dir_fd), "/top"), 0);
	for (int depth = 0; depth < 40;) {
		assert_int_equal(walk_next(&w), WALK_ENTRY);
		if (w.type == DT_DIR) {
			assert_int_equal(walk_enter(&w), 0);
			depth++;
		}
	}
	/* The eleventh folder is closed by now; the twelfth gets another parent. */
	assert_int_equal(mkdirat(dir_fd, "other", 0755), 0);
	assert_int_equal(renameat(dir_fd, "d/d/d/d/d/d/d/d/d/d/d/d", dir_fd, "other/d"), 0);
	while (event >= 0 && (event = walk_next(&w)) != WALK_END)
		;
	assert_int_equal(event, -EBUSY);
	walk_done(&w);
}

static void names_are_sorted_and_cut(void **state)
{
	struct names names;
	char name[16];

	(void)state;
	for (int i = 999; i >= 0; i--) {
		snprintf(name, sizeof name, "%s%03d", i % 2 ? "" : ".", i);
		make_file(dir_fd, name);
	}
	assert_int_equal(names_read_sorted(&names, dir_fd, 10, true), 0);
	assert_int_equal(names.count, 10);
	assert_true(names.more);
	assert_string_equal(names_get(&names, 0), ".000");
	assert_string_equal(names_get(&names, 9), ".018");
	names_free(&names);
	assert_int_equal(names_read_sorted(&names, dir_fd, 500, false), 0);
	assert_int_equal(names.count, 500);
	assert_false(names.more);
	assert_string_equal(names_get(&names, 499), "999");
	names_free(&names);
	assert_int_equal(names_read(&names, dir_fd), 0);
	assert_int_equal(names.count, 1000);
	names_free(&names);
}

static void names_keep_to_the_budget(void **state)
{
	struct names names;
	char name[16];

	(void)state;
	for (int i = 0; i < 2000; i++) {
		snprintf(name, sizeof name, "%d", i);
		make_file(dir_fd, name);
	}
	budget_set_limit(4096);
	assert_int_equal(names_read(&names, dir_fd), -ENOMEM);
	assert_int_equal(names_read_sorted(&names, dir_fd, 2000, true), -ENOMEM);
	assert_int_equal(names_read_sorted(&names, dir_fd, 5, true), 0); /* few are held at once */
	assert_int_equal(names.count, 5);
	names_free(&names);
	budget_set_limit(0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_deep_tree_is_walked_with_few_descriptors),
		TEST(paths_are_those_of_the_entries),
		TEST(the_start_may_be_a_mere_name),
		TEST(links_are_not_entered),
		TEST(a_folder_that_was_moved_away_ends_the_walk),
		TEST(names_are_sorted_and_cut),
		TEST(names_keep_to_the_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
