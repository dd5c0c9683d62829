/* SPDX-License-Identifier: Apache-2.0 */
/* The portable way of json_scan.h, which machines with SSE2 do not take otherwise, against the definition. */
#undef __SSE2__
#include "base/json_scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { LEN = 40 };

static size_t by_definition(const char *p, size_t len)
{
	size_t done = 0;

	while (done < len && json_is_plain(p[done]))
		done++;
	return done;
}

static void plain_is_printable_ascii(void **state)
{
	(void)state;
	for (int c = 0; c < 256; c++)
		assert_int_equal(json_is_plain((char)c), c >= ' ' && c <= '~' && c != '"' && c != '\\');
}

static void every_byte_at_every_place(void **state)
{
	(void)state;
	for (int c = 0; c < 256; c++) {
		for (size_t at = 0; at < LEN; at++) {
			char text[LEN];

			for (size_t i = 0; i < LEN; i++)
				text[i] = (char)(' ' + (i * 7 + (size_t)c) % 90);
			text[at] = (char)c;
			for (size_t len = 0; len <= LEN; len++)
				assert_int_equal(json_plain_len(text, len), by_definition(text, len));
		}
	}
}

static void pairs_of_neighbours(void **state)
{
	(void)state;
	for (int v = 0; v < 0x10000; v++) {
		char text[8] = { 'a', 'b', 'c', (char)(v >> 8), (char)v, 'f', 'g', 'h' };

		assert_int_equal(json_plain_len(text, sizeof text), by_definition(text, sizeof text));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_is_printable_ascii),
		cmocka_unit_test(every_byte_at_every_place),
		cmocka_unit_test(pairs_of_neighbours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
