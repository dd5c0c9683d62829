/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flags: bundled letters, values in every form, where they end, and what is wrong with them.
 */
#include "cli/args.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct flag own[] = { { 'l', "long", NULL, "" }, { 'w', "workdir", "DIR", "" }, { 'e', "env", "K=V", "" },
	{ '\0', "json", "OBJECT", "" }, FLAGS_END };
static const struct flag shared[] = { { 'q', "quiet", NULL, "" }, { '\0', "json", NULL, "" }, FLAGS_END };

static struct args args;
static struct problem problem;

/* Words separated by '|', so that blanks and empty words can stand there. */
static int parse(const char *line, bool stop_at_word)
{
	static char copy[256];
	char *argv[32], *rest = copy;
	int argc = 0;

	snprintf(copy, sizeof copy, "%s", line);
	args_free(&args);
	while (rest && *line)
		argv[argc++] = strsep(&rest, "|");
	problem_clear(&problem);
	return args_parse(&args, argc, argv, own, shared, stop_at_word, &problem);
}

static void words(const char *line)
{
	char joined[256] = "";
	size_t len = 0;

	for (size_t i = 0; i < args.word_count; i++)
		len += (size_t)snprintf(joined + len, sizeof joined - len, "%s%s", i ? "|" : "", args.words[i]);
	assert_string_equal(joined, line);
}

static void test_forms(void **state)
{
	(void)state;
	assert_int_equal(parse("-lw|d|a|-e|X=1|--env=Y=2|b|--workdir|z|-", false), 0);
	words("a|b|-");
	assert_true(args_has(&args, "long"));
	assert_string_equal(args_value(&args, "workdir"), "z");
	assert_int_equal(parse("-wd", false), 0);
	assert_string_equal(args_value(&args, "workdir"), "d");
	assert_int_equal(parse("--workdir=", false), 0);
	assert_string_equal(args_value(&args, "workdir"), "");
	assert_false(args_has(&args, "quiet"));
	assert_int_equal(parse("", false), 0);
	assert_int_equal(args.word_count, 0);
}

static void test_repeated(void **state)
{
	size_t at = 0;

	(void)state;
	assert_int_equal(parse("-e|A=1|-l|-e|B=2", false), 0);
	assert_string_equal(args_next(&args, "env", &at), "A=1");
	assert_string_equal(args_next(&args, "env", &at), "B=2");
	assert_null(args_next(&args, "env", &at));
}

static void test_where_flags_end(void **state)
{
	(void)state;
	assert_int_equal(parse("-l|ls|-q|--|x", true), 0);
	words("ls|-q|--|x");
	assert_false(args_has(&args, "quiet"));
	assert_int_equal(parse("-l|--|-q|--|x", true), 0);
	words("-q|--|x");
	assert_int_equal(parse("a|--|-q", false), 0);
	words("a|-q");
	assert_true(args.dashes);
}

static void test_own_flags_come_first(void **state)
{
	(void)state;
	assert_int_equal(parse("--json|{}", false), 0);
	assert_string_equal(args_value(&args, "json"), "{}");
}

static void test_refused(void **state)
{
	static const char *const lines[] = { "--nope", "-x", "-lx", "--workdir", "-w", "--long=1", "--", "---" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		bool fine = strcmp(lines[i], "--") == 0;

		assert_int_equal(parse(lines[i], false), fine ? 0 : -1);
		assert_int_equal(problem.exit_code, fine ? 0 : EXIT_USAGE);
	}
	assert_int_equal(parse("--workdri|x", false), -1);
	assert_non_null(strstr(problem.text, "--workdir"));
}

static void test_seconds(void **state)
{
	static const char *const bad[] = { "", "x", "1x", "-1", "nan", "inf", "1e999", "1,5" };
	double seconds = 7;

	(void)state;
	assert_int_equal(args_seconds("1.5", &seconds, &problem), 0);
	assert_true(seconds == 1.5);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(args_seconds(bad[i], &seconds, &problem), -1);
	assert_true(seconds == 1.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_repeated),
		cmocka_unit_test(test_where_flags_end),
		cmocka_unit_test(test_own_flags_come_first),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_seconds),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	args_free(&args);
	return failed;
}
