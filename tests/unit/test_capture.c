/* SPDX-License-Identifier: Apache-2.0 */
/* The first bytes and the count of all, within the budget. */
#include "program/capture.h"

#include "base/budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void add(struct capture *c, const char *text)
{
	capture_add(c, str_of(text));
}

static void expect(const struct capture *c, const char *text, bool as_text, bool truncated)
{
	struct str kept = capture_bytes(c, as_text);

	assert_non_null(kept.p);
	assert_int_equal(kept.len, strlen(text));
	assert_memory_equal(kept.p, text, kept.len);
	assert_int_equal(capture_truncated(c), truncated);
}

static void keeps_the_first_bytes_and_counts_all(void **state)
{
	struct capture c;

	(void)state;
	capture_init(&c, 5);
	expect(&c, "", true, false);
	add(&c, "abc");
	expect(&c, "abc", true, false);
	add(&c, "de");
	expect(&c, "abcde", true, false);
	add(&c, "f");
	expect(&c, "abcde", true, true);
	assert_int_equal(c.total, 6);
	capture_free(&c);
	assert_int_equal(budget_used(), 0);
}

static void nothing_is_kept_where_nothing_may_be(void **state)
{
	struct capture c;

	(void)state;
	capture_init(&c, 0);
	expect(&c, "", true, false);
	add(&c, "x");
	expect(&c, "", true, true);
	capture_free(&c);
}

static void a_character_that_the_limit_cut_is_dropped_from_text_only(void **state)
{
	struct capture c;

	(void)state;
	capture_init(&c, 4);
	add(&c, "\xc3\xa9\xe2\x82\xac");
	expect(&c, "\xc3\xa9", true, true);
	expect(&c, "\xc3\xa9\xe2\x82", false, true);
	capture_free(&c);
	/* One that the program itself left incomplete stays, and is shown as replaced. */
	capture_init(&c, 4);
	add(&c, "a\xe2\x82");
	expect(&c, "a\xe2\x82", true, false);
	capture_free(&c);
}

static void what_comes_later_fills_no_hole(void **state)
{
	struct capture c, other;

	(void)state;
	budget_set_limit(6 * 1024); /* a quarter of it is not for captures */
	capture_init(&other, 8192);
	capture_init(&c, 1 << 20);
	for (int i = 0; i < 8192; i++)
		add(&other, "o");
	assert_int_equal(budget_used(), 4096);
	for (int i = 0; i < 4096; i++)
		add(&c, "c");
	/* The budget is used up: what fits into the first room is kept, and that it is less is told. */
	add(&c, "lost");
	assert_true(capture_truncated(&c));
	capture_free(&other);
	add(&c, "later");
	assert_int_equal(capture_bytes(&c, true).len, 4096);
	assert_int_equal(c.total, 4096 + 9);
	capture_free(&c);
	budget_set_limit(0);
	assert_int_equal(budget_used(), 0);
}

static void bytes_are_bytes(void **state)
{
	struct capture c;

	(void)state;
	capture_init(&c, 100000);
	for (int i = 0; i < 300; i++)
		capture_add(&c, (struct str){ "a\0\xff", 3 });
	assert_int_equal(capture_bytes(&c, true).len, 900);
	assert_memory_equal(capture_bytes(&c, true).p + 897, "a\0\xff", 3);
	capture_free(&c);
	assert_int_equal(budget_used(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_the_first_bytes_and_counts_all),
		cmocka_unit_test(nothing_is_kept_where_nothing_may_be),
		cmocka_unit_test(a_character_that_the_limit_cut_is_dropped_from_text_only),
		cmocka_unit_test(what_comes_later_fills_no_hole),
		cmocka_unit_test(bytes_are_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
