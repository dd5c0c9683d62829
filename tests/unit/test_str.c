/* SPDX-License-Identifier: Apache-2.0 */
/* Stretches of bytes: comparing, cutting, numbers, near misses. */
#include "base/str.h"

#include <errno.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void equality_is_of_bytes(void **state)
{
	(void)state;
	assert_true(str_eq(STR("a\0b"), STR("a\0b")));
	assert_false(str_eq(STR("a\0b"), STR("a\0c")));
	assert_false(str_eq(STR("a"), STR("ab")));
	assert_true(str_eq(str_of(NULL), STR("")));
	assert_true(str_is(STR("word"), "word"));
	assert_false(str_is(STR("wor"), "word"));
}

static void case_is_of_ascii_only(void **state)
{
	(void)state;
	assert_true(str_is_nocase(STR("Content-LENGTH"), "content-length"));
	assert_false(str_is_nocase(STR("content-lengt"), "content-length"));
	assert_false(str_is_nocase(STR("["), "{"));
	assert_false(str_is_nocase(STR("\xc4"), "\xe4"));
	assert_false(str_is_nocase(STR("a\0b"), "a"));
	assert_true(str_is_nocase(str_of(NULL), ""));
}

static void beginnings_and_members(void **state)
{
	(void)state;
	assert_true(str_starts(STR("abc"), "ab"));
	assert_true(str_starts(str_of(NULL), ""));
	assert_false(str_starts(STR("a"), "ab"));
	assert_true(str_has(STR("a\0b"), 'b'));
	assert_false(str_has(STR("ab"), '\0'));
	assert_false(str_has(str_of(NULL), 'a'));
}

static void cutting_leaves_the_rest(void **state)
{
	(void)state;
	struct str rest = STR("a,,b");

	assert_true(str_is(str_cut(&rest, ','), "a"));
	assert_true(str_is(str_cut(&rest, ','), ""));
	assert_true(str_is(str_cut(&rest, ','), "b"));
	assert_int_equal(rest.len, 0);
	assert_true(str_is(str_cut(&rest, ','), ""));
	rest = str_of(NULL);
	assert_true(str_is(str_cut(&rest, ','), ""));
	rest = STR("x,");
	assert_true(str_is(str_cut(&rest, ','), "x"));
	assert_int_equal(rest.len, 0);
}

static void trimming_takes_blanks_and_tabs(void **state)
{
	(void)state;
	assert_true(str_is(str_trim(STR(" \t a b \t")), "a b"));
	assert_true(str_is(str_trim(STR(" \t ")), ""));
	assert_true(str_is(str_trim(STR("\na\r")), "\na\r"));
	assert_true(str_is(str_trim(str_of(NULL)), ""));
}

static void numbers_are_digits(void **state)
{
	(void)state;
	static const char *const bad[] = { "", "-1", "+1", " 1", "1 ", "0x1", "1.0", "1234567890123456789",
		"\xd9\xa1" };
	uint64_t value = 7;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(str_to_u64(str_of(bad[i]), &value), -EINVAL);
	assert_int_equal(value, 7);
	assert_int_equal(str_to_u64(STR("999999999999999999"), &value), 0);
	assert_true(value == UINT64_C(999999999999999999));
	assert_int_equal(str_to_u64(STR("0"), &value), 0);
	assert_true(value == 0);
}

static void distance_counts_edits(void **state)
{
	(void)state;
	static const struct {
		const char *a, *b;
		size_t distance;
	} rows[] = { { "", "", 0 }, { "", "abc", 3 }, { "abc", "", 3 }, { "kitten", "sitting", 3 }, { "abc", "abc", 0 },
		{ "recusive", "recursive", 1 }, { "ab", "ba", 2 } };
	char longest[65];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(str_distance(str_of(rows[i].a), str_of(rows[i].b)), rows[i].distance);
	memset(longest, 'a', sizeof longest);
	assert_int_equal(str_distance((struct str){ longest, 64 }, (struct str){ longest, 64 }), 0);
	assert_true(str_distance((struct str){ longest, 65 }, STR("a")) == SIZE_MAX);
}

static void near_words_are_found(void **state)
{
	(void)state;
	static const char *const list[] = { "path", "recursive", "mode", "x", NULL };
	static const char *const none[] = { NULL };

	assert_string_equal(str_nearest(STR("recusive"), list), "recursive");
	assert_string_equal(str_nearest(STR("paths"), list), "path");
	assert_string_equal(str_nearest(STR("rec"), list), "recursive");
	assert_null(str_nearest(STR("re"), list));
	assert_null(str_nearest(STR("timeout"), list));
	assert_null(str_nearest(STR("y"), list));
	assert_null(str_nearest(STR(""), list));
	assert_null(str_nearest(STR("path"), none));
}

static void hex_digits(void **state)
{
	static const char digits[] = "0123456789abcdef";

	(void)state;
	for (int c = -128; c < 128; c++) {
		const char *at = c ? strchr(digits, c >= 'A' && c <= 'F' ? c + 0x20 : c) : NULL;

		assert_int_equal(str_hex_digit((char)c), at ? (int)(at - digits) : -1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hex_digits),
		cmocka_unit_test(equality_is_of_bytes),
		cmocka_unit_test(case_is_of_ascii_only),
		cmocka_unit_test(beginnings_and_members),
		cmocka_unit_test(cutting_leaves_the_rest),
		cmocka_unit_test(trimming_takes_blanks_and_tabs),
		cmocka_unit_test(numbers_are_digits),
		cmocka_unit_test(distance_counts_edits),
		cmocka_unit_test(near_words_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
