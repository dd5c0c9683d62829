/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ops/files/matcher.h"

static struct err err;

static enum matcher_result find(
	const char *pattern, struct matcher_how how, struct str text, size_t *start, size_t *end)
{
	struct matcher *m = matcher_new(str_of(pattern), how, &err);
	struct matcher_text in = { .text = text };
	enum matcher_result result;

	assert_non_null(m);
	result = matcher_find(m, &in, 0, text.len, start, end);
	matcher_free(m);
	return result;
}

static const struct matcher_how plain, fixed = { .literal = true }, any_case = { .ignore_case = true };

static void expect(const char *pattern, struct matcher_how how, const char *text, size_t from, size_t to)
{
	size_t start, end;

	assert_int_equal(find(pattern, how, str_of(text), &start, &end), MATCHER_FOUND);
	assert_int_equal(start, from);
	assert_int_equal(end, to);
}

static void nothing(const char *pattern, struct matcher_how how, const char *text)
{
	size_t start, end;

	assert_int_equal(find(pattern, how, str_of(text), &start, &end), MATCHER_NONE);
}

static void expressions(void **state)
{
	(void)state;
	expect("b+c", plain, "abbc", 1, 4);
	expect("^$", plain, "", 0, 0);
	expect("$", plain, "ab", 2, 2);
	expect("abc", plain, "xabc", 1, 4);
	expect("\xc3\xa9", any_case, "x\xc3\x89", 1, 3);
	nothing("^b", plain, "ab");
	nothing("b", plain, "");
}

static void fixed_texts(void **state)
{
	(void)state;
	expect("a.c", fixed, "abc a.c", 4, 7);
	expect("A.C", ((struct matcher_how){ true, true }), "abc a.c", 4, 7);
	nothing("a.c", fixed, "abc");
	nothing("abc", plain, "ab");
}

static void bytes_that_are_no_text(void **state)
{
	(void)state;
	expect("b", any_case,
		"\xff\xfe"
		"b\xff",
		2, 3);
	nothing("a.b", plain,
		"a\xff"
		"b");
}

static void a_cut_line_has_no_ends(void **state)
{
	struct matcher_text in = { .text = STR("ab"), .begin_cut = true, .end_cut = true };
	struct matcher *m = matcher_new(STR("^a|b$"), plain, &err);
	size_t start, end;

	(void)state;
	assert_int_equal(matcher_find(m, &in, 0, 2, &start, &end), MATCHER_NONE);
	in.end_cut = false;
	assert_int_equal(matcher_find(m, &in, 0, 2, &start, &end), MATCHER_FOUND);
	assert_int_equal(start, 1);
	matcher_free(m);
}

static void only_a_part_is_looked_at(void **state)
{
	struct matcher_text in = { .text = STR("aab.ab.") };
	static const char *const patterns[] = { "ab", "a(b)" };
	size_t start, end;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
		struct matcher *m = matcher_new(str_of(patterns[i]), plain, &err);

		assert_int_equal(matcher_find(m, &in, 0, 1, &start, &end), MATCHER_NONE);
		assert_int_equal(matcher_find(m, &in, 0, 2, &start, &end), MATCHER_FOUND);
		assert_int_equal(matcher_find(m, &in, 2, 4, &start, &end), MATCHER_NONE);
		assert_int_equal(matcher_find(m, &in, 2, 7, &start, &end), MATCHER_FOUND);
		assert_int_equal(start, 4);
		matcher_free(m);
	}
}

static void an_explosion_is_given_up(void **state)
{
	size_t start, end;

	(void)state;
	assert_int_equal(
		find("(a+)+$", plain, STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"), &start, &end), MATCHER_LIMIT);
}

static void what_is_wrong_is_refused(void **state)
{
	static const struct {
		const char *pattern, *says;
	} bad[] = { { "[", "offset 1" }, { "a(b", "offset 3" }, { "((x{1000}){1000}){1000}", "too large" },
		{ "", "offset 0" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		assert_null(matcher_new(str_of(bad[i].pattern), plain, &err));
		assert_int_equal(err.code, ERR_ARGS_INVALID);
		assert_non_null(strstr(err.text, bad[i].says));
	}
	assert_null(matcher_new(STR("a\0b"), fixed, &err));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(expressions),
		cmocka_unit_test(fixed_texts),
		cmocka_unit_test(bytes_that_are_no_text),
		cmocka_unit_test(a_cut_line_has_no_ends),
		cmocka_unit_test(only_a_part_is_looked_at),
		cmocka_unit_test(an_explosion_is_given_up),
		cmocka_unit_test(what_is_wrong_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
