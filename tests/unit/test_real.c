/* SPDX-License-Identifier: Apache-2.0 */
/* Real numbers and their shortest text. */
#include "base/real.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void shortest_that_reads_back(void **state)
{
	(void)state;
	static const struct {
		double value;
		const char *text;
	} rows[] = { { 0.1, "0.1" }, { 0.0, "0" }, { -0.0, "-0" }, { 1e22, "1e+22" },
		{ 0.1 + 0.2, "0.30000000000000004" }, { 5e-324, "4.94065645841247e-324" },
		{ 1.7976931348623157e308, "1.7976931348623157e+308" }, { 9007199254740991.0, "9007199254740991" },
		{ 1.5, "1.5" }, { 1e-7, "1e-07" } };
	char text[REAL_TEXT_SIZE];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		assert_int_equal(real_text(rows[i].value, text), strlen(rows[i].text));
		assert_string_equal(text, rows[i].text);
		assert_true(real_parse(text) == rows[i].value);
	}
}

/* What takes the short way is what the C library prints with as few digits. */
static void plain_ones_are_printed_as_by_the_library(void **state)
{
	(void)state;
	static const double edges[] = { 1e-4, 0.000100001, 99.99e-6, 1, 10, 100, -1, -0.5, 999999, 999999.999999999,
		1e6, 1000000.5, 0.999999999, 1.000000001, 123456.789012345, 1e-9, 0.123456789, 0.1234567891, 120000,
		3e5 };
	uint64_t bits = 88172645463325252;
	char text[REAL_TEXT_SIZE], expected[64];

	for (int i = 0; i < 200000; i++) {
		double value;
		size_t len;

		bits ^= bits << 13;
		bits ^= bits >> 7;
		bits ^= bits << 17;
		/* Of every size, with a few digits and with many. */
		value = (double)(bits % 1000000000000000) / (i % 2 ? 1e9 : 1e12) / (i % 3 ? 1 : 1024);
		if (i % 5 == 0)
			value = (double)(bits % 100000) / (double)(1 << (i % 17));
		if ((size_t)i < ARRAY_LEN(edges))
			value = edges[i];
		len = real_text(value, text);
		assert_int_equal(len, strlen(text));
		assert_true(real_parse(text) == value);
		for (int digits = 15; digits <= 17; digits++) {
			snprintf(expected, sizeof expected, "%.*g", digits, value);
			if (real_parse(expected) == value)
				break;
		}
		assert_string_equal(text, expected);
	}
}

static void any_bits_read_back(void **state)
{
	(void)state;
	uint64_t bits = 88172645463325252;
	char text[REAL_TEXT_SIZE];

	for (int i = 0; i < 20000; i++) {
		double value;

		bits ^= bits << 13;
		bits ^= bits >> 7;
		bits ^= bits << 17;
		memcpy(&value, &bits, sizeof value);
		if (!isfinite(value))
			continue;
		assert_true(real_text(value, text) < REAL_TEXT_SIZE);
		assert_true(real_parse(text) == value);
	}
}

/* A locale with a decimal comma is not on every machine; the environment's own must not matter either. */
static void the_locale_does_not_matter(void **state)
{
	(void)state;
	static const char *const names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8", "C.UTF-8" };
	char text[REAL_TEXT_SIZE];

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		setlocale(LC_ALL, names[i]);
		real_text(1.5, text);
		assert_string_equal(text, "1.5");
		assert_true(real_parse("2.25") == 2.25);
	}
	setlocale(LC_ALL, "C");
}

static void too_large_is_infinite(void **state)
{
	(void)state;
	assert_true(isinf(real_parse("1e400")));
	assert_true(real_parse("-1e400") < 0);
	assert_true(real_parse("1e-400") == 0);
	assert_true(isinf(real_parse("1e99999999999999999999999")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shortest_that_reads_back),
		cmocka_unit_test(plain_ones_are_printed_as_by_the_library),
		cmocka_unit_test(any_bits_read_back),
		cmocka_unit_test(the_locale_does_not_matter),
		cmocka_unit_test(too_large_is_infinite),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
