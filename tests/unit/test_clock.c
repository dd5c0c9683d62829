/* SPDX-License-Identifier: Apache-2.0 */
/* Time as text. */
#include "base/clock.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void monotonic_never_goes_back(void **state)
{
	(void)state;
	int64_t last = clock_now_ns();

	assert_true(last > 0);
	for (int i = 0; i < 1000; i++) {
		int64_t now = clock_now_ns();

		assert_true(now >= last);
		last = now;
	}
}

static void timestamps(void **state)
{
	(void)state;
	char text[CLOCK_TEXT_SIZE];

	assert_string_equal(clock_text((struct timespec){ 0, 0 }, text), "1970-01-01T00:00:00.000Z");
	assert_string_equal(clock_text((struct timespec){ 1767323045, 678999999 }, text), "2026-01-02T03:04:05.678Z");
	assert_string_equal(clock_text((struct timespec){ 951782400, 0 }, text), "2000-02-29T00:00:00.000Z");
	assert_string_equal(clock_text((struct timespec){ -1, 999000000 }, text), "1969-12-31T23:59:59.999Z");
	assert_string_equal(
		clock_text((struct timespec){ INT64_C(253402300799), 0 }, text), "9999-12-31T23:59:59.000Z");
}

static void impossible_times_are_the_epoch(void **state)
{
	(void)state;
	char text[CLOCK_TEXT_SIZE];

	assert_string_equal(clock_text((struct timespec){ INT64_MAX, 0 }, text), "1970-01-01T00:00:00.000Z");
	assert_string_equal(
		clock_text((struct timespec){ INT64_C(253402300800), 0 }, text), "1970-01-01T00:00:00.000Z");
	assert_string_equal(clock_http_date(INT64_MIN, text), "Thu, 01 Jan 1970 00:00:00 GMT");
}

static void now_is_a_timestamp(void **state)
{
	(void)state;
	char text[CLOCK_TEXT_SIZE];

	clock_text_now(text);
	assert_int_equal(strlen(text), 24);
	assert_int_equal(text[10], 'T');
	assert_int_equal(text[23], 'Z');
	assert_true(strcmp(text, "2000-01-01") > 0);
}

static void http_dates(void **state)
{
	(void)state;
	char text[CLOCK_TEXT_SIZE];

	assert_string_equal(clock_http_date(1767323045, text), "Fri, 02 Jan 2026 03:04:05 GMT");
	assert_string_equal(clock_http_date(784111777, text), "Sun, 06 Nov 1994 08:49:37 GMT");
	assert_string_equal(clock_http_date(1735603200, text), "Tue, 31 Dec 2024 00:00:00 GMT");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(monotonic_never_goes_back),
		cmocka_unit_test(timestamps),
		cmocka_unit_test(impossible_times_are_the_epoch),
		cmocka_unit_test(now_is_a_timestamp),
		cmocka_unit_test(http_dates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
