/* SPDX-License-Identifier: Apache-2.0 */
/* Lines out of pieces, their limit, and stopping in the middle. */
#include "custom/lines.h"

#include "base/budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>

static char got[4096];
static bool stops;

static bool on_line(struct lines *l, char *line, size_t len)
{
	size_t at = strlen(got);

	(void)l;
	memcpy(got + at, line, len);
	memcpy(got + at + len, "|", 2);
	memset(line, '!', len); /* the reader may change it */
	return !stops;
}

static void in_pieces(void **state)
{
	static const char text[] = "one\n\ntwo words\nlast";

	(void)state;
	for (size_t step = 1; step < sizeof text; step++) {
		struct lines l;

		got[0] = '\0';
		lines_init(&l, 16, on_line);
		for (size_t at = 0; at < sizeof text - 1; at += step)
			assert_int_equal(lines_add(&l, (struct str){ text + at, MIN(step, sizeof text - 1 - at) }), 0);
		assert_string_equal(got, "one||two words|");
		assert_int_equal(lines_add(&l, STR("\n")), 0);
		assert_string_equal(got, "one||two words|last|");
		lines_free(&l);
	}
}

static void no_memory(void **state)
{
	static char big[4096];
	struct lines l;

	(void)state;
	got[0] = '\0';
	memset(big, 'x', sizeof big);
	lines_init(&l, 1 << 20, on_line);
	budget_set_limit(1024);
	assert_int_equal(lines_add(&l, STR("head")), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(lines_add(&l, (struct str){ big, sizeof big }), 0);
	assert_true(l.is_lost);
	assert_int_equal(lines_add(&l, STR("\nnext\n")), 0);
	assert_int_equal(strlen(got), LINES_HEAD + sizeof "|next|" - 1);
	assert_memory_equal(got, "headxxx", 7);
	assert_string_equal(got + LINES_HEAD, "|next|");
	assert_false(l.is_lost);
	budget_set_limit(0);
	lines_free(&l);
	assert_int_equal(budget_used(), 0);
}

static void too_long(void **state)
{
	struct lines l;

	(void)state;
	got[0] = '\0';
	lines_init(&l, 4, on_line);
	assert_int_equal(lines_add(&l, STR("four\nfou")), 0);
	assert_int_equal(lines_add(&l, STR("rx")), -EMSGSIZE);
	assert_string_equal(got, "four|");
	lines_free(&l);
}

static void stopped(void **state)
{
	struct lines l;

	(void)state;
	got[0] = '\0';
	stops = true;
	lines_init(&l, 16, on_line);
	assert_int_equal(lines_add(&l, STR("a\nb\n")), 0);
	assert_string_equal(got, "a|");
	stops = false;
	lines_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(in_pieces), cmocka_unit_test(no_memory),
		cmocka_unit_test(too_long), cmocka_unit_test(stopped) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
