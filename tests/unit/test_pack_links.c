/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/budget.h"
#include "ops/files/pack_links.h"

#include <stdio.h>

static void test_the_first_name_is_kept(void **state)
{
	struct pack_links links;
	char name[16];

	(void)state;
	pack_links_init(&links);
	for (unsigned i = 0; i < 1000; i++) {
		struct stat st = { .st_dev = i % 3, .st_ino = i / 3 };

		snprintf(name, sizeof name, "n%u", i);
		assert_null(pack_links_name(&links, &st, name));
	}
	for (unsigned i = 0; i < 1000; i++) {
		struct stat st = { .st_dev = i % 3, .st_ino = i / 3 };

		snprintf(name, sizeof name, "n%u", i);
		assert_string_equal(pack_links_name(&links, &st, "another"), name);
	}
	pack_links_done(&links);
	assert_int_equal(budget_used(), 0);
}

static void test_without_memory_it_forgets(void **state)
{
	struct stat st = { .st_ino = 1 };
	struct pack_links links;

	(void)state;
	budget_set_limit(16);
	pack_links_init(&links);
	assert_null(pack_links_name(&links, &st, "a"));
	assert_null(pack_links_name(&links, &st, "b"));
	pack_links_done(&links);
	budget_set_limit(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_first_name_is_kept),
		cmocka_unit_test(test_without_memory_it_forgets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
