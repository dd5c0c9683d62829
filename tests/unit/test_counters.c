/* SPDX-License-Identifier: Apache-2.0 */
/* Calls by op and class, and gauges of both kinds. */
#include "call/counters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const struct op command = { .id = "custom.a", .is_dynamic = true },
		       another = { .id = "custom.b", .is_dynamic = true };

static void calls(void **state)
{
	(void)state;
	counters_call(ops_all[0], 200);
	counters_call(ops_all[0], 204);
	counters_call(ops_all[1], 404);
	counters_call(NULL, 404);
	counters_call(ops_all[0], 0);
	counters_call(ops_all[0], 600);
	assert_int_equal(counters_calls(ops_all[0], 2), 2);
	assert_int_equal(counters_calls(ops_all[0], 4), 0);
	assert_int_equal(counters_calls(ops_all[1], 4), 1);
	assert_int_equal(counters_calls(NULL, 4), 1);
	counters_call(&command, 200);
	counters_call(&another, 200);
	assert_int_equal(counters_calls(&command, 2), 2);
	assert_int_equal(counters_calls(NULL, 2), 0);
}

static uint64_t seven(void *user)
{
	return *(unsigned *)user;
}

static void gauges(void **state)
{
	unsigned value = 7;

	(void)state;
	counters_add(GAUGE_SESSIONS, 2);
	counters_add(GAUGE_SESSIONS, -1);
	assert_int_equal(counters_get(GAUGE_SESSIONS), 1);
	assert_int_equal(counters_get(GAUGE_PROCESSES), 0);
	counters_ask(GAUGE_CONNECTIONS, seven, &value);
	assert_int_equal(counters_get(GAUGE_CONNECTIONS), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(calls), cmocka_unit_test(gauges) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
