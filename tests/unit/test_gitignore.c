/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/budget.h"
#include "ops/files/gitignore.h"

#include <errno.h>

static enum gitignore_says says(const char *text, const char *path, bool is_folder)
{
	struct gitignore g;
	enum gitignore_says answer;

	assert_int_equal(gitignore_parse(&g, str_of(text)), 0);
	answer = gitignore_ask(&g, str_of(path), is_folder);
	gitignore_free(&g);
	assert_int_equal(budget_used(), 0);
	return answer;
}

static bool ignored(const char *text, const char *path)
{
	return says(text, path, false) == GITIGNORE_IGNORE;
}

static void names_at_any_depth(void **state)
{
	(void)state;
	assert_true(ignored("*.o\n", "a.o") && ignored("*.o", "x/y/a.o") && ignored("\n\n*.o\r\n", "a.o"));
	assert_false(ignored("*.o", "a.c") || ignored("", "a") || ignored("# a", "a") || ignored("#a\n", "#a"));
	assert_true(ignored("\\#a", "#a") && ignored("\\!a", "!a"));
}

static void a_slash_anchors(void **state)
{
	(void)state;
	assert_true(ignored("/a", "a") && ignored("x/a", "x/a") && ignored("/x/*.c", "x/b.c"));
	assert_false(ignored("/a", "x/a") || ignored("x/a", "y/x/a"));
	assert_true(ignored("**/a", "x/y/a") && ignored("a/**", "a/b/c") && ignored("a/**/b", "a/b"));
	assert_false(ignored("a/**", "a"));
}

static void folders_only(void **state)
{
	(void)state;
	assert_int_equal(says("build/", "build", true), GITIGNORE_IGNORE);
	assert_int_equal(says("build/", "x/build", true), GITIGNORE_IGNORE);
	assert_int_equal(says("build/", "build", false), GITIGNORE_NOTHING);
	assert_int_equal(says("/", "a", true), GITIGNORE_NOTHING);
}

static void the_last_rule_wins(void **state)
{
	(void)state;
	assert_int_equal(says("*.log\n!keep.log\n", "keep.log", false), GITIGNORE_KEEP);
	assert_int_equal(says("!keep.log\n*.log\n", "keep.log", false), GITIGNORE_IGNORE);
	assert_int_equal(says("!\n", "a", false), GITIGNORE_NOTHING);
}

static void blanks_at_the_end(void **state)
{
	(void)state;
	assert_true(ignored("a  \t\n", "a") && ignored("a\\ ", "a "));
	assert_false(ignored("a\\ ", "a") || ignored("   \n", " "));
}

static void memory_is_bounded(void **state)
{
	struct gitignore g;

	(void)state;
	budget_set_limit(64);
	assert_int_equal(gitignore_parse(&g, STR("a\nb\n")), -ENOMEM);
	gitignore_free(&g);
	budget_set_limit(0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_at_any_depth),
		cmocka_unit_test(a_slash_anchors),
		cmocka_unit_test(folders_only),
		cmocka_unit_test(the_last_rule_wins),
		cmocka_unit_test(blanks_at_the_end),
		cmocka_unit_test(memory_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
