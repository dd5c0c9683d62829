/* SPDX-License-Identifier: Apache-2.0 */
/* Structs out as JSON, both ways of writing alike: what is left out, what is null, what is replaced. */
#include "catalog/write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const char *const colours[] = { "red", "green", NULL };

struct item {
	const char *name;
	struct opt_int size;
};

static const struct field item_rows[] = { R_STRING(struct item, name, "Name."), R_NULL_INT(struct item, size, "Size."),
	FIELDS_END };

struct out {
	const char *must, *may, *null;
	struct str text, opt_text, data, opt_data, raw;
	struct output as_asked;
	int64_t number;
	struct opt_int opt_number, null_number;
	double real;
	struct opt_num opt_real;
	bool yes, flag;
	int colour;
	struct list words, items, opt_items, map;
	struct item one;
	const struct json *any, *opt_any;
};

static const struct field rows[] = { R_STRING(struct out, must, "Must."), R_OPT_STRING(struct out, may, "May."),
	R_NULL_STRING(struct out, null, "Null."), R_TEXT(struct out, text, "Text."),
	R_OPT_TEXT(struct out, opt_text, "Text."), R_BYTES(struct out, data, "Data."),
	R_OPT_BYTES(struct out, opt_data, "Data."), R_OPT_JSON(struct out, raw, "Raw."),
	R_OUTPUT(struct out, as_asked, "output", "Output."), R_INT(struct out, number, "Number."),
	R_OPT_INT(struct out, opt_number, "Number."), R_NULL_INT(struct out, null_number, "Number."),
	R_NUM(struct out, real, "Real."), R_OPT_NUM(struct out, opt_real, "Real."), R_BOOL(struct out, yes, "Yes."),
	R_FLAG(struct out, flag, "Flag."), R_CHOICE(struct out, colour, colours, "Colour."),
	R_STRINGS(struct out, words, "Words."), R_OBJECTS(struct out, items, struct item, "Item", item_rows, "Items."),
	R_OPT_OBJECTS(struct out, opt_items, struct item, "Item", item_rows, "Items."), R_MAP(struct out, map, "Map."),
	R_OBJECT(struct out, one, struct item, "Item", item_rows, "One."), R_ANY(struct out, any, "Any."),
	R_OPT_ANY(struct out, opt_any, "Any."), FIELDS_END };

static void expect(const struct out *out, const char *text)
{
	struct arena arena CLEANUP(arena_free);
	AUTOBUF struct buf now, later;
	struct json_writer w;
	struct rope rope;

	arena_init(&arena, 1 << 20);
	buf_init(&now, 1 << 20);
	buf_init(&later, 1 << 20);
	json_write_init(&w, &now);
	write_json(&w, rows, out);
	buf_addc(&now, '\0');
	assert_string_equal(now.data, text);
	rope_init(&rope, &arena, 1 << 20);
	write_rope(&rope, rows, out);
	while (rope_read(&rope, &later, 7))
		;
	if (rope_is_short(&rope) && later.len == 0)
		buf_add(&later, rope.text.data, rope.text.len);
	buf_addc(&later, '\0');
	assert_string_equal(later.data, text);
	rope_free(&rope);
}

static void nothing_set(void **state)
{
	struct out out = { .must = "" };

	(void)state;
	out.one.name = "o";
	expect(&out,
		"{\"must\":\"\",\"null\":null,\"text\":\"\",\"data\":\"\",\"output\":\"\",\"number\":0,\"null_number\":null,"
		"\"real\":0,\"yes\":false,\"colour\":\"red\",\"words\":[],\"items\":[],\"map\":{},\"one\":{\"name\":\"o\",\"size\":null},"
		"\"any\":null}");
}

static void everything_set(void **state)
{
	static const char *words[] = { "a", "b\n" };
	static struct item items[] = { { "x", { true, 1 } }, { "y", { false, 0 } } };
	static struct pair pairs[] = { { .name = "A=", .value = { "1\0", 2 } } };
	struct json value = { .type = JSON_BOOL, .boolean = true };
	struct out out = { .must = "\xff",
		.may = "m",
		.null = "n",
		.text = STR("t\xe2\x82"),
		.opt_text = STR(""),
		.data = STR("\0\xff"),
		.opt_data = STR("x"),
		.raw = STR("[1]"),
		.as_asked = { STR("hi"), true },
		.number = INT64_MIN,
		.opt_number = { true, 0 },
		.null_number = { true, 5 },
		.real = 0.1,
		.opt_real = { true, 1e21 },
		.yes = true,
		.flag = true,
		.colour = 1,
		.words = { words, 2 },
		.items = { items, 2 },
		.opt_items = { items, 1 },
		.map = { pairs, 1 },
		.one = { "o", { true, 2 } },
		.any = &value,
		.opt_any = &value };

	(void)state;
	expect(&out,
		"{\"must\":\"\xef\xbf\xbd\",\"may\":\"m\",\"null\":\"n\",\"text\":\"t\xef\xbf\xbd\",\"opt_text\":\"\",\"data\":\"AP8=\","
		"\"opt_data\":\"eA==\",\"raw\":[1],\"output\":\"aGk=\",\"number\":-9223372036854775808,\"opt_number\":0,"
		"\"null_number\":5,\"real\":0.1,\"opt_real\":1e+21,\"yes\":true,\"flag\":true,\"colour\":\"green\","
		"\"words\":[\"a\",\"b\\n\"],\"items\":[{\"name\":\"x\",\"size\":1},{\"name\":\"y\",\"size\":null}],"
		"\"opt_items\":[{\"name\":\"x\",\"size\":1}],\"map\":{\"A=\":\"1\\u0000\"},\"one\":{\"name\":\"o\",\"size\":2},"
		"\"any\":true,\"opt_any\":true}");
}

/* Long ones are only referred to until they are read. */
static void long_texts(void **state)
{
	enum { LEN = 100000 };
	static char text[LEN + 1], wanted[2 * LEN + 1000];
	struct out out = { .must = "", .text = { text, LEN } };
	struct arena arena CLEANUP(arena_free);
	AUTOBUF struct buf got;
	struct rope rope;

	(void)state;
	memset(text, '"', LEN);
	arena_init(&arena, 1 << 20);
	buf_init(&got, 4 << 20);
	rope_init(&rope, &arena, 1 << 20);
	out.one.name = "o";
	write_rope(&rope, rows, &out);
	assert_true(rope.text.len < 1000 && !rope_is_short(&rope));
	while (rope_read(&rope, &got, 1000))
		;
	for (int i = 0; i < LEN; i++)
		memcpy(wanted + 2 * i, "\\\"", 2);
	assert_int_equal(got.len, rope.text.len + 2 * LEN);
	assert_non_null(memmem(got.data, got.len, wanted, 2 * LEN));
	rope_free(&rope);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_set),
		cmocka_unit_test(everything_set),
		cmocka_unit_test(long_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
