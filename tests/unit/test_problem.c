/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exit codes, and the one line of an error.
 */
#include "cli/problem.h"

#include "base/err.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_exit_codes(void **state)
{
	static const struct {
		const char *wire_code;
		int exit_code;
	} rows[] = {
		{ "auth.missing_credentials", 3 },
		{ "auth.conflicting_credentials", 3 },
		{ "policy.path_denied", 4 },
		{ "policy.scope_denied", 4 },
		{ "op.not_enabled", 4 },
		{ "op.unknown", 5 },
		{ "op.method_not_allowed", 1 },
		{ "custom.unknown_command", 5 },
		{ "files.not_found", 5 },
		{ "process.not_found", 5 },
		{ "terminal.not_found", 5 },
		{ "browser.not_found", 5 },
		{ "limit.rate", 75 },
		{ "limit.file_too_large", 75 },
		{ "install.failed", 75 },
		{ "server.busy", 75 },
		{ "server.internal", 75 },
		{ "commands.timeout", 124 },
		{ "browser.timeout", 124 },
		{ "files.exists", 1 },
		{ "files.permission_denied", 1 },
		{ "args.unknown", 2 },
		{ "git.failed", 1 },
		{ "runtime.unavailable", 1 },
		{ "", 1 },
		{ "policy", 1 },
		{ "authority.x", 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(problem_exit_of(str_of(rows[i].wire_code)), rows[i].exit_code);
}

/* Whatever the server may say ends abx with a code of the table, and never with success. */
static void test_every_error_has_a_code(void **state)
{
	(void)state;
	for (enum err_code code = ERR_NONE + 1; code < ERR_COUNT; code++) {
		int exit_code = problem_exit_of(str_of(err_info(code)->wire_code));

		assert_true((exit_code >= 1 && exit_code <= 5) || exit_code == 75 || exit_code == 124);
	}
}

static void test_codes_of_runs(void **state)
{
	(void)state;
	assert_int_equal(problem_exit_of_run(EXIT_TIMEOUT), 124);
	assert_int_equal(problem_exit_of_run(EXIT_INTERRUPTED), 130);
	assert_int_equal(problem_exit_of_run(EXIT_AUTH), 125);
	assert_int_equal(problem_exit_of_run(EXIT_TRY_AGAIN), 125);
	assert_int_equal(problem_exit_of_run(EXIT_USAGE), 125);
}

static void check_line(const struct problem *p, const char *line)
{
	struct buf text;

	buf_init(&text, 4096);
	problem_format(p, &text);
	assert_string_equal(text.data, line);
	buf_free(&text);
}

static int from_reply(struct problem *p, int status, const char *body)
{
	struct buf text;

	buf_init(&text, 4096);
	buf_adds(&text, body);
	assert_int_equal(problem_from_reply(p, "files.list", status, STR("id-1"), &text), -1);
	buf_free(&text);
	return p->exit_code;
}

static void test_lines(void **state)
{
	struct problem p;

	(void)state;
	assert_int_equal(
		from_reply(&p, 403,
			"{\"error\":\"outside: /e\\u001b\",\"wire_code\":\"policy.path_denied\",\"op\":\"files.stat\","
			"\"rule\":\"policy:paths.roots\",\"request_id\":\"5f\"}"),
		4);
	check_line(&p, "abx: files.stat: outside: /e\\x1b (policy:paths.roots) [request 5f]\n");
	assert_int_equal(from_reply(&p, 503, "{\"error\":\"full\",\"wire_code\":\"server.busy\"}"), 75);
	check_line(&p, "abx: files.list: full; try again [request id-1]\n");
	assert_int_equal(from_reply(&p, 500, "oops"), 1);
	assert_int_equal(from_reply(&p, 500, ""), 1);
	assert_int_equal(from_reply(&p, 500, "[]"), 1);
	assert_int_equal(from_reply(&p, 500, "{\"error\":5}"), 1);
	problem_errno(&p, ENOENT, "cannot read '%s'", "x");
	check_line(&p, "abx: cannot read 'x': No such file or directory\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exit_codes),
		cmocka_unit_test(test_every_error_has_a_code),
		cmocka_unit_test(test_codes_of_runs),
		cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
