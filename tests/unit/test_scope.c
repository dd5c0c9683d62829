/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "policy/scope.h"

static void patterns(void **state)
{
	static const struct {
		const char *pattern, *scope;
		bool matches;
	} cases[] = {
		{ "*", "files:read", true },
		{ "*", "admin", true },
		{ "files:*", "files:read", true },
		{ "files:*", "files:write", true },
		{ "files:*", "file:read", false },
		{ "files:*", "admin", false },
		{ "*:read", "files:read", true },
		{ "*:read", "core:read", true },
		{ "*:read", "files:write", false },
		{ "*:read", "admin", false },
		{ "*:*", "files:read", true },
		{ "*:*", "admin", false },
		{ "files:read", "files:read", true },
		{ "files:read", "files:reader", false },
		{ "files:read", "files:write", false },
		{ "files:rea", "files:read", false },
		{ "files", "files:read", false },
		{ "files:", "files:read", false },
		{ ":read", "files:read", false },
		{ "", "files:read", false },
		{ "admin", "admin", true },
		{ "admin:*", "admin", false },
		{ "Files:read", "files:read", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (scope_matches(cases[i].pattern, cases[i].scope) != cases[i].matches)
			fail_msg("'%s' and '%s'", cases[i].pattern, cases[i].scope);
	}
}

static void lists(void **state)
{
	const char *const some[] = { "core:read", "files:*", NULL };
	const char *const none[] = { NULL };

	(void)state;
	assert_true(scope_allowed(some, "files:write"));
	assert_true(scope_allowed(some, "core:read"));
	assert_false(scope_allowed(some, "process:run"));
	assert_false(scope_allowed(none, "core:read"));
}

static void known(void **state)
{
	const char *nearest = "";

	(void)state;
	for (const struct scope_info *scope = scope_all; scope->name; scope++) {
		size_t len = strlen(scope->text);

		assert_true(scope_known(scope->name, &nearest));
		assert_true(len > 0 && scope->text[len - 1] == '.');
	}
	assert_true(scope_known("*", &nearest));
	assert_true(scope_known("*:read", &nearest));
	assert_true(scope_known("env:*", &nearest));
	assert_false(scope_known("file:*", &nearest));
	assert_false(scope_known("*:raed", &nearest));
	assert_false(scope_known("", &nearest));
	assert_false(scope_known("files:raed", &nearest));
	assert_string_equal(nearest, "files:read");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(patterns), cmocka_unit_test(lists),
		cmocka_unit_test(known) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
