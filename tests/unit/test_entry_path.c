/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ops/files/entry_path.h"

static void check(const char *name, int64_t strip, const char *wanted)
{
	char path[ENTRY_PATH_MAX];
	const char *reason = entry_path(str_of(name), strip, path);

	if (wanted) {
		assert_null(reason);
		assert_string_equal(path, wanted);
	} else {
		assert_non_null(reason);
		assert_string_equal(path, "");
	}
}

static void test_plain_names(void **state)
{
	(void)state;
	check("a", 0, "a");
	check("./a/./b//c/", 0, "a/b/c");
	check(".", 0, "");
	check("C:\\x", 0, "C:\\x");
	check("...", 0, "...");
	check("a/..b/c..", 0, "a/..b/c..");
}

static void test_names_that_leave(void **state)
{
	(void)state;
	check("", 0, NULL);
	check("/a", 0, NULL);
	check("..", 0, NULL);
	check("../a", 0, NULL);
	check("a/..", 0, NULL);
	check("a/../../b", 0, NULL);
	check("a/../b", 0, NULL);
	check("../a", 1, NULL); /* also where it would be stripped away */
}

static void test_strip(void **state)
{
	(void)state;
	check("a/b/c", 1, "b/c");
	check("./a/b", 1, "b");
	check("a", 1, "");
	check("a/b", 5, "");
}

static void test_long_names(void **state)
{
	char name[6000];

	(void)state;
	memset(name, 'n', sizeof name);
	name[255] = '\0';
	check(name, 0, name);
	name[255] = 'n';
	name[256] = '\0';
	check(name, 0, NULL);
	for (size_t i = 0; i < sizeof name; i++)
		name[i] = i % 2 ? '/' : 'd';
	name[sizeof name - 1] = '\0';
	check(name, 0, NULL);
	name[4001] = '\0';
	check(name, 0, name);
}

static void test_a_nul_in_the_name(void **state)
{
	char path[ENTRY_PATH_MAX];

	(void)state;
	assert_non_null(entry_path((struct str){ "a\0b", 3 }, 0, path));
}

static void test_links(void **state)
{
	(void)state;
	assert_int_equal(entry_depth("a"), 0);
	assert_int_equal(entry_depth("a/b/c"), 2);
	assert_true(entry_link_stays("f", 0));
	assert_true(entry_link_stays(".", 0));
	assert_true(entry_link_stays("../f", 1));
	assert_true(entry_link_stays(".././../f/g", 2));
	assert_false(entry_link_stays("", 3));
	assert_false(entry_link_stays("/etc", 3));
	assert_false(entry_link_stays("..", 0));
	assert_false(entry_link_stays("../../f", 1));
	/* What is in front may be a link itself: "..", then, is above wherever that leads. */
	assert_false(entry_link_stays("d/..", 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_names),
		cmocka_unit_test(test_names_that_leave),
		cmocka_unit_test(test_strip),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_a_nul_in_the_name),
		cmocka_unit_test(test_links),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
