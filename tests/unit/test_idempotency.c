/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/process/idempotency.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const uint8_t body[IDEMPOTENCY_HASH_SIZE] = { 1 }, other[IDEMPOTENCY_HASH_SIZE] = { 1, 2 };
static const struct idempotency_answer first = { "rabc0", "true", "2026-01-02T03:04:05.678Z", 7 };

static enum idempotency find(const char *principal, const char *key, const uint8_t *hash, int64_t now_ns)
{
	struct idempotency_answer answer = { 0 };
	enum idempotency found = idempotency_find(principal, str_of(key), hash, now_ns, &answer);

	assert_true((found == IDEMPOTENCY_AGAIN) == (answer.id != NULL));
	return found;
}

static void test_first_answer_comes_again(void **state)
{
	struct idempotency_answer answer;

	(void)state;
	assert_int_equal(find("p", "k", body, 0), IDEMPOTENCY_NEW);
	idempotency_put("p", STR("k"), body, 5, &first);
	assert_int_equal(idempotency_find("p", STR("k"), body, 6, &answer), IDEMPOTENCY_AGAIN);
	assert_string_equal(answer.id, first.id);
	assert_string_equal(answer.command, first.command);
	assert_string_equal(answer.started_at, first.started_at);
	assert_int_equal(answer.pid, 7);
	idempotency_clear();
	assert_int_equal(find("p", "k", body, 6), IDEMPOTENCY_NEW);
}

static void test_other_body_is_told(void **state)
{
	(void)state;
	idempotency_put("p", STR("k"), body, 0, &first);
	assert_int_equal(find("p", "k", other, 1), IDEMPOTENCY_OTHER);
	assert_int_equal(find("p", "k2", other, 1), IDEMPOTENCY_NEW);
	idempotency_clear();
}

/* Neither another caller's key, nor one that reads the same when both are put together. */
static void test_key_belongs_to_its_principal(void **state)
{
	(void)state;
	idempotency_put("pa", STR("b"), body, 0, &first);
	assert_int_equal(find("p", "b", body, 1), IDEMPOTENCY_NEW);
	assert_int_equal(find("p", "ab", body, 1), IDEMPOTENCY_NEW);
	assert_int_equal(find("pa", "b", body, 1), IDEMPOTENCY_AGAIN);
	idempotency_clear();
}

static void test_after_an_hour_it_is_new(void **state)
{
	(void)state;
	idempotency_put("p", STR("k"), body, 100, &first);
	assert_int_equal(find("p", "k", body, 100 + IDEMPOTENCY_NS - 1), IDEMPOTENCY_AGAIN);
	assert_int_equal(find("p", "k", body, 100 + IDEMPOTENCY_NS), IDEMPOTENCY_NEW);
	idempotency_clear();
}

static void test_the_oldest_makes_room(void **state)
{
	char key[16];

	(void)state;
	for (int i = 0; i <= IDEMPOTENCY_KEYS; i++) {
		snprintf(key, sizeof key, "k%d", i);
		idempotency_put("p", str_of(key), body, i, &first);
	}
	assert_int_equal(find("p", "k0", body, 2000), IDEMPOTENCY_NEW);
	assert_int_equal(find("p", "k1", body, 2000), IDEMPOTENCY_AGAIN);
	assert_int_equal(find("p", key, body, 2000), IDEMPOTENCY_AGAIN);
	idempotency_clear();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_answer_comes_again),
		cmocka_unit_test(test_other_body_is_told),
		cmocka_unit_test(test_key_belongs_to_its_principal),
		cmocka_unit_test(test_after_an_hour_it_is_new),
		cmocka_unit_test(test_the_oldest_makes_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
