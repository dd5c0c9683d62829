/* SPDX-License-Identifier: Apache-2.0 */
/* The command line and the environment. */
#include "server/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>

static struct options options;
static struct err err;

static int parse(const char *first, ...)
{
	static char *args[16];
	size_t count = 0;
	va_list more;

	va_start(more, first);
	for (const char *arg = first; arg; arg = va_arg(more, const char *))
		args[count++] = (char *)arg;
	va_end(more);
	args[count] = NULL;
	return options_parse(&options, args, &err);
}

static int clean(void **state)
{
	(void)state;
	clearenv();
	return 0;
}

static void nothing_given(void **state)
{
	(void)state;
	assert_int_equal(parse(NULL), 0);
	assert_int_equal(options.listen_count, 0);
	assert_int_equal(options.shutdown_grace, -1); /* the policy's, or the default */
	assert_null(options.token);
	assert_false(options.no_cgroups || options.help || options.version || options.insecure_no_auth);
}

static void both_forms_of_a_value(void **state)
{
	(void)state;
	assert_int_equal(parse("--token", "a=b", "--base-dir=/x=y", "--shutdown-grace=0", "--policy=", NULL), 0);
	assert_string_equal(options.token, "a=b");
	assert_string_equal(options.base_dir, "/x=y");
	assert_string_equal(options.policy, "");
	assert_int_equal(options.shutdown_grace, 0);
	assert_int_equal(parse("--token", "--no-cgroups", NULL), 0);
	assert_string_equal(options.token, "--no-cgroups");
	assert_false(options.no_cgroups);
}

static void flags_win_over_variables(void **state)
{
	(void)state;
	setenv("ABX_SERVER_TOKEN", "from-env", 1);
	setenv("ABX_SERVER_LISTEN", "127.0.0.1:1", 1);
	setenv("ABX_SERVER_SHUTDOWN_GRACE", "7", 1);
	setenv("ABX_SERVER_BASE_DIR", "", 1);
	assert_int_equal(parse(NULL), 0);
	assert_string_equal(options.token, "from-env");
	assert_string_equal(options.listen[0], "127.0.0.1:1");
	assert_int_equal(options.shutdown_grace, 7);
	assert_null(options.base_dir); /* an empty variable is none */
	assert_int_equal(parse("--listen", "a:1", "--listen=b:2", "--token=flag", NULL), 0);
	assert_int_equal(options.listen_count, 2);
	assert_string_equal(options.listen[0], "a:1");
	assert_string_equal(options.listen[1], "b:2");
	assert_string_equal(options.token, "flag");
	/* An empty secret is told later, not passed over. */
	setenv("ABX_SERVER_TOKEN", "", 1);
	assert_int_equal(parse(NULL), 0);
	assert_string_equal(options.token, "");
}

static void refused(const char *says)
{
	if (!strstr(err.text, says))
		fail_msg("'%s' does not say '%s'", err.text, says);
}

static void what_is_wrong_is_named(void **state)
{
	(void)state;
	assert_int_equal(parse("--lissten", "x", NULL), -1);
	refused("did you mean --listen");
	assert_int_equal(parse("serve", NULL), -1);
	refused("'serve'");
	assert_int_equal(parse("--token", NULL), -1);
	refused("--token needs a value");
	assert_int_equal(parse("--no-cgroups=yes", NULL), -1);
	refused("takes no value");
	assert_int_equal(parse("--shutdown-grace", "3601", NULL), -1);
	refused("from 0 to 3600");
	assert_int_equal(parse("--shutdown-grace", "1.5", NULL), -1);
	assert_int_equal(parse("--shutdown-grace", "-1", NULL), -1);
	assert_int_equal(parse("--max-upload-size", "0", NULL), -1);
	assert_int_equal(parse("--max-upload-size", "99999999999999999999", NULL), -1);
	setenv("ABX_MAX_UPLOAD_SIZE", "x", 1);
	assert_int_equal(parse(NULL), -1);
	refused("ABX_MAX_UPLOAD_SIZE");
}

static void there_is_an_end_to_addresses(void **state)
{
	char *args[2 * OPTIONS_LISTEN_MAX + 3];
	size_t count = 0;

	(void)state;
	for (int i = 0; i <= OPTIONS_LISTEN_MAX; i++) {
		args[count++] = (char *)"--listen";
		args[count++] = (char *)"a:1";
	}
	args[count] = NULL;
	assert_int_equal(options_parse(&options, args, &err), -1);
	args[count - 2] = NULL;
	assert_int_equal(options_parse(&options, args, &err), 0);
	assert_int_equal(options.listen_count, OPTIONS_LISTEN_MAX);
}

static void secrets_are_blanked_where_they_stand(void **state)
{
	char first[] = "--token=secret", flag[] = "--token", second[] = "hidden", other[] = "--base-dir=/seen",
	     last[] = "--token";
	char *args[] = { first, flag, second, other, last, NULL };
	char *in_environment;

	(void)state;
	setenv("ABX_SERVER_TOKEN", "from-env", 1);
	in_environment = getenv("ABX_SERVER_TOKEN");
	options_scrub(args);
	assert_string_equal(first, "--token=xxxxxx");
	assert_string_equal(second, "xxxxxx");
	assert_string_equal(other, "--base-dir=/seen");
	assert_string_equal(in_environment, "xxxxxxxx");
	assert_null(getenv("ABX_SERVER_TOKEN"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nothing_given, clean),
		cmocka_unit_test_setup(both_forms_of_a_value, clean),
		cmocka_unit_test_setup(flags_win_over_variables, clean),
		cmocka_unit_test_setup(what_is_wrong_is_named, clean),
		cmocka_unit_test_setup(there_is_an_end_to_addresses, clean),
		cmocka_unit_test_setup(secrets_are_blanked_where_they_stand, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
