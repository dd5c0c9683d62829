/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "policy/rate.h"

static unsigned take_all(struct rate *r, int64_t now_ns)
{
	unsigned taken = 0;

	while (taken < 10000 && rate_take(r, now_ns))
		taken++;
	return taken;
}

static void bucket(void **state)
{
	struct rate r;

	(void)state;
	rate_init(&r, 10, 5 * NS_PER_S);
	assert_int_equal(take_all(&r, 5 * NS_PER_S), 10);
	assert_int_equal(take_all(&r, 5 * NS_PER_S + 99 * NS_PER_MS), 0);
	assert_int_equal(take_all(&r, 5 * NS_PER_S + 101 * NS_PER_MS), 1);
	assert_int_equal(take_all(&r, 6 * NS_PER_S + 102 * NS_PER_MS), 10);
	/* A long silence saves no more than a second's worth. */
	assert_int_equal(take_all(&r, 1000 * NS_PER_S), 10);
}

static void slow(void **state)
{
	struct rate r;

	(void)state;
	rate_init(&r, 0.5, 0);
	assert_int_equal(take_all(&r, 0), 1);
	assert_int_equal(take_all(&r, NS_PER_S), 0);
	assert_int_equal(take_all(&r, 2 * NS_PER_S), 1);
}

static void waiting(void **state)
{
	struct rate r;

	(void)state;
	rate_init(&r, 0.01, 0);
	assert_int_equal(take_all(&r, 0), 1);
	assert_int_equal(rate_wait_s(&r, NS_PER_S / 2), 100);
	assert_int_equal(rate_wait_s(&r, 99 * NS_PER_S + NS_PER_S / 2), 1);
	assert_int_equal(rate_wait_s(&r, 1000 * NS_PER_S), 1);
	rate_init(&r, 0, 0);
	assert_int_equal(rate_wait_s(&r, 0), 1);
}

static void none(void **state)
{
	struct rate r;

	(void)state;
	rate_init(&r, 0, 0);
	assert_int_equal(take_all(&r, 0), 10000);
}

static void narrower(void **state)
{
	(void)state;
	assert_true(rate_narrower(0, 0) == 0);
	assert_true(rate_narrower(5, 0) == 5);
	assert_true(rate_narrower(0, 5) == 5);
	assert_true(rate_narrower(5, 3) == 3);
	assert_true(rate_narrower(3, 5) == 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(bucket), cmocka_unit_test(slow), cmocka_unit_test(waiting),
		cmocka_unit_test(none), cmocka_unit_test(narrower) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
