/* SPDX-License-Identifier: Apache-2.0 */
#include "base/real.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { FEWEST_DIGITS = 15, ENOUGH_DIGITS = 17 };

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

size_t real_text(double value, char text[static REAL_TEXT_SIZE])
{
	locale_t before;
	size_t len;

	pthread_once(&once, make_locale);
	before = uselocale(c_locale);
	len = print_in_c(value, text);
	uselocale(before);
	return len;
}
