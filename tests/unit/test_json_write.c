/* SPDX-License-Identifier: Apache-2.0 */
/* JSON out: commas, escapes, cleaning, numbers, trees. */
#include "base/budget.h"
#include "base/json_write.h"

#include <math.h>
#include <stdio.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct text {
	struct buf buf;
	struct json_writer w;
};

static void begin(struct text *t)
{
	buf_init(&t->buf, 1 << 24);
	json_write_init(&t->w, &t->buf);
}

static void is(struct text *t, const char *expected)
{
	assert_false(buf_failed(&t->buf));
	buf_addc(&t->buf, '\0');
	assert_string_equal(t->buf.data, expected);
	buf_free(&t->buf);
}

static void commas_and_colons(void **state)
{
	(void)state;
	struct text t;

	begin(&t);
	json_object_begin(&t.w);
	json_key(&t.w, "a");
	json_int(&t.w, 1);
	json_key(&t.w, "b");
	json_array_begin(&t.w);
	json_null(&t.w);
	json_bool(&t.w, true);
	json_bool(&t.w, false);
	json_array_begin(&t.w);
	json_array_end(&t.w);
	json_object_begin(&t.w);
	json_object_end(&t.w);
	json_string(&t.w, "s");
	json_string(&t.w, NULL);
	json_array_end(&t.w);
	json_key_str(&t.w, STR("q\"\0"));
	json_base64(&t.w, STR("foob"));
	json_key(&t.w, "r");
	json_raw(&t.w, STR("{\"x\":[1]}"));
	json_key(&t.w, "d");
	json_double(&t.w, 0.5);
	json_object_end(&t.w);
	assert_int_equal(t.w.depth, 0);
	is(&t, "{\"a\":1,\"b\":[null,true,false,[],{},\"s\",null],\"q\\\"\\u0000\":\"Zm9vYg==\",\"r\":{\"x\":[1]},\"d\":0.5}");
}

static void integers(void **state)
{
	(void)state;
	static const int64_t values[] = { 0, -1, 9, 10, INT64_MAX, INT64_MIN, INT64_C(9007199254740991) };
	struct text t;

	begin(&t);
	json_array_begin(&t.w);
	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		json_int(&t.w, values[i]);
	json_array_end(&t.w);
	is(&t, "[0,-1,9,10,9223372036854775807,-9223372036854775808,9007199254740991]");
}

static void doubles(void **state)
{
	(void)state;
	static const double values[] = { 0.1, -0.0, 1e300, 100, NAN, INFINITY, -INFINITY };
	struct text t;

	begin(&t);
	json_array_begin(&t.w);
	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		json_double(&t.w, values[i]);
	json_array_end(&t.w);
	is(&t, "[0.1,-0,1e+300,100,null,null,null]");
}

static void escaped(struct str text, const char *expected)
{
	struct text t;

	begin(&t);
	json_escape(&t.buf, text);
	is(&t, expected);
}

static void all_controls_are_escaped(void **state)
{
	(void)state;
	static const char named[] = "\b\f\n\r\t", letters[] = "bfnrt";
	char expected[8];

	for (int c = 0; c < 0xa0; c++) {
		char text[2] = { (char)c, 0 };
		size_t len = 1;
		const char *at = c ? strchr(named, c) : NULL;

		if (c >= 0x20 && c < 0x7f)
			continue;
		if (c >= 0x80) {
			text[0] = (char)0xc2;
			text[1] = (char)c;
			len = 2;
		}
		if (at)
			snprintf(expected, sizeof expected, "\\%c", letters[at - named]);
		else
			snprintf(expected, sizeof expected, "\\u%04x", (unsigned)c);
		escaped((struct str){ text, len }, expected);
	}
	escaped(STR("\xe2\x80\xa8-\xe2\x80\xa9"), "\\u2028-\\u2029");
	escaped(STR("\xe2\x80\xa7-\xe2\x80\xaa-\xc2\xa0"), "\xe2\x80\xa7-\xe2\x80\xaa-\xc2\xa0");
	escaped(STR("\"\\/"), "\\\"\\\\/");
}

static void what_is_plain_stays(void **state)
{
	(void)state;
	char text[200];

	for (size_t len = 0; len < 100; len++) {
		for (size_t i = 0; i < len; i++)
			text[i] = "az AZ 09 ~!#[]^"[i % 15];
		text[len] = '\0';
		escaped((struct str){ text, len }, text);
	}
	escaped(STR("Gr\xc3\xbc\xc3\x9f"
		    "e \xe2\x82\xac \xf0\x9f\x98\x80"),
		"Gr\xc3\xbc\xc3\x9f"
		"e \xe2\x82\xac \xf0\x9f\x98\x80");
}

/* A quote at every place of a text tells whether blocks and ends are looked at. */
static void every_position_is_looked_at(void **state)
{
	(void)state;
	for (int special = 0; special < 256; special++) {
		for (size_t at = 0; at < 40; at++) {
			char text[40];
			AUTOBUF struct buf out;
			bool plain = special >= 0x20 && special < 0x7f && special != '"' && special != '\\';

			memset(text, 'a', sizeof text);
			text[at] = (char)special;
			buf_init(&out, 100);
			json_escape(&out, (struct str){ text, sizeof text });
			assert_int_equal(str_eq(buf_str(&out), (struct str){ text, sizeof text }), plain);
		}
	}
}

#define FFFD "\xef\xbf\xbd"

static void bad_parts_become_one_mark_each(void **state)
{
	(void)state;
	escaped(STR("ok\xff\xa0"), "ok" FFFD FFFD);
	escaped(STR("\xff\xc0\xaf"), FFFD FFFD FFFD);
	/* The examples of the Unicode standard, tables 3-8 to 3-11. */
	escaped(STR("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41"), FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "A");
	escaped(STR("\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41"), FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "A");
	escaped(STR("\xf4\x91\x92\x93\xff\x41\x80\xbf\x42"), FFFD FFFD FFFD FFFD FFFD "A" FFFD FFFD "B");
	escaped(STR("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41"), FFFD FFFD FFFD FFFD "A");
	escaped(STR("\xe2\x80"), FFFD);
	escaped(STR("\xc2"), FFFD);
}

static void a_full_buffer_stops(void **state)
{
	(void)state;
	struct buf out;
	struct json_writer w;

	buf_init(&out, 10);
	json_write_init(&w, &out);
	json_text(&w, STR("\x01\x01\x01"));
	assert_true(buf_failed(&out));
	buf_free(&out);
}

static void tree(const char *in, bool sorted, const char *expected)
{
	struct arena a;
	struct json *value;
	struct json_error error;
	struct text t;

	arena_init(&a, 1 << 20);
	assert_int_equal(json_parse(&a, arena_strdup(&a, in), strlen(in), &value, &error), 0);
	begin(&t);
	json_tree(&t.w, value, sorted);
	is(&t, expected);
	arena_free(&a);
}

static void trees(void **state)
{
	(void)state;
	tree(" { \"b\" : [ 1.0, -0, 1E5, true, false, null ], \"a\" : { } , \"\\u0061a\" : \"\\u00e9\\/\" } ", false,
		"{\"b\":[1.0,-0,1E5,true,false,null],\"a\":{},\"aa\":\"\xc3\xa9/\"}");
	tree("{\"b\":1,\"\":2,\"ab\":{\"z\":1,\"y\":[{\"d\":1,\"c\":2}]},\"a\":4,\"\xc3\xa9\":5,\"B\":6}", true,
		"{\"\":2,\"B\":6,\"a\":4,\"ab\":{\"y\":[{\"c\":2,\"d\":1}],\"z\":1},\"b\":1,\"\xc3\xa9\":5}");
	tree("[]", true, "[]");
	tree("{}", true, "{}");
}

static void sorting_without_memory_fails_the_buffer(void **state)
{
	(void)state;
	char text[] = "{\"b\":1,\"a\":2}";
	struct arena a;
	struct json *value;
	struct json_error error;
	struct text t;

	arena_init(&a, 1 << 20);
	assert_int_equal(json_parse(&a, text, sizeof text - 1, &value, &error), 0);
	budget_set_limit(budget_used() + 1);
	begin(&t);
	json_tree(&t.w, value, true);
	budget_set_limit(0);
	assert_true(buf_failed(&t.buf));
	arena_free(&a);
	assert_int_equal(budget_used(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commas_and_colons),
		cmocka_unit_test(integers),
		cmocka_unit_test(doubles),
		cmocka_unit_test(all_controls_are_escaped),
		cmocka_unit_test(what_is_plain_stays),
		cmocka_unit_test(every_position_is_looked_at),
		cmocka_unit_test(bad_parts_become_one_mark_each),
		cmocka_unit_test(a_full_buffer_stops),
		cmocka_unit_test(trees),
		cmocka_unit_test(sorting_without_memory_fails_the_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
