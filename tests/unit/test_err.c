/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: the table, messages, what errno means. */
#include "base/err.h"
#include "base/utf8.h"

#include <errno.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void every_error_is_complete(void **state)
{
	(void)state;
	for (enum err_code code = ERR_NONE + 1; code < ERR_COUNT; code++) {
		const struct err_info *info = err_info(code);

		assert_true(info->status >= 400 && info->status < 600);
		assert_non_null(strchr(info->wire_code, '.'));
		assert_true(info->code[0] && info->type[0] && info->exception[0]);
		assert_int_equal(info->ecode[0], 'E');
		assert_int_equal(strlen(info->ecode), 5);
		assert_int_equal(info->meaning[strlen(info->meaning) - 1], '.');
		for (enum err_code other = ERR_NONE + 1; other < code; other++)
			assert_string_not_equal(info->wire_code, err_info(other)->wire_code);
	}
}

static void setting_fills_everything_in(void **state)
{
	(void)state;
	struct err err;

	memset(&err, 'x', sizeof err);
	assert_int_equal(err_set(&err, ERR_ARGS_INVALID, "no '%s' in %d", "mode", 7), -1);
	assert_int_equal(err.code, ERR_ARGS_INVALID);
	assert_string_equal(err.text, "no 'mode' in 7");
	assert_string_equal(err.rule, "");
	assert_int_equal(err.sys_errno, 0);
	assert_null(err.details);
}

static void a_message_may_be_made_from_the_last(void **state)
{
	(void)state;
	struct err err;

	err_set(&err, ERR_INTERNAL, "inner");
	err_set(&err, ERR_INTERNAL, "outer: %s", err.text);
	assert_string_equal(err.text, "outer: inner");
}

static void denial_names_the_rule(void **state)
{
	(void)state;
	struct err err;

	assert_int_equal(err_deny(&err, ERR_POLICY_PATH, "paths.roots", "not '%s'", "/x"), -1);
	assert_string_equal(err.rule, "policy:paths.roots");
	assert_string_equal(err.text, "not '/x'");
}

static void system_errors_are_mapped(void **state)
{
	(void)state;
	static const struct {
		int number;
		enum err_code code;
	} rows[] = { { ENOENT, ERR_FILES_NOT_FOUND }, { EACCES, ERR_FILES_PERMISSION }, { ENOSPC, ERR_FILES_NO_SPACE },
		{ EMFILE, ERR_BUSY }, { EIO, ERR_FILES_IO }, { 12345, ERR_FILES_IO } };
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		assert_int_equal(err_system(&err, rows[i].number, "open '%s'", "f"), -1);
		assert_int_equal(err.code, rows[i].code);
		assert_int_equal(err.sys_errno, rows[i].number);
		assert_true(strncmp(err.text, "open 'f': ", 10) == 0);
		assert_true(strlen(err.text) > 10);
	}
	err_system(&err, ENOENT, "open");
	assert_string_equal(err.text, "open: no such file or folder");
}

static void long_messages_keep_the_reason(void **state)
{
	(void)state;
	char path[2000];
	struct err err;

	for (int shift = 0; shift < 3; shift++) {
		/* Of three-byte characters, so that two of the three cuts would hit one. */
		memset(path, 'a', (size_t)shift);
		for (size_t i = (size_t)shift; i + 3 < sizeof path; i += 3)
			memcpy(path + i, "\xe2\x82\xac", 4);
		err_system(&err, ENOENT, "open '%s'", path);
		assert_non_null(strstr(err.text, ": no such file or folder"));
		assert_true(utf8_valid(str_of(err.text)));
		assert_true(strlen(err.text) > ERR_TEXT_MAX - 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_error_is_complete),
		cmocka_unit_test(setting_fills_everything_in),
		cmocka_unit_test(a_message_may_be_made_from_the_last),
		cmocka_unit_test(denial_names_the_rule),
		cmocka_unit_test(system_errors_are_mapped),
		cmocka_unit_test(long_messages_keep_the_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
