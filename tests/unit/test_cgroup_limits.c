/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of cgroups, on folders of plain files that look like the kernel's. */
#include "spawn/cgroup_limits.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

enum { ALL = CGROUP_MEMORY | CGROUP_PIDS | CGROUP_CPU };

static char top[] = "/tmp/abx-test-cgroup-limits-XXXXXX";
static char text[256];
static int own, group;

static void put(int dir, const char *name, const char *content)
{
	AUTOCLOSE int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_int_equal(write(fd, content, strlen(content)), (ssize_t)strlen(content));
}

static const char *get(int dir, const char *name)
{
	AUTOCLOSE int fd = openat(dir, name, O_RDONLY);
	ssize_t len = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;

	assert_true(len >= 0);
	text[len] = '\0';
	return text;
}

static void put_us(void)
{
	snprintf(text, sizeof text, "%d\n", getpid());
	put(own, "cgroup.procs", text);
}

/* A cgroup with these controllers, none of them given on yet, in which nobody lives. */
static void have(const char *controllers)
{
	put(own, "cgroup.type", "domain\n");
	put(own, "cgroup.controllers", controllers);
	put(own, "cgroup.subtree_control", "");
	put(own, "cgroup.procs", "");
	put(group, "cgroup.subtree_control", "");
}

static void what_is_wanted(void **state)
{
	(void)state;
	assert_int_equal(cgroup_limits_wanted(&(struct cgroup_limits){ 0 }), 0);
	assert_int_equal(cgroup_limits_wanted(&(struct cgroup_limits){ .cpu_max = 0.5 }), CGROUP_CPU);
	assert_int_equal(cgroup_limits_wanted(&(struct cgroup_limits){ 1, 1, 1 }), ALL);
}

static void what_is_possible(void **state)
{
	(void)state;
	have("cpuset cpu io memory hugetlb pids\n");
	assert_int_equal(cgroup_limits_possible(own, ALL), ALL);
	assert_int_equal(cgroup_limits_possible(own, CGROUP_PIDS), CGROUP_PIDS);
	put_us();
	assert_int_equal(cgroup_limits_possible(own, ALL), ALL);
	have("hugetlb\n");
	assert_int_equal(cgroup_limits_possible(own, ALL), 0);
	have("cpuset memory\n");
	assert_int_equal(cgroup_limits_possible(own, ALL), CGROUP_MEMORY);
}

static void others_in_our_cgroup(void **state)
{
	(void)state;
	have("cpu memory pids\n");
	put(own, "cgroup.procs", "1\n");
	assert_int_equal(cgroup_limits_possible(own, ALL), 0);
	put(own, "cgroup.subtree_control", "pids\n");
	assert_int_equal(cgroup_limits_possible(own, ALL), CGROUP_PIDS);
	/* The root of all has no type, and processes in it are in nobody's way. */
	assert_int_equal(unlinkat(own, "cgroup.type", 0), 0);
	assert_int_equal(cgroup_limits_possible(own, ALL), ALL);
}

static void controllers_are_given_on(void **state)
{
	(void)state;
	have("cpu memory\n");
	assert_int_equal(cgroup_limits_enable(own, group, CGROUP_MEMORY | CGROUP_PIDS), CGROUP_MEMORY);
	assert_string_equal(get(own, "cgroup.subtree_control"), "+memory");
	assert_string_equal(get(group, "cgroup.subtree_control"), "+memory");
	have("cpu memory\n");
	put(own, "cgroup.subtree_control", "cpu memory\n");
	assert_int_equal(cgroup_limits_enable(own, group, CGROUP_CPU), CGROUP_CPU);
	assert_string_equal(get(own, "cgroup.subtree_control"), "cpu memory\n");
	assert_string_equal(get(group, "cgroup.subtree_control"), "+cpu");
}

static void the_server_moves_out_of_the_way(void **state)
{
	AUTOCLOSE int leaf = -1;

	(void)state;
	have("cpu memory\n");
	put_us();
	/* The file that the kernel would have made in the folder. */
	assert_int_equal(mkdirat(own, "server", 0755), 0);
	leaf = openat(own, "server", O_RDONLY | O_DIRECTORY);
	put(leaf, "cgroup.procs", "");
	assert_int_equal(cgroup_limits_enable(own, group, CGROUP_MEMORY), CGROUP_MEMORY);
	assert_string_equal(get(leaf, "cgroup.procs"), "0");
	assert_int_equal(unlinkat(leaf, "cgroup.procs", 0), 0);
	cgroup_limits_leave(own);
	assert_string_equal(get(own, "cgroup.procs"), "0");
	assert_int_equal(faccessat(own, "server", F_OK, 0), -1);
}

/* Where it may not enter the folder nothing is enabled. */
static void a_move_that_fails(void **state)
{
	(void)state;
	have("cpu memory\n");
	put_us();
	assert_int_equal(cgroup_limits_enable(own, group, CGROUP_MEMORY), 0);
	assert_string_equal(get(own, "cgroup.subtree_control"), "");
	cgroup_limits_leave(own);
}

static void limits_are_written(void **state)
{
	const struct cgroup_limits all = { 1048576, 32, 0.5 }, none = { 0 }, tiny = { .cpu_max = 0.001 };

	(void)state;
	put(group, "memory.max", "max\n");
	put(group, "pids.max", "max\n");
	put(group, "cpu.max", "max 100000\n");
	put(group, "memory.swap.max", "max\n");
	assert_int_equal(cgroup_limits_write(group, &all, ALL), ALL);
	assert_string_equal(get(group, "memory.max"), "1048576");
	assert_string_equal(get(group, "memory.swap.max"), "0");
	assert_string_equal(get(group, "pids.max"), "32");
	assert_string_equal(get(group, "cpu.max"), "50000 100000");
	assert_int_equal(cgroup_limits_write(group, &tiny, CGROUP_CPU), CGROUP_CPU);
	assert_string_equal(get(group, "cpu.max"), "1000 100000");
	assert_string_equal(get(group, "pids.max"), "32");
	assert_int_equal(cgroup_limits_write(group, &none, ALL), ALL);
	assert_string_equal(get(group, "memory.max"), "max");
	assert_string_equal(get(group, "memory.swap.max"), "max");
	assert_string_equal(get(group, "cpu.max"), "max 100000");
	assert_int_equal(unlinkat(group, "pids.max", 0), 0);
	assert_int_equal(cgroup_limits_write(group, &all, ALL), CGROUP_MEMORY | CGROUP_CPU);
}

static int set_up(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(top));
	own = open(top, O_RDONLY | O_DIRECTORY);
	assert_int_equal(mkdirat(own, "group", 0755), 0);
	group = openat(own, "group", O_RDONLY | O_DIRECTORY);
	return group < 0;
}

static int tear_down(void **state)
{
	static const char *const names[] = { "cgroup.type", "cgroup.controllers", "cgroup.subtree_control",
		"cgroup.procs", "memory.max", "memory.swap.max", "pids.max", "cpu.max" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		unlinkat(own, names[i], 0);
		unlinkat(group, names[i], 0);
	}
	unlinkat(own, "server", AT_REMOVEDIR);
	unlinkat(own, "group", AT_REMOVEDIR);
	close(group);
	close(own);
	return rmdir(top);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_wanted),
		cmocka_unit_test(what_is_possible),
		cmocka_unit_test(others_in_our_cgroup),
		cmocka_unit_test(controllers_are_given_on),
		cmocka_unit_test(the_server_moves_out_of_the_way),
		cmocka_unit_test(a_move_that_fails),
		cmocka_unit_test(limits_are_written),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
