/* SPDX-License-Identifier: Apache-2.0 */
/* The budget of memory: at the limit, one past it, from many threads. */
#include "base/budget.h"

#include <pthread.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { THREADS = 4, ROUNDS = 20000, STEP = 10 };

static void no_limit_at_first(void **state)
{
	(void)state;
	assert_int_equal(budget_limit(), 0);
	assert_true(budget_take(SIZE_MAX / 2));
	budget_give(SIZE_MAX / 2);
	assert_int_equal(budget_used(), 0);
}

static void the_limit_holds(void **state)
{
	(void)state;
	budget_set_limit(100);
	assert_true(budget_take(100));
	assert_false(budget_take(1));
	assert_true(budget_take(0));
	assert_int_equal(budget_used(), 100);
	budget_give(1);
	assert_true(budget_take(1));
	budget_give(100);
	assert_false(budget_take(SIZE_MAX));
	assert_int_equal(budget_used(), 0);
}

static void a_lower_limit_refuses_until_enough_is_back(void **state)
{
	(void)state;
	budget_set_limit(100);
	assert_true(budget_take(80));
	budget_set_limit(50);
	assert_false(budget_take(1));
	budget_give(31);
	assert_true(budget_take(1));
	budget_give(50);
}

static void who_insists_is_not_refused_and_still_counted(void **state)
{
	(void)state;
	budget_set_limit(100);
	assert_true(budget_take(90));
	budget_insist(true);
	assert_true(budget_take(50));
	budget_insist(false);
	assert_int_equal(budget_used(), 140);
	assert_false(budget_take(1));
	assert_int_equal(budget_left(1), 0);
	budget_give(140);
}

/* Takes what always fits beside the others' and asks for what never fits. */
static void *take_and_give(void *arg)
{
	size_t *refused = arg;

	for (int i = 0; i < ROUNDS; i++) {
		if (budget_take(STEP))
			budget_give(STEP);
		else
			++*refused;
		if (budget_take(THREADS * STEP + 1))
			*refused += ROUNDS;
	}
	return NULL;
}

static void refusing_one_refuses_no_other(void **state)
{
	(void)state;
	pthread_t threads[THREADS];
	size_t refused[THREADS] = { 0 };

	budget_set_limit(THREADS * STEP);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, &refused[i]), 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(refused[i], 0);
	assert_int_equal(budget_used(), 0);
}

static void spare_leaves_a_quarter(void **state)
{
	(void)state;
	budget_set_limit(1000);
	assert_true(budget_take_spare(750));
	assert_false(budget_take_spare(1));
	assert_true(budget_take(250));
	budget_give(1000);
	budget_set_limit(0);
	assert_true(budget_take_spare(SIZE_MAX / 2));
	budget_give(SIZE_MAX / 2);
}

static void the_last_eighth_is_for_small_ones(void **state)
{
	const size_t limit = 8 * 100000;

	(void)state;
	budget_set_limit(limit);
	assert_false(budget_take(limit - 100000 + 1));
	assert_true(budget_take(limit - 100000));
	assert_false(budget_take(BUDGET_SMALL + 1));
	assert_int_equal(budget_left(BUDGET_SMALL + 1), 0);
	assert_int_equal(budget_left(BUDGET_SMALL), 100000);
	for (int i = 0; i < 6; i++)
		assert_true(budget_take(BUDGET_SMALL));
	assert_false(budget_take(BUDGET_SMALL));
	budget_give(limit - 100000 + 6 * BUDGET_SMALL);
	assert_int_equal(budget_used(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_limit_at_first),
		cmocka_unit_test(the_limit_holds),
		cmocka_unit_test(spare_leaves_a_quarter),
		cmocka_unit_test(the_last_eighth_is_for_small_ones),
		cmocka_unit_test(who_insists_is_not_refused_and_still_counted),
		cmocka_unit_test(a_lower_limit_refuses_until_enough_is_back),
		cmocka_unit_test(refusing_one_refuses_no_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
