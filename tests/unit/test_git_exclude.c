/* SPDX-License-Identifier: Apache-2.0 */
/* Denied paths as git leaves them out: what a pattern covers below a repository's root. */
#include "ops/devtools/git_exclude.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct buf found;

static void add(void *user, const char *pathspec)
{
	(void)user;
	buf_addf(&found, "%s\n", pathspec + strlen(":(top,exclude,glob)"));
}

static void becomes(const char *pattern, const char *top, const char *wanted)
{
	buf_init(&found, 64 * 1024);
	git_exclude(pattern, top, add, NULL);
	assert_string_equal(found.data ? found.data : "", wanted);
	buf_free(&found);
}

static void patterns(void **state)
{
	(void)state;
	becomes("**/.env", "/home/u/r", "**/.env\n**/.env/**\n");
	becomes("/home/u/r/secret", "/home/u/r", "secret\nsecret/**\n");
	becomes("/home/*/r/s?/t", "/home/u/r", "s?/t\ns?/t/**\n");
	becomes("/home/**/x", "/home/u/r", "**/x\n**/x/**\n");
	becomes("/srv/secret", "/home/u/r", "");
	becomes("/home/u/other", "/home/u/r", "");
	becomes("/home/u/r", "/home/u/r", "");
	becomes("/a[b]\\", "/", "a\\[b\\]\\\\\na\\[b\\]\\\\/**\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(patterns) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
