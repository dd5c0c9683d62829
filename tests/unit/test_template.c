/* SPDX-License-Identifier: Apache-2.0 */
/* One element of argv: what stands there, what is filled in, what is refused. */
#include "custom/template.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const struct arg items[] = {
	{ .name = "a", .type = ARG_STRING, .required = true },
	{ .name = "b", .type = ARG_INTEGER, .def_json = "7", .def_text = "7" },
};
static const struct args args = { items, ARRAY_LEN(items) };

static void gives(const char *text, const char *value, const char *wanted)
{
	struct json member = { .type = JSON_STRING, .key = STR("a"), .text = str_of(value) };
	struct json given = { .type = JSON_OBJECT, .first = &member, .count = 1 };
	struct hold hold = { NULL };
	struct template t;
	AUTOBUF struct buf out;

	buf_init(&out, 4096);
	assert_null(template_parse(&hold, text, &t));
	template_fill(&t, &args, &given, &out);
	assert_true(str_is(buf_str(&out), wanted));
	hold_free(&hold);
}

static void refuses(const char *text, const char *says)
{
	struct hold hold = { NULL };
	struct template t;
	const char *problem = template_parse(&hold, text, &t);

	assert_non_null(problem);
	assert_non_null(strstr(problem, says));
	hold_free(&hold);
}

static void fills(void **state)
{
	(void)state;
	gives("", "x", "");
	gives("plain", "x", "plain");
	gives("{a}", "", "");
	gives("{a}", "two words {b} $x `y` '", "two words {b} $x `y` '");
	gives("{a}{b}{a}", "-", "-7-");
	gives("--x={a}.c", "{", "--x={.c");
	gives("{{a}}", "x", "{a}");
	gives("{{{a}}}", "x", "{x}");
	gives("}}{{", "x", "}{");
}

static void refused(void **state)
{
	(void)state;
	refuses("{", "without its '}'");
	refuses("{a", "without its '}'");
	refuses("}", "without its '{'");
	refuses("a}b", "without its '{'");
	refuses("{}", "the name of an argument");
	refuses("{a b}", "the name of an argument");
	refuses("{{{a}}", "without its '{'");
	refuses("{a{b}", "the name of an argument");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(fills), cmocka_unit_test(refused) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
