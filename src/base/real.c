/* SPDX-License-Identifier: Apache-2.0 */
#include "base/real.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { FEWEST_DIGITS = 15, ENOUGH_DIGITS = 17 };

/* What is printed without the C library: most numbers of an answer are seconds that were counted in ns. */
#define PLAIN_MIN 1e-4
#define PLAIN_MAX 1e6
enum { PLAIN_DECIMALS = 9, PLAIN_UNIT = 1000000000 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t c_locale;

static void make_locale(void)
{
	c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!c_locale)
		abort();
}

double real_parse(const char *text)
{
	pthread_once(&once, make_locale);
	return strtod_l(text, NULL, c_locale);
}

static size_t print_in_c(double value, char *text)
{
	int len = 0;

	for (int digits = FEWEST_DIGITS; digits <= ENOUGH_DIGITS; digits++) {
		len = snprintf(text, REAL_TEXT_SIZE, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	return (size_t)len;
}

/*
 * A whole number of billionths with at most 15 digits: dividing is rounded as reading is, so what
 * divides to the value reads back as it, and is what "%.15g" prints.  0 for any other.
 */
static size_t print_plain(double value, char *text)
{
	double size = fabs(value);
	int64_t units = size >= PLAIN_MIN && size < PLAIN_MAX ? llround(size * PLAIN_UNIT) : 0;
	char digits[REAL_TEXT_SIZE], *p = digits + sizeof digits;
	size_t len;

	if (units == 0 || (double)units / PLAIN_UNIT != size)
		return 0;
	*--p = '\0';
	for (int at = 0; at < PLAIN_DECIMALS || units > 0; at++, units /= 10) {
		/* No zeros at the end, nor a point before nothing. */
		if (at == PLAIN_DECIMALS && *p != '\0')
			*--p = '.';
		if (at >= PLAIN_DECIMALS || *p != '\0' || units % 10 != 0)
			*--p = (char)('0' + units % 10);
	}
	if (size < 1) {
		*--p = '.';
		*--p = '0';
	}
	if (value < 0)
		*--p = '-';
	len = (size_t)(digits + sizeof digits - 1 - p);
	memcpy(text, p, len + 1);
	return len;
}

size_t real_text(double value, char text[static REAL_TEXT_SIZE])
{
	size_t len = print_plain(value, text);
	locale_t before;

	if (len)
		return len;
	pthread_once(&once, make_locale);
	before = uselocale(c_locale);
	len = print_in_c(value, text);
	uselocale(before);
	return len;
}
