/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <stdio.h>

static const struct { const char *text; size_t count; } cases[] = {
	{ "", 0 }, { " \t\n", 0 }, { "one", 1 }, { " one ", 1 }, { "one two", 2 }, { "a\nb\tc  d", 4 },
};

int main(void)
{
	int failed = 0;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		size_t count = words_count(cases[i].text);

		printf("%s %zu: %zu words\n", count == cases[i].count ? "ok" : "FAILED", i + 1, count);
		failed += count != cases[i].count;
	}
	return failed != 0;
}
