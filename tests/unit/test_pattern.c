/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "policy/pattern.h"

#include <string.h>

static void a_plain_path_covers_itself_and_all_below(void **state)
{
	(void)state;
	assert_true(pattern_covers("/r/a", "/r/a"));
	assert_true(pattern_covers("/r/a", "/r/a/b/c"));
	assert_false(pattern_covers("/r/a", "/r"));
	assert_false(pattern_covers("/r/a", "/r/ab"));
	assert_false(pattern_covers("/r/a", "/r/b/a"));
}

static void two_stars_cross_folders(void **state)
{
	(void)state;
	assert_true(pattern_covers("/**/.ssh", "/.ssh"));
	assert_true(pattern_covers("**/.ssh", "/a/b/.ssh/id"));
	assert_false(pattern_covers("**/.ssh", "/a/b/.sshx"));
	assert_true(pattern_covers("/r/**/x/**/y", "/r/1/x/2/3/y"));
	assert_true(pattern_covers("/r/**/x/**/y", "/r/x/y"));
	assert_false(pattern_covers("/r/**/x/**/y", "/r/1/y/2/x"));
	assert_true(pattern_covers("**", "/"));
	assert_true(pattern_covers("**/a/b", "/a/a/b"));
}

static void one_star_stays_in_a_name(void **state)
{
	(void)state;
	assert_true(pattern_covers("/r/*.key", "/r/a.key"));
	assert_true(pattern_covers("/r/*.key", "/r/.key"));
	assert_false(pattern_covers("/r/*.key", "/r/a/b.key"));
	assert_true(pattern_covers("/r/a*b*c", "/r/aXbXbXc"));
	assert_false(pattern_covers("/r/a*b*c", "/r/aXcXb"));
	assert_true(pattern_covers("/r/?", "/r/x"));
	assert_false(pattern_covers("/r/?", "/r/xy"));
	assert_true(pattern_covers("/r/*", "/r/x/below"));
	assert_false(pattern_covers("/r/*", "/r"));
}

static void what_lies_below_may_be_reached(void **state)
{
	(void)state;
	assert_true(pattern_reaches("/r/a/b", "/r"));
	assert_true(pattern_reaches("/r/a/b", "/"));
	assert_true(pattern_reaches("/r/a/b", "/r/a/b/c"));
	assert_false(pattern_reaches("/r/a/b", "/r/x"));
	assert_true(pattern_reaches("**/.env", "/r/x"));
	assert_true(pattern_reaches("/r/*/b", "/r/x"));
	assert_false(pattern_reaches("/r/*/b", "/q"));
}

static void many_stars_cost_no_more_than_the_lengths(void **state)
{
	char pattern[3000], path[3400];

	(void)state;
	for (size_t i = 0; i < sizeof pattern; i++)
		pattern[i] = "/**/a*a*a*b"[i % 11];
	for (size_t i = 0; i < sizeof path; i++)
		path[i] = "/aaaaaaaaaaaaaaaa"[i % 17];
	pattern[sizeof pattern - 1] = path[sizeof path - 1] = '\0';
	assert_false(pattern_covers(pattern, path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plain_path_covers_itself_and_all_below),
		cmocka_unit_test(two_stars_cross_folders),
		cmocka_unit_test(one_star_stays_in_a_name),
		cmocka_unit_test(what_lies_below_may_be_reached),
		cmocka_unit_test(many_stars_cost_no_more_than_the_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
