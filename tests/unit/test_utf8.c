/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8: every boundary of RFC 3629, tails, maximal bad parts, cuts. */
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* The definition, by code point, to compare with. */
static size_t encode(char *to, unsigned c)
{
	if (c < 0x80)
		return to[0] = (char)c, 1;
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 63));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 63));
		to[2] = (char)(0x80 | (c & 63));
		return 3;
	}
	to[0] = (char)(0xf0 | c >> 18);
	to[1] = (char)(0x80 | (c >> 12 & 63));
	to[2] = (char)(0x80 | (c >> 6 & 63));
	to[3] = (char)(0x80 | (c & 63));
	return 4;
}

static void every_code_point(void **state)
{
	(void)state;
	for (unsigned c = 0; c < 0x112000; c++) {
		char text[4];
		size_t len = encode(text, c);
		bool valid = c < 0x110000 && (c < 0xd800 || c > 0xdfff);

		assert_int_equal(utf8_valid((struct str){ text, len }), valid);
		assert_int_equal(utf8_char_len((struct str){ text, len }), valid ? len : 0);
		if (valid && len > 1)
			assert_int_equal(utf8_incomplete_tail((struct str){ text, len - 1 }), len - 1);
	}
}

/* All texts of two bytes and all of three that begin high: valid ones are as many as there are. */
static void every_short_text(void **state)
{
	(void)state;
	size_t valid = 0;

	for (unsigned v = 0; v < 0x10000; v++) {
		char text[2] = { (char)(v >> 8), (char)v };

		valid += utf8_valid((struct str){ text, 2 });
	}
	assert_int_equal(valid, 128 * 128 + (0x800 - 0x80));
	valid = 0;
	for (unsigned v = 0; v < 0x200000; v++) {
		char text[3] = { (char)(0xe0 | v >> 16), (char)(v >> 8), (char)v };

		valid += utf8_valid((struct str){ text, 3 });
	}
	assert_int_equal(valid, 0x10000 - 0x800 - 0x800);
}

static void valid_prefixes(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		size_t prefix;
	} rows[] = { { "", 0 }, { "plain ascii, long enough for words", 34 }, { "abc\xff", 3 }, { "12345678\x80", 8 },
		{ "\xc0\x80", 0 }, { "a\xe2\x82\xac\xe2\x82", 4 }, { "\xed\xa0\x80", 0 }, { "\xf4\x90\x80\x80", 0 },
		{ "\xf5\x80\x80\x80", 0 }, { "\xf0\x8f\xbf\xbf", 0 }, { "\xe0\x9f\xbf", 0 }, { "ok\xef\xbf\xbd", 5 } };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(utf8_valid_prefix(str_of(rows[i].text)), rows[i].prefix);
	assert_int_equal(utf8_valid_prefix(STR("a\0b")), 3);
}

static void bad_parts_are_maximal(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		size_t len;
	} rows[] = { { "\x80", 1 }, { "\xff", 1 }, { "\xc0\xaf", 1 }, { "\xc1\xbf", 1 }, { "\xc2", 1 }, { "\xc2 ", 1 },
		{ "\xe0\x80\xaf", 1 }, { "\xe1\x80", 2 }, { "\xe1\x80\xc2", 2 }, { "\xed\xa0\x80", 1 },
		{ "\xf0\x80\x80", 1 }, { "\xf0\x90\x80", 3 }, { "\xf0\x90\x80 ", 3 }, { "\xf1\x80\x80\xe1", 3 },
		{ "\xf4\x91\x92\x93", 1 }, { "\xf8\x88\x80\x80", 1 } };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(utf8_bad_len(str_of(rows[i].text)), rows[i].len);
}

/* Whatever follows a valid text is kept back only while it may still become a character. */
static void tails_at_every_split(void **state)
{
	(void)state;
	static const char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z\xed\x9f\xbf\xf4\x8f\xbf\xbf";
	size_t start = 0;

	for (size_t split = 0; split < sizeof text; split++) {
		if (split < sizeof text - 1 && (text[split] & 0xc0) != 0x80)
			start = split;
		else if (split == sizeof text - 1)
			start = split;
		assert_int_equal(utf8_incomplete_tail((struct str){ text, split }), split - start);
		assert_true(
			utf8_valid((struct str){ text, split - utf8_incomplete_tail((struct str){ text, split }) }));
	}
}

static void hopeless_tails_are_not_kept(void **state)
{
	(void)state;
	static const char *const rows[] = { "", "a", "\x80", "\x80\x80\x80\x80", "\xc0", "\xff", "\xe0\x80", "\xed\xa0",
		"\xf0\x80", "\xf4\x90", "\xf5\x80", "\xc3\xa9", "\xc3\xa9\x80", "\xe2\x82\xac\x80", "\xf0\x9f\x98\x80",
		"\xe2\x82z", "\xe2z" };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(utf8_incomplete_tail(str_of(rows[i])), 0);
}

static void cuts_spare_characters(void **state)
{
	(void)state;
	static const char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z";
	static const size_t cuts[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11 };

	for (size_t max = 0; max < ARRAY_LEN(cuts); max++)
		assert_int_equal(utf8_cut(STR(text), max), cuts[max]);
	/* What is no character may be cut anywhere. */
	assert_int_equal(utf8_cut(STR("\x80\x80\x80\x80\x80"), 3), 3);
	assert_int_equal(utf8_cut(STR("\xe2\x82zzz"), 1), 1);
	assert_int_equal(utf8_cut(STR("\xe2\x82"), 1), 1);
	assert_int_equal(utf8_cut(str_of(NULL), 5), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code_point),
		cmocka_unit_test(every_short_text),
		cmocka_unit_test(valid_prefixes),
		cmocka_unit_test(bad_parts_are_maximal),
		cmocka_unit_test(tails_at_every_split),
		cmocka_unit_test(hopeless_tails_are_not_kept),
		cmocka_unit_test(cuts_spare_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
