/* SPDX-License-Identifier: Apache-2.0 */
/* Names of an object: the small way, the table, and its memory. */
#include "base/budget.h"
#include "base/json_keys.h"

#include <errno.h>
#include <stdio.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { MANY = 5000 };

static struct json *add(
	struct arena *a, struct json_keys *keys, struct json *object, struct json *last, const char *name, int expected)
{
	struct json *member = arena_new(a, struct json);

	member->key = str_of(arena_strdup(a, name));
	assert_int_equal(json_keys_add(keys, object, member), expected);
	if (expected < 0)
		return last;
	*(last ? &last->next : &object->first) = member;
	object->count++;
	return member;
}

static void twice_is_found_at_every_size(void **state)
{
	(void)state;
	struct json_keys keys = { .slots = NULL };
	struct json object = { .type = JSON_OBJECT };
	struct json *last = NULL;
	struct arena a;
	char name[20];

	arena_init(&a, 1 << 24);
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof name, "name%d", i);
		last = add(&a, &keys, &object, last, name, 0);
		snprintf(name, sizeof name, "name%d", i / 2);
		last = add(&a, &keys, &object, last, name, -EEXIST);
	}
	last = add(&a, &keys, &object, last, "", 0);
	add(&a, &keys, &object, last, "", -EEXIST);
	assert_true(keys.used == MANY + 1 && keys.size >= MANY);
	json_keys_free(&keys);
	json_keys_free(&keys);
	arena_free(&a);
	assert_int_equal(budget_used(), 0);
}

static void the_budget_refuses(void **state)
{
	(void)state;
	struct json_keys keys = { .slots = NULL };
	struct json object = { .type = JSON_OBJECT };
	struct json *last = NULL;
	struct arena a;
	char name[20];

	arena_init(&a, 1 << 24);
	for (int i = 0; i < 24; i++) {
		snprintf(name, sizeof name, "name%d", i);
		last = add(&a, &keys, &object, last, name, 0);
	}
	assert_non_null(arena_alloc(&a, 8000));
	last = add(&a, &keys, &object, last, "one more fits", 0);
	budget_set_limit(budget_used());
	for (int i = 24; i < 47; i++) {
		snprintf(name, sizeof name, "name%d", i);
		budget_set_limit(0);
		last = add(&a, &keys, &object, last, name, 0);
	}
	budget_set_limit(budget_used() + 1000);
	add(&a, &keys, &object, last, "too many", -ENOMEM);
	budget_set_limit(0);
	add(&a, &keys, &object, last, "fits again", 0);
	json_keys_free(&keys);
	arena_free(&a);
	assert_int_equal(budget_used(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(twice_is_found_at_every_size),
		cmocka_unit_test(the_budget_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
