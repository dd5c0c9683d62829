/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of a command: what fits, what is told, what goes on to the command. */
#include "custom/args.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>

static const struct arg items[] = {
	{ .name = "text", .type = ARG_STRING, .required = true },
	{ .name = "count", .type = ARG_INTEGER, .def_json = "3", .def_text = "3" },
	{ .name = "ratio", .type = ARG_FLOAT },
	{ .name = "sure", .type = ARG_BOOLEAN, .def_json = "false", .def_text = "false" },
	{ .name = "list", .type = ARG_ARRAY, .def_json = "[1]" },
	{ .name = "map", .type = ARG_OBJECT },
};
static const struct args args = { items, ARRAY_LEN(items) };

static struct arena arena;
static char text[4096];

static const struct json *object(const char *json)
{
	struct json_error problem;
	struct json *value;

	snprintf(text, sizeof text, "%s", json);
	assert_int_equal(json_parse(&arena, text, strlen(text), &value, &problem), 0);
	return value;
}

static void fits(const char *json, const char *written)
{
	struct err err = { 0 };
	const struct json *given = object(json);
	AUTOBUF struct buf out;
	struct json_writer w;

	buf_init(&out, 4096);
	if (args_check(&arena, &args, "x", given, &err) < 0)
		fail_msg("%s: %s", json, err.text);
	json_write_init(&w, &out);
	args_write(&w, &args, given);
	assert_string_equal(out.data, written);
}

static void faulty(const char *json, enum err_code code, const char *says, const char *details)
{
	struct err err = { 0 };

	assert_int_equal(args_check(&arena, &args, "x", object(json), &err), -1);
	assert_int_equal(err.code, code);
	assert_string_equal(err.text, says);
	assert_string_equal(err.details, details);
}

static void what_fits(void **state)
{
	(void)state;
	arena_init(&arena, 1 << 20);
	fits("{\"text\":\"\"}", "{\"text\":\"\",\"count\":3,\"sure\":false,\"list\":[1]}");
	fits("{\"map\":{\"a\":[]},\"ratio\":2,\"text\":\"\\u0000\",\"count\":-9007199254740991,\"sure\":true,\"list\":[]}",
		"{\"text\":\"\\u0000\",\"count\":-9007199254740991,\"ratio\":2,\"sure\":true,\"list\":[],\"map\":{\"a\":[]}}");
	fits("{\"text\":\"x\",\"ratio\":null,\"map\":null}",
		"{\"text\":\"x\",\"count\":3,\"ratio\":null,\"sure\":false,\"list\":[1],\"map\":null}");
	arena_free(&arena);
}

static void all_that_is_wrong(void **state)
{
	(void)state;
	arena_init(&arena, 1 << 20);
	faulty("{}", ERR_ARGS_MISSING, "'text' is missing", "{\"missing\":[\"text\"],\"unknown\":[],\"invalid\":[]}");
	faulty("{\"txt\":1,\"count\":1.5,\"q\":1}", ERR_ARGS_MISSING,
		"'text' is missing; there is no 'txt', did you mean 'text'?; there is no 'q'; 'count' must be an integer, not 1.5",
		"{\"missing\":[\"text\"],\"unknown\":[\"txt\",\"q\"],\"invalid\":[\"count\"]}");
	faulty("{\"text\":null,\"count\":null,\"ratio\":1e999,\"sure\":0,\"list\":{},\"map\":[]}", ERR_ARGS_INVALID,
		"'text' must be a string, not null; 'count' must be an integer, not null; 'ratio' must be a float, not 1e999; "
		"'sure' must be a boolean, not 0; 'list' must be an array, not object; 'map' must be an object, not array",
		"{\"missing\":[],\"unknown\":[],\"invalid\":[\"text\",\"count\",\"ratio\",\"sure\",\"list\",\"map\"]}");
	faulty("{\"text\":\"\",\"count\":9007199254740992}", ERR_ARGS_INVALID,
		"'count' must be an integer, not 9007199254740992",
		"{\"missing\":[],\"unknown\":[],\"invalid\":[\"count\"]}");
	arena_free(&arena);
}

static void as_text(void **state)
{
	const struct json *given;

	(void)state;
	arena_init(&arena, 1 << 20);
	given = object("{\"text\":\"a b\",\"count\":1e2,\"sure\":true}");
	assert_true(str_is(arg_text(&items[0], given), "a b"));
	assert_true(str_is(arg_text(&items[1], given), "1e2"));
	assert_true(str_is(arg_text(&items[3], given), "true"));
	assert_true(str_is(arg_text(&items[1], object("{}")), "3"));
	assert_true(str_is(arg_text(&items[3], object("{}")), "false"));
	arena_free(&arena);
}

static void names(void **state)
{
	static const char *const good[] = { "a", "_", "A_9", "camelCase" }, *const bad[] = { "", "9", "a-b", "a b",
		"é" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		assert_true(arg_name_valid(str_of(good[i])));
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_false(arg_name_valid(str_of(bad[i])));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits),
		cmocka_unit_test(all_that_is_wrong),
		cmocka_unit_test(as_text),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
