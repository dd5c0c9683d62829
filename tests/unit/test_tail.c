/* SPDX-License-Identifier: Apache-2.0 */
/* The last bytes, and those since a moment. */
#include "custom/tail.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static struct tail t;

static void expect(uint64_t from, const char *wanted)
{
	char to[TAIL_SIZE];
	struct str got = tail_since(&t, from, to);

	assert_int_equal(got.len, strlen(wanted));
	assert_memory_equal(got.p, wanted, got.len);
}

static void since(void **state)
{
	(void)state;
	t.total = 0;
	expect(0, "");
	tail_add(&t, STR("one "));
	tail_add(&t, STR("two"));
	expect(0, "one two");
	expect(4, "two");
	expect(7, "");
	expect(99, "");
}

static void the_last(void **state)
{
	static char big[TAIL_SIZE * 3 + 1], wanted[TAIL_SIZE + 1];

	(void)state;
	for (size_t i = 0; i < sizeof big - 1; i++)
		big[i] = (char)('a' + i % 26);
	for (size_t step = 1; step <= sizeof big; step = step * 7 + 3) {
		t.total = 0;
		for (size_t at = 0; at < sizeof big - 1; at += step)
			tail_add(&t, (struct str){ big + at, MIN(step, sizeof big - 1 - at) });
		assert_int_equal(t.total, sizeof big - 1);
		memcpy(wanted, big + TAIL_SIZE * 2, TAIL_SIZE);
		expect(0, wanted);
		expect(TAIL_SIZE * 3 - 5, big + TAIL_SIZE * 3 - 5);
	}
}

static void a_character_that_was_cut(void **state)
{
	char to[TAIL_SIZE];

	(void)state;
	t.total = 0;
	tail_add(&t, STR("é"));
	for (size_t i = 0; i < TAIL_SIZE - 1; i++)
		tail_add(&t, STR("x"));
	assert_int_equal(tail_since(&t, 0, to).len, TAIL_SIZE - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(since),
		cmocka_unit_test(the_last),
		cmocka_unit_test(a_character_that_was_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
