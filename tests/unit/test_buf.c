/* SPDX-License-Identifier: Apache-2.0 */
/* Bounded buffers: limits, sticky failure, dropping, the budget. */
#include "base/buf.h"
#include "base/budget.h"

#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void bytes_are_held_and_terminated(void **state)
{
	(void)state;
	AUTOBUF struct buf b;

	buf_init(&b, 1000);
	buf_adds(&b, "one");
	buf_addc(&b, ' ');
	buf_addf(&b, "%d-%s", 2, "three");
	buf_add(&b, NULL, 0);
	assert_true(str_is(buf_str(&b), "one 2-three"));
	assert_int_equal(b.data[b.len], 0);
	buf_truncate(&b, 3);
	assert_string_equal(b.data, "one");
}

static void the_limit_is_exact(void **state)
{
	(void)state;
	AUTOBUF struct buf b;

	buf_init(&b, 10);
	buf_adds(&b, "0123456789");
	assert_false(buf_failed(&b));
	assert_true(b.cap <= 11);
	buf_addc(&b, 'x');
	assert_true(buf_failed(&b));
}

static void failure_stays_and_drops_everything(void **state)
{
	(void)state;
	AUTOBUF struct buf b;

	buf_init(&b, 4);
	buf_adds(&b, "abc");
	buf_adds(&b, "de");
	assert_true(buf_failed(&b));
	assert_int_equal(b.len, 0);
	assert_int_equal(b.cap, 0);
	buf_addc(&b, 'a');
	assert_int_equal(b.len, 0);
	assert_null(buf_reserve(&b, 1));
	assert_null(buf_take(&b, NULL));
	buf_free(&b);
	assert_false(buf_failed(&b));
	buf_adds(&b, "abcd");
	assert_string_equal(b.data, "abcd");
}

static void huge_requests_end(void **state)
{
	(void)state;
	AUTOBUF struct buf b;

	buf_init(&b, SIZE_MAX);
	buf_adds(&b, "abc");
	assert_null(buf_reserve(&b, SIZE_MAX - 1));
	assert_true(buf_failed(&b));
	buf_free(&b);
	assert_null(buf_reserve(&b, SIZE_MAX));
	buf_free(&b);
	assert_null(buf_reserve(&b, SIZE_MAX / 2 + 10));
	buf_free(&b);
	buf_adds(&b, "abc");
	assert_string_equal(b.data, "abc");
}

static void a_limit_of_nothing(void **state)
{
	(void)state;
	AUTOBUF struct buf b;

	buf_init(&b, 0);
	buf_adds(&b, "");
	assert_false(buf_failed(&b));
	buf_addc(&b, 'a');
	assert_true(buf_failed(&b));
}

static void the_front_can_be_dropped(void **state)
{
	(void)state;
	AUTOBUF struct buf b;

	buf_init(&b, 8);
	for (char c = 'a'; c <= 'z'; c++) {
		buf_addc(&b, c);
		if (b.len == 8)
			buf_drop(&b, 5);
		assert_false(buf_failed(&b));
		assert_int_equal(b.data[b.len - 1], c);
		assert_int_equal(b.data[b.len], 0);
		assert_true(b.cap <= 9);
	}
	buf_compact(&b);
	assert_int_equal(b.skipped, 0);
	assert_string_equal(b.data, &"abcdefghijklmnopqrstuvwxyz"[26 - b.len]);
	buf_drop(&b, b.len);
	assert_int_equal(b.len, 0);
	buf_drop(&b, 0);
}

static void reserve_and_commit(void **state)
{
	(void)state;
	AUTOBUF struct buf b;
	char *to;

	buf_init(&b, 100);
	to = buf_reserve(&b, 50);
	assert_non_null(to);
	memset(to, 'x', 50);
	buf_commit(&b, 20);
	assert_int_equal(b.len, 20);
	assert_int_equal(b.data[20], 0);
	assert_null(buf_reserve(&b, 81));
	assert_true(buf_failed(&b));
}

static void taking_gives_the_bytes_away(void **state)
{
	(void)state;
	struct buf b;
	AUTOFREE char *bytes = NULL;
	AUTOFREE char *nothing = NULL;
	size_t len;

	buf_init(&b, 100);
	buf_adds(&b, "drop keep");
	buf_drop(&b, 5);
	bytes = buf_take(&b, &len);
	assert_int_equal(len, 4);
	assert_string_equal(bytes, "keep");
	assert_null(b.data);
	nothing = buf_take(&b, &len);
	assert_int_equal(len, 0);
	assert_string_equal(nothing, "");
}

static void the_budget_is_taken_and_given_back(void **state)
{
	(void)state;
	struct buf b;

	budget_set_limit(100000);
	buf_init_budgeted(&b, 1000000);
	for (int i = 0; i < 6000; i++)
		buf_adds(&b, "0123456789");
	assert_false(buf_failed(&b));
	assert_int_equal(budget_used(), b.cap);
	for (int i = 0; i < 6000; i++)
		buf_adds(&b, "0123456789");
	assert_true(buf_failed(&b));
	assert_int_equal(budget_used(), 0);
	buf_free(&b);
	buf_adds(&b, "again");
	assert_true(budget_used() > 0);
	buf_free(&b);
	assert_int_equal(budget_used(), 0);
	budget_set_limit(0);
}

static void dropped_bytes_stay_until_the_next_append(void **state)
{
	AUTOBUF struct buf b;
	const char *dropped;

	(void)state;
	buf_init(&b, 100);
	buf_adds(&b, "line\nrest");
	dropped = b.data;
	buf_drop(&b, 5);
	assert_memory_equal(dropped, "line\nrest", 9);
	buf_drop(&b, 4);
	assert_memory_equal(dropped, "line\nrest", 9);
	assert_int_equal(b.len, 0);
	buf_adds(&b, "again");
	assert_string_equal(b.data, "again");
	assert_int_equal(b.skipped, 0);
}

static void a_writer_may_fail_it(void **state)
{
	(void)state;
	struct buf b;

	buf_init_budgeted(&b, 100);
	buf_adds(&b, "abc");
	buf_fail(&b);
	assert_true(buf_failed(&b));
	assert_int_equal(budget_used(), 0);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_held_and_terminated),
		cmocka_unit_test(the_limit_is_exact),
		cmocka_unit_test(failure_stays_and_drops_everything),
		cmocka_unit_test(huge_requests_end),
		cmocka_unit_test(a_limit_of_nothing),
		cmocka_unit_test(the_front_can_be_dropped),
		cmocka_unit_test(reserve_and_commit),
		cmocka_unit_test(taking_gives_the_bytes_away),
		cmocka_unit_test(the_budget_is_taken_and_given_back),
		cmocka_unit_test(dropped_bytes_stay_until_the_next_append),
		cmocka_unit_test(a_writer_may_fail_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
