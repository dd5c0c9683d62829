/* SPDX-License-Identifier: Apache-2.0 */
/* Strict JSON: what is accepted, what it means, what is refused and where. */
#include "base/buf.h"
#include "base/budget.h"
#include "base/json.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct arena arena;

static int set_up(void **state)
{
	(void)state;
	(void)state;
	arena_init(&arena, (size_t)1 << 30);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	(void)state;
	arena_free(&arena);
	/* Tables of names are given back on every way out. */
	return budget_used() == 0 ? 0 : -1;
}

/* Parses a copy that ends exactly where the text does, so that memory checkers see a read behind it. */
static int parse_copy(struct str text, struct json_error *ret_error)
{
	char *copy = malloc(text.len + !text.len);
	struct json *value;
	int rc;

	memcpy(copy, text.p, text.len);
	rc = json_parse(&arena, copy, text.len, &value, ret_error);
	free(copy);
	return rc;
}

static struct json *accepted(struct str text)
{
	struct json_error error = { .reason = "" };
	struct json *value = NULL;

	assert_int_equal(parse_copy(text, &error), 0);
	if (json_parse(&arena, arena_strndup(&arena, text.p, text.len), text.len, &value, &error) < 0)
		fail_msg("refused: %s: " STR_FMT, error.reason, STR_ARG(text));
	assert_non_null(value);
	return value;
}

static void refused(struct str text, size_t line, size_t column, const char *reason)
{
	struct json_error error = { .reason = "" };

	if (parse_copy(text, &error) != -EINVAL)
		fail_msg("accepted: " STR_FMT, STR_ARG(text));
	if (error.line != line || error.column != column)
		fail_msg("%zu:%zu instead of %zu:%zu: " STR_FMT, error.line, error.column, line, column, STR_ARG(text));
	assert_non_null(strstr(error.reason, reason));
}

#define REFUSED(text, line, column, reason) refused(STR(text), line, column, reason)

static void words_and_blanks(void **state)
{
	(void)state;
	assert_int_equal(accepted(STR("null"))->type, JSON_NULL);
	assert_true(accepted(STR(" \t\r\ntrue\n "))->boolean);
	assert_false(accepted(STR("false"))->boolean);
	REFUSED("", 1, 1, "too early");
	REFUSED("  \n ", 2, 2, "too early");
	REFUSED("nul", 1, 1, "value");
	REFUSED("True", 1, 1, "value");
	REFUSED("nulll", 1, 5, "behind");
	REFUSED("NaN", 1, 1, "value");
	REFUSED("\x0c"
		"1",
		1, 1, "value");
	REFUSED("\xc2\xa0"
		"1",
		1, 1, "value");
	REFUSED("'a'", 1, 1, "value");
	REFUSED("/* c */ 1", 1, 1, "value");
}

static void containers(void **state)
{
	(void)state;
	const struct json *v = accepted(STR("{\"a\":[1,[],{}],\"b\":{\"c\":null}}"));
	const struct json *a = json_get(v, "a");

	assert_int_equal(v->type, JSON_OBJECT);
	assert_int_equal(v->count, 2);
	assert_true(str_is(v->first->key, "a") && str_is(v->first->next->key, "b"));
	assert_null(v->first->next->next);
	assert_int_equal(a->count, 3);
	assert_int_equal(a->first->integer, 1);
	assert_int_equal(a->first->next->type, JSON_ARRAY);
	assert_int_equal(a->first->next->next->type, JSON_OBJECT);
	assert_int_equal(json_get(json_get(v, "b"), "c")->type, JSON_NULL);
	assert_null(json_get(v, "x"));
	assert_null(json_get(a, "a"));
	assert_null(json_get(NULL, "a"));
}

static void commas_colons_and_brackets(void **state)
{
	(void)state;
	REFUSED("[1,]", 1, 4, "value");
	REFUSED("[,1]", 1, 2, "value");
	REFUSED("[1 2]", 1, 4, "comma or ']'");
	REFUSED("[1}", 1, 3, "comma or ']'");
	REFUSED("[1", 1, 3, "too early");
	REFUSED("[", 1, 2, "too early");
	REFUSED("]", 1, 1, "value");
	REFUSED("{", 1, 2, "too early");
	REFUSED("{\"a\":1,}", 1, 8, "name in quotes");
	REFUSED("{,}", 1, 2, "name in quotes");
	REFUSED("{a:1}", 1, 2, "name in quotes");
	REFUSED("{1:1}", 1, 2, "name in quotes");
	REFUSED("{\"a\" 1}", 1, 6, "colon");
	REFUSED("{\"a\"", 1, 5, "too early");
	REFUSED("{\"a\":", 1, 6, "too early");
	REFUSED("{\"a\":}", 1, 6, "value");
	REFUSED("{\"a\":1", 1, 7, "too early");
	REFUSED("{\"a\":1]", 1, 7, "comma or '}'");
	REFUSED("{\"a\":1 \"b\":2}", 1, 8, "comma or '}'");
	REFUSED("{\"a\"::1}", 1, 6, "value");
}

static void text_behind_the_value(void **state)
{
	(void)state;
	REFUSED("1 2", 1, 3, "behind");
	REFUSED("{}}", 1, 3, "behind");
	REFUSED("[]\n\n x", 3, 2, "behind");
	REFUSED("\"a\"\0", 1, 4, "behind");
	REFUSED("null,", 1, 5, "behind");
	REFUSED("{}//", 1, 3, "behind");
}

static void byte_order_marks(void **state)
{
	(void)state;
	REFUSED("\xef\xbb\xbf{}", 1, 1, "byte order mark");
	REFUSED("\xff\xfe[\0]\0", 1, 1, "value");
	REFUSED("\xef\xbb", 1, 1, "value");
	REFUSED("[\xef\xbb\xbf]", 1, 2, "value");
	assert_int_equal(accepted(STR("\"\xef\xbb\xbf\""))->text.len, 3);
}

static void places_are_exact(void **state)
{
	(void)state;
	REFUSED("{\n  \"a\": 1,\r\n\t\"b\": x\n}", 3, 7, "value");
	/* An escaped line feed is no new line, although it is one when the string has been read. */
	REFUSED("[\"\\n\\n\\n\",\n\"\\n\", x]", 2, 7, "value");
	REFUSED("[\"\xc3\xa9\xe2\x82\xac\" x]", 1, 10, "comma");
	REFUSED("[\r1 x]", 1, 5, "comma");
	REFUSED("\n\n\n", 4, 1, "too early");
}

static void strings(void **state)
{
	(void)state;
	const struct json *v = accepted(
		STR("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20AC\\ud83d\\uDE00 \x7f \xc3\xa9\""));

	assert_true(str_is(v->text, "\"\\/\b\f\n\r\tA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 \x7f \xc3\xa9"));
	v = accepted(STR("[\"a\\u0000b\",\"\\uFFFF\\u0080\\u07ff\\u0800\"]"));
	assert_true(str_eq(v->first->text, STR("a\0b")));
	assert_true(str_is(v->first->next->text, "\xef\xbf\xbf\xc2\x80\xdf\xbf\xe0\xa0\x80"));
	assert_int_equal(accepted(STR("\"\""))->text.len, 0);
}

static void truncated_strings_and_escapes(void **state)
{
	(void)state;
	static const char whole[] = "\"ab\\u00e9\\ud83d\\ude00\\n\xe2\x82\xac\"";

	for (size_t len = 1; len < sizeof whole - 1; len++) {
		struct json_error error;

		assert_int_equal(parse_copy((struct str){ whole, len }, &error), -EINVAL);
	}
	REFUSED("\"abc", 1, 5, "inside a string");
	REFUSED("\"\\", 1, 2, "unknown escape");
	REFUSED("\"\\u", 1, 2, "four hexadecimal");
	REFUSED("\"\\u12", 1, 2, "four hexadecimal");
	REFUSED("\"\\u12\"", 1, 2, "four hexadecimal");
	REFUSED("\"\\u12g4\"", 1, 2, "four hexadecimal");
	REFUSED("\"\\u 123\"", 1, 2, "four hexadecimal");
	REFUSED("\"\\u+123\"", 1, 2, "four hexadecimal");
	REFUSED("\"\\x41\"", 1, 2, "unknown escape");
	REFUSED("\"\\U0041\"", 1, 2, "unknown escape");
	REFUSED("\"\\\0\"", 1, 2, "unknown escape");
	REFUSED("\"\\'\"", 1, 2, "unknown escape");
	REFUSED("\"\\\n\"", 1, 2, "unknown escape");
	REFUSED("\"\\a\"", 1, 2, "unknown escape");
}

static void lone_surrogates(void **state)
{
	(void)state;
	REFUSED("\"ab\\ud800\"", 1, 4, "surrogate");
	REFUSED("\"\\udc00\"", 1, 2, "surrogate");
	REFUSED("\"\\udc00\\ud800\"", 1, 2, "surrogate");
	REFUSED("\"\\ud800\\ud800\"", 1, 2, "surrogate");
	REFUSED("\"\\ud800\\u0041\"", 1, 2, "surrogate");
	REFUSED("\"\\ud800\\n\"", 1, 2, "surrogate");
	REFUSED("\"\\ud800\\udc\"", 1, 2, "surrogate");
	REFUSED("\"\\ud800x\"", 1, 2, "surrogate");
	REFUSED("\"\\ud800\\ue000\"", 1, 2, "surrogate");
	REFUSED("\"\\ud800\\", 1, 2, "surrogate");
	REFUSED("{\"\\udfff\":1}", 1, 3, "surrogate");
	assert_true(
		str_is(accepted(STR("\"\\ud800\\udc00\\udbff\\udfff\""))->text, "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"));
}

static void bytes_that_are_not_utf8(void **state)
{
	(void)state;
	static const char *const bad[] = { "\x80", "\xff", "\xc0\xaf", "\xc1\xbf", "\xe0\x80\xaf", "\xed\xa0\x80",
		"\xed\xbf\xbf", "\xf0\x80\x80\xaf", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xc3", "\xe2\x82",
		"\xf0\x9f\x98" };

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		const char *text = arena_printf(&arena, "[\"good\xc3\xa9%s\"]", bad[i]);

		refused(str_of(text), 1, 9, "not UTF-8");
	}
	REFUSED("\"\xe2\x82", 1, 2, "not UTF-8");
	REFUSED("[1\x80]", 1, 3, "comma");
}

static void controls_in_strings(void **state)
{
	(void)state;
	for (int c = 0; c < 0x20; c++) {
		for (size_t at = 0; at < 36; at++) {
			char text[38];

			memset(text, 'a', sizeof text);
			text[0] = text[37] = '"';
			text[at + 1] = (char)c;
			refused((struct str){ text, sizeof text }, 1, at + 2, "control character");
		}
	}
	REFUSED("\0", 1, 1, "value");
	REFUSED("[1,\0 2]", 1, 4, "value");
}

static void integers(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool is_integer;
		int64_t integer;
		double number;
	} rows[] = {
		{ "0", true, 0, 0 },
		{ "-0", true, 0, -0.0 },
		{ "9007199254740991", true, INT64_C(9007199254740991), 9007199254740991.0 },
		{ "9223372036854775807", true, INT64_MAX, 9223372036854775808.0 },
		{ "-9223372036854775808", true, INT64_MIN, -9223372036854775808.0 },
		{ "9223372036854775808", false, 0, 9223372036854775808.0 },
		{ "-9223372036854775809", false, 0, -9223372036854775808.0 },
		{ "18446744073709551616", false, 0, 18446744073709551616.0 },
		{ "100000000000000000000000000000", false, 0, 1e29 },
		{ "1.0", false, 0, 1 },
		{ "1e0", false, 0, 1 },
		{ "-0.0", false, 0, -0.0 },
		{ "0.1", false, 0, 0.1 },
		{ "1E+2", false, 0, 100 },
		{ "25e-1", false, 0, 2.5 },
		{ "123.456e-789", false, 0, 0 },
		{ "2.2250738585072011e-308", false, 0, 2.2250738585072011e-308 },
		{ "1e400", false, 0, INFINITY },
		{ "-1e400", false, 0, -INFINITY },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		/* At the end of the text, and with something behind it. */
		const struct json *alone = accepted(str_of(rows[i].text));
		const struct json *inside =
			accepted(str_of(arena_printf(&arena, "[%s,%s]", rows[i].text, rows[i].text)))->first;

		for (const struct json *v = alone; v; v = v == alone ? inside : v->next) {
			assert_int_equal(v->type, JSON_NUMBER);
			assert_true(str_is(v->text, rows[i].text));
			assert_int_equal(v->is_integer, rows[i].is_integer);
			assert_true(!v->is_integer || v->integer == rows[i].integer);
			assert_true(v->number == rows[i].number);
			assert_int_equal(signbit(v->number) != 0, signbit(rows[i].number) != 0);
		}
	}
}

static void malformed_numbers(void **state)
{
	(void)state;
	REFUSED("01", 1, 1, "leading zero");
	REFUSED("-01", 1, 2, "leading zero");
	REFUSED("00", 1, 1, "leading zero");
	REFUSED("+1", 1, 1, "value");
	REFUSED("-", 1, 2, "minus");
	REFUSED("-x", 1, 2, "minus");
	REFUSED("--1", 1, 2, "minus");
	REFUSED(".5", 1, 1, "value");
	REFUSED("5.", 1, 3, "decimal point");
	REFUSED("5.e1", 1, 3, "decimal point");
	REFUSED("1e", 1, 3, "exponent");
	REFUSED("1e+", 1, 4, "exponent");
	REFUSED("1ex", 1, 3, "exponent");
	REFUSED("1e1.5", 1, 4, "behind");
	REFUSED("0x10", 1, 2, "behind");
	REFUSED("1,5", 1, 2, "behind");
	REFUSED("1_000", 1, 2, "behind");
	REFUSED("-Infinity", 1, 2, "minus");
	REFUSED("Infinity", 1, 1, "value");
	REFUSED("-NaN", 1, 2, "minus");
	REFUSED("\xef\xbc\x91", 1, 1, "value");
}

static char *repeated(const char *part, size_t times, size_t *ret_len)
{
	size_t len = strlen(part);
	char *text = malloc(len * times);

	for (size_t i = 0; i < times; i++)
		memcpy(text + i * len, part, len);
	*ret_len = len * times;
	return text;
}

static void nested(const char *open, const char *middle, const char *close, size_t depth, bool good)
{
	size_t open_len, close_len;
	AUTOFREE char *opening = repeated(open, depth, &open_len);
	AUTOFREE char *closing = repeated(close, depth, &close_len);
	AUTOBUF struct buf b;

	buf_init(&b, 1 << 20);
	buf_add(&b, opening, open_len);
	buf_adds(&b, middle);
	buf_add(&b, closing, close_len);
	if (good)
		accepted(buf_str(&b));
	else
		refused(buf_str(&b), 1, strlen(open) * JSON_DEPTH_MAX + 1, "deeper than 64");
}

static void depth_has_a_limit(void **state)
{
	(void)state;
	nested("[", "", "]", 64, true);
	nested("[", "", "]", 65, false);
	nested("[", "1", "]", 64, true);
	nested("{\"a\":", "1", "}", 64, true);
	nested("{\"a\":", "1", "}", 65, false);
	accepted(STR("[[[],[]],[[],{}]]"));
}

/* Returns what it was given when all went well. */
static void *parse_on_a_small_stack(void *arg)
{
	static const char *const parts[] = { "[", "{\"a\":", "[{\"a\":" };

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		size_t len;
		AUTOFREE char *text = repeated(parts[i], 200000, &len);
		struct json_error error;
		struct json *value;

		if (json_parse(&arena, text, len, &value, &error) != -EINVAL)
			return NULL;
	}
	return arg;
}

static void two_hundred_thousand_brackets_on_a_small_stack(void **state)
{
	(void)state;
	pthread_attr_t attributes;
	pthread_t thread;
	void *result;

	pthread_attr_init(&attributes);
	assert_int_equal(pthread_attr_setstacksize(&attributes, 64 * 1024), 0);
	assert_int_equal(pthread_create(&thread, &attributes, parse_on_a_small_stack, &arena), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	pthread_attr_destroy(&attributes);
	assert_ptr_equal(result, &arena);
}

static void names_that_come_twice(void **state)
{
	(void)state;
	REFUSED("{\"a\":1,\"a\":2}", 1, 8, "already");
	REFUSED("{\"a\":1,\n \"\\u0061\":2}", 2, 2, "already");
	REFUSED("{\"\":1,\"b\":{\"\":1,\"\":2}}", 1, 17, "already");
	REFUSED("{\"a\\u0000\":1,\"a\\u0000\":1}", 1, 14, "already");
	accepted(STR("{\"a\":1,\"A\":2,\"a \":3,\"\":4,\"a\\u0000\":5,\"b\":{\"a\":1}}"));
	REFUSED("{\"1\":1,\"2\":1,\"3\":1,\"4\":1,\"5\":1,\"6\":1,\"7\":1,\"8\":1,\"9\":1,\n\"a\":1,\"1\":1}", 2, 7,
		"already");
	REFUSED("{\"1\":1,\"2\":1,\"3\":1,\"4\":1,\"5\":1,\"6\":1,\"7\":1,\"8\":1,\"9\":1,\n\"a\":1,\"\\u0039\":1}", 2,
		7, "already");
	/* Each level with a table of its own, left open. */
	REFUSED("{\"1\":1,\"2\":1,\"3\":1,\"4\":1,\"5\":1,\"6\":1,\"7\":1,\"8\":1,\"9\":1,\"a\":"
		"{\"1\":1,\"2\":1,\"3\":1,\"4\":1,\"5\":1,\"6\":1,\"7\":1,\"8\":1,\"9\":1,\"a\":",
		1, 119, "too early");
}

static void many_names(void **state)
{
	(void)state;
	AUTOBUF struct buf b;
	const struct json *v;

	buf_init(&b, (size_t)1 << 28);
	buf_addc(&b, '{');
	for (int i = 0; i < 300000; i++)
		buf_addf(&b, "%s\"name%d\":%d", i ? "," : "", i, i);
	v = accepted((struct str){ arena_printf(&arena, "%s}", b.data), b.len + 1 });
	assert_int_equal(v->count, 300000);
	refused(str_of(arena_printf(&arena, "%s,\"name%d\":1}", b.data, 123456)), 1, b.len + 2, "already");
}

static void unescaping_at_every_offset(void **state)
{
	(void)state;
	/* Runs of every length around the block sizes of the scanner, between escapes. */
	for (size_t before = 0; before < 40; before++) {
		for (size_t behind = 0; behind < 40; behind += 3) {
			char text[120], expected[90];
			int len = snprintf(text, sizeof text, "\"%.*s\\n%.*s\\u00e9\"", (int)before,
				"aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd", (int)behind,
				"eeeeeeeeeeffffffffffgggggggggghhhhhhhhhh");

			snprintf(expected, sizeof expected, "%.*s\n%.*s\xc3\xa9", (int)before,
				"aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd", (int)behind,
				"eeeeeeeeeeffffffffffgggggggggghhhhhhhhhh");
			assert_true(str_is(accepted((struct str){ text, (size_t)len })->text, expected));
		}
	}
}

static void strings_without_escapes_are_not_copied(void **state)
{
	(void)state;
	char text[] = "[\"plain\",\"esc\\n\"]";
	struct json *value;
	struct json_error error;

	assert_int_equal(json_parse(&arena, text, sizeof text - 1, &value, &error), 0);
	assert_ptr_equal(value->first->text.p, text + 2);
	assert_ptr_equal(value->first->next->text.p, text + 10);
}

static void memory_is_bounded_by_the_arena(void **state)
{
	(void)state;
	struct arena small;
	size_t len;
	AUTOFREE char *text = repeated("[1],", 1000, &len);
	AUTOBUF struct buf b;
	struct json *value;
	struct json_error error;

	buf_init(&b, 1 << 20);
	buf_addc(&b, '[');
	buf_add(&b, text, len);
	buf_adds(&b, "1]");
	arena_init(&small, 10000);
	assert_int_equal(json_parse(&small, b.data, b.len, &value, &error), -ENOMEM);
	assert_non_null(error.reason);
	assert_int_equal(error.line, 1);
	arena_free(&small);
}

static void no_text_at_all(void **state)
{
	(void)state;
	struct json *value;
	struct json_error error;

	assert_int_equal(json_parse(&arena, NULL, 0, &value, &error), -EINVAL);
	assert_int_equal(error.column, 1);
}

static void type_names(void **state)
{
	(void)state;
	static const char *const names[] = { "null", "boolean", "number", "string", "array", "object" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		assert_string_equal(json_type_name((enum json_type)i), names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(words_and_blanks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(containers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(commas_colons_and_brackets, set_up, tear_down),
		cmocka_unit_test_setup_teardown(text_behind_the_value, set_up, tear_down),
		cmocka_unit_test_setup_teardown(byte_order_marks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(places_are_exact, set_up, tear_down),
		cmocka_unit_test_setup_teardown(strings, set_up, tear_down),
		cmocka_unit_test_setup_teardown(truncated_strings_and_escapes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lone_surrogates, set_up, tear_down),
		cmocka_unit_test_setup_teardown(bytes_that_are_not_utf8, set_up, tear_down),
		cmocka_unit_test_setup_teardown(controls_in_strings, set_up, tear_down),
		cmocka_unit_test_setup_teardown(integers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(malformed_numbers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(depth_has_a_limit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(two_hundred_thousand_brackets_on_a_small_stack, set_up, tear_down),
		cmocka_unit_test_setup_teardown(names_that_come_twice, set_up, tear_down),
		cmocka_unit_test_setup_teardown(many_names, set_up, tear_down),
		cmocka_unit_test_setup_teardown(unescaping_at_every_offset, set_up, tear_down),
		cmocka_unit_test_setup_teardown(strings_without_escapes_are_not_copied, set_up, tear_down),
		cmocka_unit_test_setup_teardown(memory_is_bounded_by_the_arena, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_text_at_all, set_up, tear_down),
		cmocka_unit_test_setup_teardown(type_names, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
