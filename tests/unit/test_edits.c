/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ops/files/edits.h"

static void counting(void **state)
{
	(void)state;
	assert_int_equal(edit_count(STR("aaaa"), STR("aa")), 2);
	assert_int_equal(edit_count(STR("a\0b\0a"), STR("\0")), 2);
	assert_int_equal(edit_count(STR(""), STR("a")), 0);
	assert_int_equal(edit_count((struct str){ 0 }, STR("a")), 0);
	assert_int_equal(edit_count(STR("a"), STR("")), 0);
}

static void check_replace(const char *text, const char *old, const char *new, const char *want)
{
	struct edit edit = { .old = str_of(old), .new = str_of(new) };
	struct buf out;

	buf_init(&out, 4096);
	edit_replace(&out, str_of(text), &edit);
	assert_true(str_is(buf_str(&out), want));
	buf_free(&out);
}

static void replacing(void **state)
{
	(void)state;
	check_replace("one two one", "one", "1", "1 two 1");
	check_replace("aaa", "aa", "", "a");
	check_replace("x", "x", "xx", "xx");
	check_replace("x", "y", "z", "x");
}

static void check_nearest(const char *text, const char *old, const char *line, size_t number)
{
	size_t got;
	struct str found = edit_nearest(str_of(text), str_of(old), &got);

	assert_int_equal(got, number);
	assert_true(str_is(found, line));
}

static void the_nearest_line(void **state)
{
	(void)state;
	check_nearest("int a;\n\tint b = 1;\nvoid f(void);\n", "int b = 2;\n", "\tint b = 1;", 2);
	check_nearest("alpha\nbeta", "\n\nbet\n", "beta", 2);
	check_nearest("alpha\n", "zzz", "", 0);
	check_nearest("", "zzz", "", 0);
	check_nearest("abc\n", "\n", "", 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(counting),
		cmocka_unit_test(replacing),
		cmocka_unit_test(the_nearest_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
