/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values found in a message without a tree: whatever is in it, and whatever is wrong with it.
 */
#include "browser/span.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void expect(struct str got, const char *want)
{
	if (!want) {
		assert_null(got.p);
		return;
	}
	assert_non_null(got.p);
	if (!str_is(got, want))
		fail_msg("wanted %s, got " STR_FMT, want, STR_ARG(got));
}

static void members_are_found(void **state)
{
	struct str object = STR(
		"{ \"a\" : 1,\"b\":{\"c\":[1,{\"d\":\"]}\\\"\"}],\"e\":null} ,\n\"f\":\"x\\\\\",\"g\":-1.5e3}");

	(void)state;
	expect(span_get(object, "a"), "1");
	expect(span_get(object, "f"), "\"x\\\\\"");
	expect(span_get(object, "g"), "-1.5e3");
	expect(span_at(object, "b.c"), "[1,{\"d\":\"]}\\\"\"}]");
	expect(span_at(object, "b.e"), "null");
	expect(span_at(object, "b.c.d"), NULL);
	expect(span_at(object, "b.x.y"), NULL);
	expect(span_get(object, "x"), NULL);
	expect(span_get(STR("[1]"), "a"), NULL);
	expect(span_get(STR("{}"), "a"), NULL);
	expect(span_get((struct str){ NULL, 0 }, "a"), NULL);
}

static void what_is_cut_off_is_absent(void **state)
{
	static const char whole[] = "{\"a\":[\"\\\"x\",{\"b\":[]}],\"z\":\"\\u00e9\"}";

	(void)state;
	for (size_t len = 0; len + 1 < sizeof whole - 1; len++) {
		AUTOFREE char *copy = malloc(len + 1);

		memcpy(copy, whole, len);
		expect(span_get((struct str){ copy, len }, "z"), NULL);
	}
	expect(span_get(str_of(whole), "z"), "\"\\u00e9\"");
	expect(span_get(STR("{\"a\" 1}"), "a"), NULL);
	expect(span_get(STR("{\"a\":1 \"b\":2}"), "b"), NULL);
	expect(span_get(STR("{1:2}"), "b"), NULL);
}

static void elements_come_one_by_one(void **state)
{
	struct str list = STR("[1, \"a,b\" ,[2,3],{}]"), none = STR(" [ ]"), no_list = STR("x");

	(void)state;
	expect(span_next(&list), "1");
	expect(span_next(&list), "\"a,b\"");
	expect(span_next(&list), "[2,3]");
	expect(span_next(&list), "{}");
	expect(span_next(&list), NULL);
	expect(span_next(&none), NULL);
	expect(span_next(&no_list), NULL);
}

static void words_and_numbers(void **state)
{
	(void)state;
	assert_true(span_is(STR("\"load\""), "load"));
	assert_true(span_is(STR("true"), "true"));
	assert_false(span_is(STR("\"loads\""), "load"));
	assert_false(span_is((struct str){ NULL, 0 }, ""));
	assert_true(span_integer(STR("404"), -1) == 404);
	assert_true(span_integer(STR("-7.9"), -1) == -7);
	assert_true(span_integer(STR("1e300"), 5) == 5);
	assert_true(span_integer(STR("nan"), 5) == 5);
	assert_true(span_integer(STR("\"1\""), 5) == 5);
	assert_true(span_number(STR("0.25"), 0) == 0.25);
	assert_true(span_number((struct str){ NULL, 0 }, 3) == 3);
	assert_true(span_number(STR("1111111111111111111111111111111111111111111111111111111111111111111"), 2) == 2);
}

static void check_text(const char *string, const char *want, size_t want_len)
{
	AUTOFREE char *copy = mem_strdup(string);
	struct str got = span_text(copy, str_of(copy));

	assert_non_null(got.p);
	assert_int_equal(got.len, want_len);
	assert_memory_equal(got.p, want, want_len);
}

static void strings_are_unescaped_in_place(void **state)
{
	char number[] = "12", empty[] = "\"\"";

	(void)state;
	check_text("\"\"", "", 0);
	check_text("\"plain \xc3\xa9\"", "plain \xc3\xa9", 8);
	check_text("\"\\n\\t\\r\\b\\f\\\"\\\\\\/\"", "\n\t\r\b\f\"\\/", 8);
	check_text("\"\\u0000a\\u00e9\\u4e2d\\ud83d\\ude00!\"", "\0a\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80!", 12);
	/* Lone surrogates, of either kind, also at the end. */
	check_text("\"\\ud800\"", "\xef\xbf\xbd", 3);
	check_text("\"\\udc00\\ud800x\"", "\xef\xbf\xbd\xef\xbf\xbdx", 7);
	check_text("\"\\ud800\\ud800\\udc00\"", "\xef\xbf\xbd\xf0\x90\x80\x80", 7);
	/* What no writer of JSON writes. */
	check_text("\"\\q\\u12\"", "qu12", 4);
	assert_null(span_text(number, str_of(number)).p);
	assert_int_equal(span_text(empty, str_of(empty)).len, 0);
}

static void surrogates_are_mended(void **state)
{
	char text[] = "[\"\\ud800\",\"\\ud83d\\ude00\",\"\\\\ud800\",\"\\udFFF\\uD800\\uDBFF\"]";

	(void)state;
	span_mend(text, str_of(text));
	assert_string_equal(text, "[\"\\ufffd\",\"\\ud83d\\ude00\",\"\\\\ud800\",\"\\ufffd\\ufffd\\ufffd\"]");
}

static void depth_is_counted(void **state)
{
	(void)state;
	assert_int_equal(span_depth(STR("1")), 0);
	assert_int_equal(span_depth(STR("\"[[[\"")), 0);
	assert_int_equal(span_depth(STR("[]")), 1);
	assert_int_equal(span_depth(STR("[{\"a\":[1]},[]]")), 3);
	assert_int_equal(span_depth(STR("[[")), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_are_found),
		cmocka_unit_test(what_is_cut_off_is_absent),
		cmocka_unit_test(elements_come_one_by_one),
		cmocka_unit_test(words_and_numbers),
		cmocka_unit_test(strings_are_unescaped_in_place),
		cmocka_unit_test(surrogates_are_mended),
		cmocka_unit_test(depth_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
