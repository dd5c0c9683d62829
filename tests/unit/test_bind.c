/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments into a struct: each type, each refusal with the parameter's name, defaults, twins, both sources. */
#include "catalog/bind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>

static const char *const colours[] = { "red", "green", NULL };

struct part {
	const char *old;
	int64_t count;
};

static const struct field part_rows[] = { P_STRING(struct part, old, F_REQUIRED, "Old."),
	P_INT(struct part, count, 1, 1, 9, "Count."), FIELDS_END };

struct all {
	const char *name, *title;
	struct str text, data;
	struct path_arg path;
	int64_t size;
	struct opt_int limit;
	double timeout;
	bool flag;
	struct opt_bool maybe;
	int colour;
	struct list words, parts, vars, nulls, files;
	const struct json *any;
};

static const struct field rows[] = {
	P_STRING(struct all, name, 0, "Name."),
	P_STRING(struct all, title, F_EMPTY_OK, "Title.", .def_text = "none"),
	P_TEXT(struct all, text, 0, "Text."),
	P_BYTES(struct all, data, 0, "Data."),
	P_PATH(struct all, path, 0, "Path.", .def_text = "."),
	P_INT(struct all, size, 5, 0, INT64_MAX, "Size."),
	P_OPT_INT(struct all, limit, 1, 10, "Limit."),
	P_NUM(struct all, timeout, 2.5, 0, 100, "Timeout."),
	P_BOOL(struct all, flag, true, "Flag."),
	P_OPT_BOOL(struct all, maybe, "Maybe."),
	P_CHOICE(struct all, colour, 1, colours, "Colour."),
	P_STRINGS(struct all, words, 0, "Words."),
	P_OBJECTS(struct all, parts, struct part, "Part", part_rows, 0, "Parts."),
	P_MAP(struct all, vars, 0, "Variables."),
	P_MAP(struct all, nulls, F_NULLABLE, "Variables or null."),
	P_PATHS(struct all, files, 0, "Files."),
	P_ANY(struct all, any, 0, "Anything."),
	FIELDS_END,
};

static const struct one_of groups[] = { { .names = { "name", "size" } },
	{ .names = { "text", "data" }, .optional = true }, { .names = { NULL } } };

static const struct op plain = { .id = "test.plain", .params = rows, .params_size = sizeof(struct all) };
static const struct op grouped = {
	.id = "test.grouped", .params = rows, .params_size = sizeof(struct all), .one_of = groups
};
static const struct op none = { .id = "test.none" };

const struct op *const ops_all[] = { &plain, NULL };

static struct arena arena;
static struct err err;
static struct all *in;

static int begin(void **state)
{
	(void)state;
	arena_init(&arena, 1 << 20);
	return 0;
}

static int end(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static int bind_to(const struct op *op, const char *text)
{
	char *copy = arena_strdup(&arena, text);
	struct json_error problem;
	struct json *object;
	struct bind b;

	in = op->params_size ? arena_alloc(&arena, op->params_size) : NULL;
	assert_int_equal(json_parse(&arena, copy, strlen(copy), &object, &problem), 0);
	bind_begin(&b, &arena, op, in);
	return bind_object(&b, object, &err) < 0 ? -1 : bind_end(&b, &err);
}

static void taken(const char *text)
{
	if (bind_to(&plain, text) < 0)
		fail_msg("%s: %s", text, err.text);
}

static void refused(const char *text, enum err_code code, const char *says)
{
	if (bind_to(&plain, text) == 0)
		fail_msg("%s was taken", text);
	assert_int_equal(err.code, code);
	if (!strstr(err.text, says))
		fail_msg("%s: '%s' does not say '%s'", text, err.text, says);
}

static void defaults(void **state)
{
	(void)state;
	taken("{}");
	assert_null(in->name);
	assert_string_equal(in->title, "none");
	assert_null(in->text.p);
	assert_true(str_is(in->path.given, "."));
	assert_int_equal(in->size, 5);
	assert_false(in->limit.set || in->maybe.set);
	assert_true(in->timeout == 2.5 && in->flag && in->colour == 1);
	assert_true(in->words.items == NULL && in->any == NULL);
	assert_int_equal(bind_to(&none, "{}"), 0);
}

static void values(void **state)
{
	const struct pair *pairs;
	const struct part *parts;

	(void)state;
	taken("{\"name\":\"n\\u00e9\",\"title\":\"\",\"text\":\"a\\u0000b\",\"data\":\"AAH/\",\"path\":\"/x\",\"size\":9007199254740991,"
	      "\"limit\":10,\"timeout\":0,\"flag\":false,\"maybe\":false,\"colour\":\"red\",\"words\":[\"\",\"b\"],"
	      "\"parts\":[{\"old\":\"x\"},{\"old\":\"y\",\"count\":9}],\"vars\":{\"A\":\"\",\"B\":\"c\"},"
	      "\"nulls\":{\"A\":null,\"B\":\"c\"},\"files\":[\"/a\"],\"any\":{\"k\":[1]}}");
	assert_string_equal(in->name, "n\xc3\xa9");
	assert_string_equal(in->title, "");
	assert_true(in->text.len == 3 && memcmp(in->text.p, "a\0b", 3) == 0);
	assert_true(in->data.len == 3 && memcmp(in->data.p, "\0\1\xff", 3) == 0);
	assert_true(in->size == 9007199254740991 && in->limit.set && in->limit.value == 10);
	assert_true(in->timeout == 0 && !in->flag && in->maybe.set && !in->maybe.value && in->colour == 0);
	assert_int_equal(in->words.count, 2);
	assert_string_equal(((const char **)in->words.items)[1], "b");
	parts = in->parts.items;
	assert_true(parts[0].count == 1 && parts[1].count == 9);
	assert_string_equal(parts[1].old, "y");
	pairs = in->vars.items;
	assert_true(in->vars.count == 2 && str_is(pairs[1].value, "c") && pairs[0].value.len == 0);
	pairs = in->nulls.items;
	assert_true(pairs[0].is_null && !pairs[1].is_null);
	assert_true(str_is(((const struct path_arg *)in->files.items)[0].given, "/a"));
	assert_int_equal(json_get(in->any, "k")->count, 1);
	taken("{\"words\":[],\"vars\":{}}");
	assert_true(in->words.items && in->words.count == 0);
}

static void wrong_types(void **state)
{
	(void)state;
	refused("{\"name\":5}", ERR_ARGS_INVALID, "parameter 'name' must be a string, not number");
	refused("{\"name\":null}", ERR_ARGS_INVALID, "not null");
	refused("{\"size\":\"5\"}", ERR_ARGS_INVALID, "parameter 'size' must be an integer, not string");
	refused("{\"size\":1.5}", ERR_ARGS_INVALID, "must be an integer, not 1.5");
	refused("{\"timeout\":true}", ERR_ARGS_INVALID, "must be a number, not boolean");
	refused("{\"flag\":1}", ERR_ARGS_INVALID, "must be a boolean");
	refused("{\"colour\":0}", ERR_ARGS_INVALID, "colour");
	refused("{\"words\":\"a\"}", ERR_ARGS_INVALID, "must be an array, not string");
	refused("{\"words\":[\"a\",1]}", ERR_ARGS_INVALID, "'words[1]'");
	refused("{\"parts\":[1]}", ERR_ARGS_INVALID, "'parts[0]' must be an object");
	refused("{\"parts\":[{\"old\":\"x\"},{\"old\":1}]}", ERR_ARGS_INVALID, "'parts[1].old'");
	refused("{\"vars\":[]}", ERR_ARGS_INVALID, "must be an object");
	refused("{\"vars\":{\"A\":1}}", ERR_ARGS_INVALID, "the value of 'A' must be a string, not number");
	refused("{\"vars\":{\"A\":null}}", ERR_ARGS_INVALID, "'A'");
}

static void wrong_values(void **state)
{
	(void)state;
	refused("{\"name\":\"\"}", ERR_ARGS_INVALID, "'name' must not be empty");
	refused("{\"name\":\"a\\u0000b\"}", ERR_ARGS_INVALID, "'name' must not hold NUL");
	refused("{\"path\":\"\"}", ERR_ARGS_INVALID, "'path'");
	refused("{\"path\":\"a\\u0000\"}", ERR_ARGS_INVALID, "'path'");
	refused("{\"words\":[\"\\u0000\"]}", ERR_ARGS_INVALID, "'words[0]'");
	refused("{\"vars\":{\"A\\u0000\":\"x\"}}", ERR_ARGS_INVALID, "NUL");
	refused("{\"vars\":{\"A\":\"x\\u0000\"}}", ERR_ARGS_INVALID, "NUL");
	refused("{\"data\":\"A\"}", ERR_ARGS_INVALID, "'data' must be base64");
	refused("{\"size\":-1}", ERR_ARGS_INVALID, "from 0 to 9007199254740991, not -1");
	refused("{\"size\":9007199254740992}", ERR_ARGS_INVALID, "'size'");
	refused("{\"size\":1e400}", ERR_ARGS_INVALID, "'size'");
	refused("{\"limit\":11}", ERR_ARGS_INVALID, "from 1 to 10, not 11");
	refused("{\"timeout\":1e400}", ERR_ARGS_INVALID, "'timeout' must be from 0 to 100");
	refused("{\"timeout\":-0.5}", ERR_ARGS_INVALID, "'timeout'");
	refused("{\"colour\":\"gren\"}", ERR_ARGS_INVALID, "did you mean 'green'");
	refused("{\"colour\":\"x\"}", ERR_ARGS_INVALID, "'colour' must be one of red, green, not 'x'");
	refused("{\"parts\":[{\"old\":\"x\",\"count\":10}]}", ERR_ARGS_INVALID, "'parts[0].count'");
}

static void names(void **state)
{
	(void)state;
	refused("{\"nam\":\"x\"}", ERR_ARGS_UNKNOWN, "did you mean 'name'?");
	refused("{\"zzzzzzzzzz\":1}", ERR_ARGS_UNKNOWN, "test.plain has no parameter 'zzzzzzzzzz'");
	refused("{\"parts\":[{\"old\":\"x\",\"cout\":1}]}", ERR_ARGS_UNKNOWN, "'parts[0].cout'");
	refused("{\"parts\":[{}]}", ERR_ARGS_MISSING, "'parts[0].old'");
	assert_int_equal(bind_to(&none, "{\"a\":1}"), -1);
	assert_int_equal(err.code, ERR_ARGS_UNKNOWN);
}

static void twins_of_paths(void **state)
{
	(void)state;
	taken("{\"path_b64\":\"L/8=\"}");
	assert_true(in->path.given.len == 2 && memcmp(in->path.given.p, "/\xff", 3) == 0);
	taken("{\"files_b64\":[\"L/8=\"]}");
	assert_int_equal(((const struct path_arg *)in->files.items)[0].given.len, 2);
	refused("{\"path_b64\":\"AA==\"}", ERR_ARGS_INVALID, "NUL");
	refused("{\"path_b64\":\"?\"}", ERR_ARGS_INVALID, "'path_b64' must be base64");
	refused("{\"path_b64\":5}", ERR_ARGS_INVALID, "'path_b64' must be a string, not number");
	refused("{\"path\":\"a\",\"path_b64\":\"L/8=\"}", ERR_ARGS_INVALID, "'path' is given twice");
	refused("{\"name_b64\":\"L/8=\"}", ERR_ARGS_UNKNOWN, "name_b64");
	refused("{\"_b64\":\"L/8=\"}", ERR_ARGS_UNKNOWN, "_b64");
}

static void one_of_several(void **state)
{
	(void)state;
	assert_int_equal(bind_to(&grouped, "{\"name\":\"x\"}"), 0);
	assert_int_equal(bind_to(&grouped, "{\"size\":1,\"data\":\"\"}"), 0);
	assert_int_equal(bind_to(&grouped, "{}"), -1);
	assert_true(err.code == ERR_ARGS_MISSING && strstr(err.text, "one of 'name', 'size'"));
	assert_int_equal(bind_to(&grouped, "{\"name\":\"x\",\"size\":1}"), -1);
	assert_true(err.code == ERR_ARGS_INVALID && strstr(err.text, "only one of 'name', 'size'"));
	assert_int_equal(bind_to(&grouped, "{\"name\":\"x\",\"text\":\"\",\"data\":\"\"}"), -1);
	assert_true(strstr(err.text, "'text', 'data'") != NULL);
}

static int text(const char *name, const char *value)
{
	struct bind b;

	in = arena_alloc(&arena, sizeof *in);
	bind_begin(&b, &arena, &plain, in);
	return bind_text(&b, str_of(name), str_of(arena_strdup(&arena, value)), &err);
}

static void from_a_query(void **state)
{
	static const char *const yes[] = { "true", "yes", "1" }, *const no[] = { "false", "no", "0" };
	struct bind b;

	(void)state;
	assert_true(text("name", "x y") == 0 && strcmp(in->name, "x y") == 0);
	assert_true(text("size", "42") == 0 && in->size == 42);
	assert_true(text("timeout", "1e1") == 0 && in->timeout == 10);
	assert_true(text("colour", "red") == 0 && in->colour == 0);
	assert_true(text("words", "a, b,,c") == 0 && in->words.count == 4);
	for (size_t i = 0; i < ARRAY_LEN(yes); i++) {
		assert_true(text("maybe", yes[i]) == 0 && in->maybe.set && in->maybe.value);
		assert_true(text("flag", no[i]) == 0 && !in->flag);
	}
	assert_true(text("path", "a\xff") == 0 && in->path.given.len == 2);
	assert_true(text("path_b64", "L/8=") == 0 && in->path.given.len == 2);
	assert_true(text("name", "a\xff") == -1 && strstr(err.text, "UTF-8"));
	assert_true(text("flag", "TRUE") == -1 && text("flag", "") == -1);
	assert_true(text("size", "") == -1 && text("size", "1x") == -1 && text("size", "0x1") == -1);
	assert_int_equal(text("size", " 1"), -1);
	assert_true(text("vars", "{}") == -1 && text("any", "1") == -1 && text("parts", "[]") == -1);
	assert_true(text("nme", "x") == -1 && err.code == ERR_ARGS_UNKNOWN);
	in = arena_alloc(&arena, sizeof *in);
	bind_begin(&b, &arena, &plain, in);
	assert_int_equal(bind_text(&b, STR("name"), STR("a"), &err), 0);
	assert_int_equal(bind_text(&b, STR("name"), STR("b"), &err), -1);
	assert_true(strstr(err.text, "twice") != NULL);
}

static void memory_that_ends_is_busy(void **state)
{
	struct arena small CLEANUP(arena_free);
	static char words[60000] = "{\"words\":[";
	struct json_error problem;
	struct json *object;
	struct bind b;
	size_t len = strlen(words);

	(void)state;
	for (int i = 0; i < 5000; i++)
		len += (size_t)snprintf(words + len, sizeof words - len, "%s\"a\"", i ? "," : "");
	snprintf(words + len, sizeof words - len, "]}");
	assert_int_equal(json_parse(&arena, words, strlen(words), &object, &problem), 0);
	arena_init(&small, 50000);
	in = arena_alloc(&arena, sizeof *in);
	bind_begin(&b, &small, &plain, in);
	assert_int_equal(bind_object(&b, object, &err), -1);
	assert_int_equal(err.code, ERR_BUSY);
}

int main(void)
{
#define CASE(fn) cmocka_unit_test_setup_teardown(fn, begin, end)
	const struct CMUnitTest tests[] = {
		CASE(defaults),
		CASE(values),
		CASE(wrong_types),
		CASE(wrong_values),
		CASE(names),
		CASE(twins_of_paths),
		CASE(one_of_several),
		CASE(from_a_query),
		CASE(memory_that_ends_is_busy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
