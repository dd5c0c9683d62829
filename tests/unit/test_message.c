/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a worker: requests as they are written, answers as they are taken or refused. */
#include "custom/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>

static struct arena arena;
static char text[512];

static const char *parse(const char *line, struct message *m)
{
	snprintf(text, sizeof text, "%s", line);
	return message_parse(&arena, text, strlen(text), m);
}

static void requests(void **state)
{
	static const struct arg items[] = { { .name = "a", .type = ARG_STRING, .required = true },
		{ .name = "n", .type = ARG_INTEGER, .def_json = "1" } };
	static const struct args args = { items, 2 };
	struct json member = { .type = JSON_STRING, .key = STR("a"), .text = STR("x\ny") };
	struct json given = { .type = JSON_OBJECT, .first = &member, .count = 1 };
	AUTOBUF struct buf out;

	(void)state;
	buf_init(&out, 4096);
	message_describe(&out, 1);
	message_call(&out, 2, "grade", &args, &given);
	message_cancel(&out, 2);
	assert_string_equal(out.data,
		"{\"id\":1,\"method\":\"describe\"}\n"
		"{\"id\":2,\"method\":\"call\",\"name\":\"grade\",\"args\":{\"a\":\"x\\ny\",\"n\":1}}\n"
		"{\"id\":2,\"method\":\"cancel\"}\n");
}

static void answers(void **state)
{
	struct message m;

	(void)state;
	arena_init(&arena, 1 << 20);
	assert_null(parse("{\"id\":7,\"result\":null}", &m));
	assert_true(m.id == 7 && m.result && m.result->type == JSON_NULL);
	assert_null(parse(" {\"result\":[1],\"more\":0,\"id\":0} ", &m));
	assert_true(m.id == 0 && m.result->type == JSON_ARRAY);
	assert_null(parse("{\"id\":1,\"error\":{\"type\":\"T\",\"message\":\"M\"}}", &m));
	assert_true(!m.result && str_is(m.type, "T") && str_is(m.text, "M"));
	assert_null(parse("{\"id\":1,\"result\":null,\"error\":\"M\"}", &m));
	assert_true(!m.result && !m.type.p && str_is(m.text, "M"));
	assert_null(parse("{\"id\":1,\"result\":2,\"error\":null}", &m));
	assert_true(m.result && m.result->integer == 2);
	assert_null(parse("{\"id\":1,\"error\":{\"type\":5}}", &m));
	assert_true(!m.result && !m.type.p && !m.text.p);
	arena_free(&arena);
}

static void only_the_head(void **state)
{
	(void)state;
	assert_int_equal(message_id(STR("{\"id\":17,\"result\":\"xxx")), 17);
	assert_int_equal(message_id(STR("{\"id\": 17 ,\"result\":\"xxx")), 17);
	assert_int_equal(message_id(STR("{\"result\":\"xxx")), 0);
	assert_int_equal(message_id(STR("{\"id\":-1,")), 0);
	assert_int_equal(message_id(STR("")), 0);
}

static void json_that_is_not_taken(void **state)
{
	static const char *const lines[] = { "{\"id\":5,\"result\":\"x\\uD83D\"}",
		"{\"id\": 5, \"result\":\"\\uDE00\"}", "{\"id\":5,\"result\":{\"a\":1,\"a\":1}}",
		"{\"id\":5,\"error\":{\"a\":1,\"a\":1}}" };
	struct message m;

	(void)state;
	arena_init(&arena, 1 << 20);
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		assert_null(parse(lines[i], &m));
		assert_true(m.id == 5 && !m.result && str_is(m.type, "WorkerError"));
		assert_true(str_starts(m.text, "its answer is JSON that is not taken: column 1") ||
			    str_starts(m.text, "its answer is JSON that is not taken: column 2"));
	}
	arena_free(&arena);
}

static void refused(void **state)
{
	static const char *const lines[] = { "", "x", "1", "[]", "{}", "{\"id\":1}", "{\"result\":1}",
		"{\"id\":\"1\",\"result\":1}", "{\"id\":-1,\"result\":1}", "{\"id\":1.5,\"result\":1}",
		"{\"id\":1,\"result\":1,\"error\":{}}", "{\"id\":1,\"error\":null}", "{\"id\":1,\"result\":1}{}",
		"{\"id\":1,\"result\":\"\\u12\"}", "{\"id\":1,\"result\":01}",
		"{\"result\":{\"a\":1,\"a\":1},\"id\":1}" };
	struct message m;

	(void)state;
	arena_init(&arena, 1 << 20);
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		if (!parse(lines[i], &m))
			fail_msg("taken: %s", lines[i]);
	}
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(requests), cmocka_unit_test(answers),
		cmocka_unit_test(only_the_head), cmocka_unit_test(json_that_is_not_taken), cmocka_unit_test(refused) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
