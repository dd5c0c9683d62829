/* SPDX-License-Identifier: Apache-2.0 */
/* Variables that are set or taken away for programs to come. */
#include "policy/overlay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct arena arena;

static struct child_env applied(void)
{
	struct child_env env;

	child_env_init(&env, &arena);
	child_env_put(&env, "LANG", STR("C"));
	child_env_put(&env, "A", STR("old"));
	overlay_apply(&env);
	return env;
}

static void set_and_taken_away(void **state)
{
	struct child_env env;

	(void)state;
	overlay_set("A", STR("new"));
	overlay_set("B", STR(""));
	overlay_set("LANG", (struct str){ NULL, 0 });
	env = applied();
	assert_string_equal(child_env_get(&env, "A"), "new");
	assert_string_equal(child_env_get(&env, "B"), "");
	assert_null(child_env_get(&env, "LANG"));
	overlay_set("LANG", STR("de"));
	overlay_set("A", (struct str){ NULL, 0 });
	env = applied();
	assert_string_equal(child_env_get(&env, "LANG"), "de");
	assert_null(child_env_get(&env, "A"));
	overlay_clear();
	env = applied();
	assert_string_equal(child_env_get(&env, "A"), "old");
}

static void what_it_holds(void **state)
{
	(void)state;
	assert_int_equal(overlay_bytes(), 0);
	assert_int_equal(overlay_growth("NAME", STR("12345")), 10);
	overlay_set("NAME", STR("12345"));
	assert_int_equal(overlay_bytes(), 10);
	assert_int_equal(overlay_growth("NAME", STR("123")), 3);
	overlay_set("NAME", STR("1"));
	assert_int_equal(overlay_bytes(), 6);
	overlay_set("NAME", (struct str){ NULL, 0 });
	assert_int_equal(overlay_bytes(), 5);
	overlay_clear();
	assert_int_equal(overlay_bytes(), 0);
}

static int set_up(void **state)
{
	(void)state;
	arena_init(&arena, 1 << 20);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_and_taken_away),
		cmocka_unit_test(what_it_holds),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
