/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ops/files/patch.h"

#include <errno.h>

static struct patch_fault fault;

static int apply(const char *text, const char *patch, const char *want)
{
	struct buf out;
	size_t hunks;
	int status;

	buf_init(&out, 4096);
	fault = (struct patch_fault){ 0 };
	status = patch_apply(&out, str_of(text), str_of(patch), &fault, &hunks);
	if (status == 0)
		assert_string_equal(out.data ? out.data : "", want);
	buf_free(&out);
	return status;
}

static void what_fits_is_applied(void **state)
{
	(void)state;
	assert_int_equal(apply("a\nb\nc\n", "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", "a\nB\nc\n"), 0);
	assert_int_equal(apply("a\nb\n", "@@ -0,0 +1 @@\n+x\n@@ -2 +3,2 @@ func\n b\n+y\n", "x\na\nb\ny\n"), 0);
	assert_int_equal(apply("", "@@ -0,0 +1,2 @@\n+x\n+\n", "x\n\n"), 0);
	assert_int_equal(apply("a\n", "@@ -1 +0,0 @@\n-a\n", ""), 0);
	assert_int_equal(apply("a\n\nb\n", "@@ -1,3 +1,2 @@\n a\n\n-b\n", "a\n\n"), 0);
	assert_int_equal(apply("a\r\n", "@@ -1 +1 @@\n-a\r\n+b\r\n\n", "b\r\n"), 0);
}

static void newlines_at_the_end(void **state)
{
	(void)state;
	assert_int_equal(apply("a", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", "b\n"), 0);
	assert_int_equal(apply("a\n", "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n", "b"), 0);
	assert_int_equal(apply("a\n", "@@ -1 +1,2 @@\n a\n+b", "a\nb\n"), 0);
	assert_int_equal(apply("a\nb\n", "@@ -1,2 +1,3 @@\n+x\n a\n b", "x\na\nb\n"), 0);
	assert_int_equal(apply("a", "@@ -1 +1 @@\n-a\n+b\n", ""), -ENOENT);
	assert_int_equal(apply("a\nb\n", "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n", ""), -EINVAL);
}

static void what_does_not_fit_is_told(void **state)
{
	(void)state;
	assert_int_equal(apply("a\nb\n", "@@ -1 +1 @@\n a\n@@ -2 +2 @@\n-x\n+y\n", ""), -ENOENT);
	assert_int_equal(fault.hunk, 2);
	assert_int_equal(fault.text_line, 2);
	assert_int_equal(fault.patch_line, 4);
	assert_int_equal(apply("a\n", "@@ -5 +5 @@\n-a\n", ""), -ENOENT);
	assert_int_equal(apply("a\n", "@@ -1,2 +1,2 @@\n a\n b\n", ""), -ENOENT);
	/* One line further down is not there. */
	assert_int_equal(apply("x\na\n", "@@ -1 +1 @@\n-a\n+b\n", ""), -ENOENT);
}

static void what_is_no_diff_is_refused(void **state)
{
	static const char *const bad[] = { "", "hello", "@@", "@@ -1 +1", "@@ -a +1 @@\n a\n", "@@ -0 +1 @@\n a\n",
		"@@ -1,2 +1,2 @@\n a\n", "@@ -1 +1 @@\n a\n b\n", "@@ -1 +1 @@\nxa\n", "@@ -1 +1 @@\n a\n\nrest\n",
		"@@ -2 +2 @@\n b\n@@ -1 +1 @@\n a\n", "--- a\n+++ b\n@@ -1 +1 @@\n a\n--- c\n+++ d\n@@ -1 +1 @@\n a\n",
		"@@ -1,99999999999999999999 +1 @@\n a\n", "@@ -1 +1 @@\n+a\n+b\n" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		assert_int_equal(apply("a\nb\n", bad[i], ""), -EINVAL);
		assert_non_null(fault.why);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_is_applied),
		cmocka_unit_test(newlines_at_the_end),
		cmocka_unit_test(what_does_not_fit_is_told),
		cmocka_unit_test(what_is_no_diff_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
