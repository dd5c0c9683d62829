/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/budget.h"
#include "ops/files/diff.h"
#include "ops/files/patch.h"

#include <errno.h>
#include <stdlib.h>

enum { OUT_MAX = 64 << 20 };

static struct buf made;

static const char *diff(const char *a, const char *b)
{
	buf_free(&made);
	buf_init(&made, OUT_MAX);
	assert_int_equal(diff_unified(&made, STR("/r/f"), str_of(a), str_of(b)), 0);
	assert_int_equal(budget_used(), 0);
	return made.data ? made.data : "";
}

#define HEAD "--- a/r/f\n+++ b/r/f\n"

static void what_a_diff_looks_like(void **state)
{
	(void)state;
	assert_string_equal(diff("a\n", "a\n"), "");
	assert_string_equal(diff("", ""), "");
	assert_string_equal(diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nX\n6\n7\n8\n9\n"),
		HEAD "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8\n");
	assert_string_equal(diff("", "a\n"), HEAD "@@ -0,0 +1 @@\n+a\n");
	assert_string_equal(diff("a\n", ""), HEAD "@@ -1 +0,0 @@\n-a\n");
	assert_string_equal(diff("x\ny\n", "y\n"), HEAD "@@ -1,2 +1 @@\n-x\n y\n");
	assert_string_equal(diff("a", "a\n"), HEAD "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
	assert_string_equal(diff("a\nb", "a\nc"),
		HEAD "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n");
}

static void far_changes_are_two_hunks(void **state)
{
	(void)state;
	assert_string_equal(diff("a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n"),
		HEAD "@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n");
	assert_string_equal(diff("a\n1\n2\n3\n4\n5\n6\nb\n", "A\n1\n2\n3\n4\n5\n6\nB\n"),
		HEAD "@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n");
}

static void it_is_the_shortest_one(void **state)
{
	(void)state;
	assert_string_equal(diff("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n"),
		HEAD "@@ -1,7 +1,6 @@\n-a\n-b\n c\n+b\n a\n b\n-b\n a\n+c\n");
}

static void strange_names_stay_one_line(void **state)
{
	(void)state;
	buf_free(&made);
	buf_init(&made, OUT_MAX);
	assert_int_equal(diff_unified(&made, STR("/a\nb"), STR("x"), STR("")), 0);
	assert_memory_equal(made.data, "--- a/a?b\n+++ b/a?b\n", 20);
}

/* The diff of two texts, applied to the first, is the second. */
static void check_round(struct str a, struct str b)
{
	struct buf text, patch;
	struct patch_fault fault;
	size_t hunks;

	buf_init(&text, OUT_MAX);
	buf_init(&patch, OUT_MAX);
	assert_int_equal(diff_unified(&patch, STR("f"), a, b), 0);
	if (str_eq(a, b)) {
		assert_int_equal(patch.len, 0);
	} else {
		assert_int_equal(patch_apply(&text, a, buf_str(&patch), &fault, &hunks), 0);
		assert_true(str_eq(buf_str(&text), b) && hunks > 0);
	}
	buf_free(&text);
	buf_free(&patch);
	assert_int_equal(budget_used(), 0);
}

static void fill(struct buf *text, unsigned lines, unsigned kinds)
{
	buf_init(text, OUT_MAX);
	for (unsigned i = 0; i < lines; i++)
		buf_addf(text, "%ld\n", random() % kinds);
	if (random() % 2 && text->len)
		buf_truncate(text, text->len - 1);
}

static void any_two_texts(void **state)
{
	struct buf a, b;

	(void)state;
	srandom(1);
	for (unsigned round = 0; round < 3000; round++) {
		fill(&a, round % 40, 1 + round % 7);
		fill(&b, (unsigned)random() % 40, 1 + round % 7);
		check_round(buf_str(&a), buf_str(&b));
		buf_free(&a);
		buf_free(&b);
	}
}

static void large_texts(void **state)
{
	static const unsigned sizes[][2] = { { 3000, 3000 }, { 100000, 100000 }, { 100000, 3 }, { 0, 70000 } };
	struct buf a, b;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		fill(&a, sizes[i][0], 1000);
		fill(&b, sizes[i][1], 1000);
		check_round(buf_str(&a), buf_str(&b));
		buf_free(&b);
		fill(&b, 1, 10);
		buf_add(&b, a.data, a.len);
		buf_adds(&b, "\nlast");
		check_round(buf_str(&a), buf_str(&b));
		buf_free(&a);
		buf_free(&b);
	}
}

static void memory_is_bounded(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 10);
	budget_set_limit(16);
	assert_int_equal(diff_unified(&out, STR("f"), STR("a\nb\n"), STR("c\nd\n")), -ENOMEM);
	budget_set_limit(0);
	assert_int_equal(diff_unified(&out, STR("f"), STR("a\nb\n"), STR("c\nd\n")), 0);
	assert_true(buf_failed(&out));
	buf_free(&out);
}

static int last_one(void **state)
{
	(void)state;
	buf_free(&made);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_diff_looks_like),
		cmocka_unit_test(far_changes_are_two_hunks),
		cmocka_unit_test(it_is_the_shortest_one),
		cmocka_unit_test(strange_names_stay_one_line),
		cmocka_unit_test(any_two_texts),
		cmocka_unit_test(large_texts),
		cmocka_unit_test(memory_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, last_one);
}
