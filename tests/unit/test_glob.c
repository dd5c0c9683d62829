/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ops/files/glob.h"

static bool name(const char *glob, const char *text)
{
	return glob_matches_name(str_of(glob), str_of(text));
}

static bool path(const char *glob, const char *text)
{
	return glob_matches_path(str_of(glob), str_of(text));
}

static bool finds(const char *glob, const char *text)
{
	return glob_finds(str_of(glob), str_of(text));
}

static void stars_and_question_marks(void **state)
{
	(void)state;
	assert_true(name("*.c", "a.c") && name("*", "") && name("*", ".x") && name("a*b*c", "a-b-b-c"));
	assert_true(name("**", "abc") && name("a?c", "abc") && name("", ""));
	assert_false(name("*.c", "a.h") || name("a?c", "ac") || name("", "a") || name("a*b", "a-c") || name("ab", "a"));
	assert_true(name("*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaab"));
	assert_false(name("*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaa"));
}

static void classes(void **state)
{
	(void)state;
	assert_true(name("[a-c]x", "bx") && name("[!a-c]x", "dx") && name("[^a]", "b") && name("[]]", "]"));
	assert_true(name("[a-]", "-") && name("[\\]]", "]") && name("[!]]", "a") && name("[a", "[a"));
	assert_false(name("[a-c]x", "dx") || name("[!a-c]", "b") || name("[]", "]x") || name("[a]", ""));
}

static void a_backslash_takes_the_meaning(void **state)
{
	(void)state;
	assert_true(name("\\*", "*") && name("\\?x", "?x") && name("\\[a]", "[a]") && name("a\\", "a\\"));
	assert_false(name("\\*", "a") || name("\\?", "a"));
}

static void characters_and_strange_bytes(void **state)
{
	(void)state;
	assert_true(name("?", "\xc3\xa9") && name("[\xc3\xa0-\xc3\xbf]", "\xc3\xa9") && name("?", "\xff"));
	assert_true(name("*\xff", "a\xff") && name("a?b", "a\xf0\x9f\x98\x80"
							  "b"));
	assert_false(name("??", "\xc3\xa9") || name("\xfe", "\xff"));
}

static void parts_of_a_path(void **state)
{
	(void)state;
	assert_true(path("a/*.c", "a/b.c") && path("/a/b", "a/b") && path("**/x", "x") && path("**/x", "a/b/x"));
	assert_true(path("a/**/b", "a/b") && path("a/**/b", "a/1/2/b") && path("a/**", "a/b/c"));
	assert_true(path("**/a/**/b", "a/x/a/y/b") && path("**/**/x", "x") && path("**", "a"));
	assert_false(path("a/*", "a/b/c") || path("a/**", "a") || path("*", "a/b") || path("**/x", "a/x/y"));
	assert_false(path("a/**/b", "a/b/c") || path("a", "") || path("**", ""));
	assert_true(path("**/a/b", "a/a/b"));
}

static void a_slash_decides_what_is_looked_at(void **state)
{
	(void)state;
	assert_true(finds("*.c", "a/b/x.c") && finds("a/**/*.c", "a/b/x.c") && finds("x", "x"));
	assert_false(finds("b/*.c", "a/b/x.c") || finds("a", "a/b"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(stars_and_question_marks),
		cmocka_unit_test(classes),
		cmocka_unit_test(a_backslash_takes_the_meaning),
		cmocka_unit_test(characters_and_strange_bytes),
		cmocka_unit_test(parts_of_a_path),
		cmocka_unit_test(a_slash_decides_what_is_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
