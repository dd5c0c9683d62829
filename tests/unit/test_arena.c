/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas: alignment, limits, the budget. */
#include "base/arena.h"
#include "base/budget.h"

#include <stdalign.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void memory_is_zeroed_and_aligned(void **state)
{
	(void)state;
	struct arena a;

	arena_init(&a, 1 << 20);
	for (size_t size = 0; size < 3000; size += 7) {
		char *p = arena_alloc(&a, size);

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % alignof(max_align_t), 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xff, size);
	}
	arena_free(&a);
	assert_int_equal(a.used, 0);
}

static void the_limit_refuses_and_leaves_it_usable(void **state)
{
	(void)state;
	struct arena a;

	arena_init(&a, 5000);
	assert_null(arena_alloc(&a, 5000));
	assert_non_null(arena_alloc(&a, 4000));
	assert_null(arena_alloc(&a, 2000));
	assert_non_null(arena_alloc(&a, 100));
	assert_true(a.used <= 5000);
	arena_free(&a);
}

/* The next chunk would be too much; the request alone is not. */
static void small_requests_fit_up_to_the_limit(void **state)
{
	(void)state;
	struct arena a;
	size_t got = 0;

	arena_init(&a, 10000);
	while (arena_alloc(&a, 16))
		got += 16;
	assert_true(a.used <= 10000);
	assert_true(got > 8500);
	arena_free(&a);
}

/* A large request between small ones does not waste what the shared chunk has left. */
static void large_requests_leave_the_shared_chunk(void **state)
{
	(void)state;
	struct arena a;
	size_t used;
	char *before, *after;

	arena_init(&a, 1 << 24);
	before = arena_alloc(&a, 16);
	assert_non_null(arena_alloc(&a, 1 << 20));
	used = a.used;
	after = arena_alloc(&a, 16);
	assert_ptr_equal(after, before + 16);
	assert_int_equal(a.used, used);
	arena_free(&a);
}

static void overflow_is_refused(void **state)
{
	(void)state;
	struct arena a;

	arena_init(&a, SIZE_MAX);
	assert_null(arena_alloc(&a, SIZE_MAX));
	assert_null(arena_alloc(&a, SIZE_MAX - 40));
	assert_null(arena_alloc_array(&a, SIZE_MAX / 2, 4));
	assert_null(arena_strndup(&a, "", SIZE_MAX));
	assert_non_null(arena_array(&a, int, 10));
	arena_free(&a);
}

static void texts_are_copied(void **state)
{
	(void)state;
	struct arena a;

	arena_init(&a, 10000);
	assert_string_equal(arena_strdup(&a, "text"), "text");
	assert_string_equal(arena_strndup(&a, "text", 2), "te");
	assert_string_equal(arena_strndup(&a, NULL, 0), "");
	assert_string_equal(arena_printf(&a, "%s-%d", "text", 7), "text-7");
	assert_null(arena_printf(&a, "%20000d", 7));
	arena_free(&a);
}

static void the_budget_is_taken_and_given_back(void **state)
{
	(void)state;
	struct arena a;

	budget_set_limit(3000);
	arena_init(&a, 1 << 20);
	assert_non_null(arena_alloc(&a, 10));
	assert_int_equal(budget_used(), a.used);
	assert_null(arena_alloc(&a, 5000));
	assert_non_null(arena_alloc(&a, 1500));
	assert_int_equal(budget_used(), a.used);
	arena_free(&a);
	assert_int_equal(budget_used(), 0);
	arena_free(&a);
	budget_set_limit(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_zeroed_and_aligned),
		cmocka_unit_test(the_limit_refuses_and_leaves_it_usable),
		cmocka_unit_test(small_requests_fit_up_to_the_limit),
		cmocka_unit_test(large_requests_leave_the_shared_chunk),
		cmocka_unit_test(overflow_is_refused),
		cmocka_unit_test(texts_are_copied),
		cmocka_unit_test(the_budget_is_taken_and_given_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
