/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges, entity tags, dates and Accept: each rule as a row.
 */
#include "wire/range.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

static void check_range(const char *value, uint64_t size, struct range want)
{
	struct range got = range_parse(str_of(value), size);

	assert_int_equal(got.kind, want.kind);
	assert_true(got.first == want.first && got.last == want.last);
}

static void check_part(const char *value, uint64_t size, uint64_t first, uint64_t last)
{
	check_range(value, size, (struct range){ RANGE_PART, first, last });
}

static void test_parts(void **state)
{
	(void)state;
	check_part("bytes=0-0", 10, 0, 0);
	check_part("bytes=2-5", 10, 2, 5);
	check_part("bytes=2-", 10, 2, 9);
	check_part("bytes=9-9", 10, 9, 9);
	check_part("bytes=0-10", 10, 0, 9);
	check_part("bytes=0-99999999999999999999999", 10, 0, 9);
	check_part("bytes=0-18446744073709551616", 10, 0, 9);
	check_part("bytes=-3", 10, 7, 9);
	check_part("bytes=-10", 10, 0, 9);
	check_part("bytes=-11", 10, 0, 9);
	check_part("bytes=-99999999999999999999999", 10, 0, 9);
	check_part("BYTES=1-2", 10, 1, 2);
	check_part("bytes= 1-2 ", 10, 1, 2);
	check_part("bytes=007-008", 10, 7, 8);
	check_part("bytes=18446744073709551613-", UINT64_MAX, UINT64_MAX - 2, UINT64_MAX - 1);
	check_part("bytes=5-18446744073709551617", UINT64_MAX, 5, UINT64_MAX - 1);
	check_part("bytes=-1", UINT64_MAX, UINT64_MAX - 1, UINT64_MAX - 1);
}

static void test_unsatisfiable(void **state)
{
	static const char *const values[] = { "bytes=10-", "bytes=10-20", "bytes=99999999999999999999999-",
		"bytes=18446744073709551616-", "bytes=-0", "bytes=99999999999999999999999-99999999999999999999999" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		check_range(values[i], 10, (struct range){ .kind = RANGE_UNSATISFIABLE });
	check_range("bytes=18446744073709551616-", UINT64_MAX, (struct range){ .kind = RANGE_UNSATISFIABLE });
	check_range("bytes=0-", 0, (struct range){ .kind = RANGE_UNSATISFIABLE });
	check_range("bytes=-0", 0, (struct range){ .kind = RANGE_UNSATISFIABLE });
}

static void test_ignored(void **state)
{
	static const char *const values[] = { "", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=1", "bytes=5-2",
		"bytes=1-2,3-4", "bytes=1-2,", "bytes=,1-2", "bytes=1 -2", "bytes=1- 2", "bytes=+1-2", "bytes=--1",
		"bytes=0x1-2", "bytes=1-2-3", "bytes =1-2", "items=1-2", "bytes:1-2", "1-2", "bytes=1-2x",
		"bytes=-1x" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		check_range(values[i], 10, (struct range){ .kind = RANGE_WHOLE });
	check_range("bytes=-5", 0, (struct range){ .kind = RANGE_WHOLE });
}

static void check_tag(const char *list, const char *tag, bool strong, bool weak)
{
	assert_int_equal(etag_list_has(str_of(list), str_of(tag), false), strong);
	assert_int_equal(etag_list_has(str_of(list), str_of(tag), true), weak);
}

static void test_tags(void **state)
{
	(void)state;
	check_tag("\"a\"", "\"a\"", true, true);
	check_tag("*", "\"a\"", true, true);
	check_tag(" * ", "\"a\"", true, true);
	check_tag("\"b\", \"a\"", "\"a\"", true, true);
	check_tag(",, \"b\"\t,\"a\"", "\"a\"", true, true);
	check_tag("W/\"a\"", "\"a\"", false, true);
	check_tag("W/\"a\"", "W/\"a\"", false, true);
	check_tag("\"a\"", "W/\"a\"", false, true);
	check_tag("w/\"a\"", "\"a\"", false, false);
	check_tag("\"x, \"a\"", "\"a\"", false, false);
	check_tag("\"b,\"", "\"b,\"", true, true);
	check_tag("\"b\\\", \"a\"", "\"a\"", true, true);
	check_tag("a", "\"a\"", false, false);
	check_tag("\"a", "\"a\"", false, false);
	check_tag("\"", "\"a\"", false, false);
	check_tag("W/", "\"a\"", false, false);
	check_tag("", "\"a\"", false, false);
	check_tag("\"A\"", "\"a\"", false, false);
	check_tag("\"b\", *", "\"a\"", false, false);
	check_tag("\"\"", "\"\"", true, true);
}

static void check_date(const char *text, int64_t want)
{
	int64_t got = -1;

	assert_int_equal(http_date_parse(str_of(text), &got), 0);
	assert_true(got == want);
}

static void test_dates(void **state)
{
	(void)state;
	check_date("Sun, 06 Nov 1994 08:49:37 GMT", 784111777);
	check_date("Sunday, 06-Nov-94 08:49:37 GMT", 784111777);
	check_date("Sun Nov  6 08:49:37 1994", 784111777);
	check_date("Wed Nov 16 08:49:37 1994", 784975777);
	check_date("Thu, 01 Jan 1970 00:00:00 GMT", 0);
	check_date("Wed, 31 Dec 1969 23:59:59 GMT", -1);
	check_date("Tue, 29 Feb 2000 12:00:00 GMT", 951825600);
	check_date("Fri, 31 Dec 9999 23:59:59 GMT", 253402300799);
	check_date("Tuesday, 01-Jan-30 00:00:00 GMT", 1893456000);
	check_date("Sat, 31 Dec 2016 23:59:60 GMT", 1483228800);
}

static void test_dates_as_the_library_counts(void **state)
{
	char text[64];

	(void)state;
	for (int64_t at = -2000000000; at < 8000000000; at += 8640017) {
		time_t seconds = at;
		struct tm tm;

		gmtime_r(&seconds, &tm);
		strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &tm);
		check_date(text, at);
		strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", &tm);
		check_date(text, at);
	}
}

static void test_bad_dates(void **state)
{
	static const char *const bad[] = { "", "0", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
		"Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT", "sun, 06 Nov 1994 08:49:37 GMT",
		"Sun, 06 nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
		"Sun, 31 Nov 1994 08:49:37 GMT", "Wed, 29 Feb 1900 00:00:00 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
		"Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 0000 08:49:37 GMT",
		"Sun, 06 Nov -994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
		"Sun Nov 6 08:49:37 1994", "Sun Nov 06 08:49:37 1994 GMT", "1994-11-06T08:49:37Z",
		"Sun, 06 Nov 1994 08:49:3" };
	int64_t got = 77;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(http_date_parse(str_of(bad[i]), &got), -EINVAL);
	assert_true(got == 77);
}

static void test_accept(void **state)
{
	static const char *const yes[] = { "a/b", "A/B", "x/y, a/b", "a/b;q=0.001", "a/b ; Q=1.000",
		"a/b;charset=x;q=0.5", "a/b;q=1", "a/b;q=1.", "x/y;p=\"a, z\", a/b", "a/b;q=0, a/b", "text/html,,a/b" };
	static const char *const no[] = { "", "*/*", "a/*", "a/bc", "a/b/c", "xa/b", "a/b;q=0", "a/b;q=0.000",
		"a/b; q=0.", "a/b;q=2", "a/b;q=1.5", "a/b;q=", "a/b;q=x", "a/b;q=0.0001", "a/b;q=-1", "x/y;p=\", a/b\"",
		"x/y;a/b" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(yes); i++)
		assert_true(accept_names(str_of(yes[i]), "a/b"));
	for (size_t i = 0; i < ARRAY_LEN(no); i++)
		assert_false(accept_names(str_of(no[i]), "a/b"));
	assert_true(accept_names(STR("x/y, Image/PNG"), "image/*"));
	assert_true(accept_names(STR("image/*;q=0.1"), "image/*"));
	assert_false(accept_names(STR("*/*, image/, images/png, image/png;q=0"), "image/*"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_unsatisfiable),
		cmocka_unit_test(test_ignored),
		cmocka_unit_test(test_tags),
		cmocka_unit_test(test_dates),
		cmocka_unit_test(test_dates_as_the_library_counts),
		cmocka_unit_test(test_bad_dates),
		cmocka_unit_test(test_accept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
