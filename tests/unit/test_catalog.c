/* SPDX-License-Identifier: Apache-2.0 */
/* Every op of the real catalog: its rows, names, texts, limits, and its values there and back. */
#include "catalog/bind.h"
#include "catalog/example.h"
#include "catalog/gen_nodes.h"
#include "catalog/print.h"
#include "catalog/write.h"
#include "policy/scope.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>

static const struct op *now;

/* Says which op and which row. */
#define need(what, name) \
	do { \
		if (!(what)) \
			fail_msg("%s: %s: %s", now->id, name, #what); \
	} while (0)

static bool is_sentence(const char *text)
{
	return text && text[0] && text[strlen(text) - 1] == '.';
}

static size_t size_of(const struct field *field)
{
	return field->size;
}

static void check_value(const struct field *f)
{
	if (f->type == FIELD_CHOICE) {
		long count = 0;

		need(f->choices && f->choices[0], f->name);
		while (f->choices[count])
			count++;
		need(f->def >= 0 && f->def < count, f->name);
	}
	if (f->type == FIELD_INTEGER) {
		need(f->minimum <= f->maximum, f->name);
		need(f->optional_type || (f->flags & F_REQUIRED) || (f->def >= f->minimum && f->def <= f->maximum),
			f->name);
	}
	if (f->type == FIELD_NUMBER && f->num_maximum > f->num_minimum)
		need(f->optional_type || (f->num_def >= f->num_minimum && f->num_def <= f->num_maximum), f->name);
	if (f->type == FIELD_ARRAY) {
		need(f->item_type != FIELD_NONE && f->item_size > 0, f->name);
		need(f->item_type != FIELD_OBJECT || (f->fields && f->item_name), f->name);
	}
	if (f->type == FIELD_OBJECT)
		need(f->fields && f->item_name, f->name);
	if (f->type == FIELD_MAP)
		need(f->item_size == sizeof(struct pair), f->name);
}

static void check_rows(const struct field *fields, size_t size)
{
	for (const struct field *f = fields; f && f->type != FIELD_NONE; f++) {
		need(f->name && f->name[0], f->name);
		need(is_sentence(f->text), f->name);
		need(f->size > 0 && f->offset + size_of(f) <= size, f->name);
		check_value(f);
		for (const struct field *other = fields; other < f; other++) {
			need(strcmp(f->name, other->name) != 0, f->name);
			need(f->offset >= other->offset + size_of(other) || other->offset >= f->offset + size_of(f),
				f->name);
		}
		if (f->fields)
			check_rows(f->fields, f->item_size);
	}
}

static void each_op_is_complete(void **state)
{
	(void)state;
	for (const struct op *const *op = ops_all; *op; op++) {
		now = *op;
		need(now->id && strchr(now->id, '.'), "id");
		need(now->group && now->since && now->method && now->path && now->path[0] == '/', "names");
		need(is_sentence(now->summary), "summary");
		need(!now->description || !now->description[0] || is_sentence(now->description), "description");
		need(now->kind == OP_WS || !now->work != !now->start, "work");
		need(!now->params == !now->params_size, "params");
		need(!now->result == !now->result_size || now->kind != OP_JSON, "result");
		need((now->kind == OP_SSE) == (now->events != NULL) || now->kind == OP_WS, "events");
		need((now->kind == OP_RAW) == (now->raw != NULL), "raw");
		need(!now->raw || !now->raw->response || now->raw->media_type, "raw");
		check_rows(now->params, now->params_size);
		check_rows(now->result, now->result_size);
		for (const struct event *event = now->events; event && event->name; event++) {
			need(is_sentence(event->text), event->name);
			check_rows(event->fields, event->size);
		}
	}
}

static void names_and_routes_are_unique(void **state)
{
	(void)state;
	for (const struct op *const *op = ops_all; *op; op++) {
		now = *op;
		assert_ptr_equal(op_find(str_of(now->id)), now);
		assert_true(!now->endpoint || op_find(str_of(now->endpoint)) == now);
		for (const struct op *const *other = ops_all; *other != now; other++) {
			need(strcmp(now->id, (*other)->id) != 0, (*other)->id);
			need(!now->endpoint || !(*other)->endpoint || strcmp(now->endpoint, (*other)->endpoint) != 0,
				(*other)->id);
			need(strcmp(now->method, (*other)->method) != 0 || strcmp(now->path, (*other)->path) != 0,
				(*other)->id);
		}
	}
	assert_null(op_find(STR("")));
	assert_null(op_find(STR("no.such")));
}

static void what_stands_in_a_route_is_a_parameter(void **state)
{
	(void)state;
	for (const struct op *const *op = ops_all; *op; op++) {
		now = *op;
		for (const char *at = strchr(now->path, '{'); at; at = strchr(at + 1, '{')) {
			struct str name = { at + 1, strcspn(at + 1, "}") };

			need(field_find(now->params, name), now->path);
		}
		for (const struct one_of *group = now->one_of; group && group->names[0]; group++) {
			for (size_t i = 0; group->names[i]; i++) {
				const struct field *field = field_find(now->params, str_of(group->names[i]));

				need(field && !(field->flags & F_REQUIRED), group->names[i]);
			}
		}
	}
}

static void scopes_errors_and_limits(void **state)
{
	(void)state;
	for (const struct op *const *op = ops_all; *op; op++) {
		now = *op;
		if (now->scope) {
			const struct scope_info *scope = scope_all;

			while (scope->name && strcmp(scope->name, now->scope) != 0)
				scope++;
			need(scope->name, now->scope);
		}
		for (const enum err_code *code = now->errors; code && *code != ERR_NONE; code++) {
			need(*code > ERR_NONE && *code < ERR_COUNT, "errors");
			for (const enum err_code *other = now->errors; other < code; other++)
				need(*code != *other, err_info(*code)->wire_code);
		}
		for (const struct limit *limit = now->limits; limit && limit->name; limit++) {
			need(limit->def >= 0 && limit->def <= limit->cap, limit->name);
			need(is_sentence(limit->text), limit->name);
			assert_ptr_equal(op_limit(now, limit->name), limit);
		}
		assert_null(op_limit(now, "no_such"));
	}
}

/* --- examples --- */

static struct err err;

static void check_arguments(const struct op *op);

static void check_first(void)
{
	const struct example *example = &now->example;
	struct op first;
	bool has_first = example_first(now, &first);

	need(!example->after == !has_first, "example.after");
	need(!example->take == !example->into && (has_first || !example->take), "example.take");
	need(has_first || !example->after_args, "example.after_args");
	if (!has_first)
		return;
	need(strcmp(first.id, now->id) != 0 && first.kind == OP_JSON && first.example.args, "example.after");
	need(!example->take || field_find(first.result, str_of(example->take)), example->take);
	need(!example->into || field_find(now->params, str_of(example->into)), example->into);
	check_arguments(&first);
}

/* The arguments are taken as those of a call are; what comes from the op before stands in for itself. */
static void check_arguments(const struct op *op)
{
	struct arena arena CLEANUP(arena_free);
	struct str sample = STR("1");
	void *params;
	struct bind b;

	arena_init(&arena, 1 << 20);
	params = arena_alloc(&arena, op->params_size + 1);
	bind_begin(&b, &arena, op, params);
	if (bind_object(&b, example_args(&arena, op), &err) < 0)
		fail_msg("%s: example: %s", op->id, err.text);
	if (op->example.into && bind_text(&b, str_of(op->example.into), sample, &err) < 0)
		fail_msg("%s: example: %s", op->id, err.text);
	if (!op->example.file && bind_end(&b, &err) < 0)
		fail_msg("%s: example: %s", op->id, err.text);
}

static void each_op_has_an_example(void **state)
{
	(void)state;
	for (const struct op *const *op = ops_all; *op; op++) {
		bool bytes;

		now = *op;
		need(now->example.args, "example: docs/adding-an-op.md says how to write one");
		bytes = gen_gives_bytes(now);
		need(!bytes || now->example.file, "example.file: where the bytes go");
		need(!now->example.file || now->raw, "example.file");
		need((now->kind == OP_WS) == (now->example.typed != NULL), "example.typed");
		need(now->kind != OP_WS || now->example.abx, "example.abx: server call speaks no WebSocket");
		check_first();
		check_arguments(now);
	}
}

static bool ends_with_a_line(const struct buf *text)
{
	return !buf_failed(text) && text->len > 1 && text->data[text->len - 1] == '\n' &&
	       text->data[text->len - 2] != '\n';
}

static void examples_are_written_in_each_form(void **state)
{
	(void)state;
	for (const struct op *const *op = ops_all; *op; op++) {
		for (enum example_form form = EXAMPLE_CURL; form < EXAMPLE_FORMS; form++) {
			AUTOBUF struct buf text;

			now = *op;
			buf_init(&text, 64 * 1024);
			example_write(&text, now, form);
			need(ends_with_a_line(&text), example_fences[form]);
		}
	}
}

static void expect_example(const struct op *op, enum example_form form, const char *expected)
{
	AUTOBUF struct buf text;

	buf_init(&text, 64 * 1024);
	example_write(&text, op, form);
	assert_string_equal(text.data, expected);
}

/* What no op of ours has: a quote, what a URL must hide, a taken value in a body. */
static void odd_values_are_quoted(void **state)
{
	static const struct field params[] = { { .name = "at", .type = FIELD_STRING, .flags = F_REQUIRED },
		{ .name = "class", .type = FIELD_STRING }, FIELDS_END };
	struct op get = { .id = "files.stat", .kind = OP_JSON, .method = "GET", .path = "/x", .params = params };
	struct op post = { .id = "x.y", .kind = OP_JSON, .method = "POST", .path = "/x", .params = params };

	(void)state;
	get.example = (struct example){ .args = JSON_TEXT({ "at" : "it's & \u00e9", "class" : null }) };
	expect_example(
		&get, EXAMPLE_CURL, "curl -sS -H \"$auth\" \"$ABX_URL/x?at=it%27s%20%26%20%C3%A9&class=null\"\n");
	expect_example(
		&get, EXAMPLE_ABX, "abx server call files.stat --arg 'at=it'\\''s & \303\251' --arg class=null\n");
	expect_example(&get, EXAMPLE_PYTHON, "print(await srv.files.stat(\"it's & \303\251\", class_=None))\n");
	expect_example(&get, EXAMPLE_TYPESCRIPT,
		"console.log(await client.files.stat({ at: \"it's & \303\251\", class: null }));\n");
	post.example =
		(struct example){ .args = "{\"class\":\"c\"}", .after = "core.health", .take = "status", .into = "at" };
	expect_example(&post, EXAMPLE_CURL,
		"at=$(curl -sS -H \"$auth\" \"$ABX_URL/health\" | jq -r .status)\n"
		"curl -sS -H \"$auth\" \"$ABX_URL/x\" \\\n"
		"  -H \"Content-Type: application/json\" -d '{\"class\":\"c\",\"at\":\"'\"$at\"'\"}'\n");
	expect_example(&post, EXAMPLE_TYPESCRIPT,
		"const { status: at } = await client.core.health();\n"
		"console.log(await client.x.y({ at, class: \"c\" }));\n");
	post.example.after_args = "{\"a\":1}";
	expect_example(&post, EXAMPLE_PYTHON,
		"at = (await srv.core.health()).status\nprint(await srv.x.y(at, class_=\"c\"))\n");
	expect_example(&post, EXAMPLE_ABX,
		"at=$(abx server call core.health --arg a=1 | jq -r .status)\n"
		"abx server call x.y --arg at=\"$at\" --arg class=c\n");
	post.example.take = post.example.into = post.example.after_args = NULL;
	expect_example(
		&post, EXAMPLE_ABX, "abx server call core.health >/dev/null\nabx server call x.y --arg class=c\n");
}

/* --- there and back --- */

/* A value that the row must take, as JSON; false for what writes differently than it reads. */
static bool sample(const struct field *f, char *to, size_t size)
{
	switch (f->type) {
	case FIELD_STRING:
	case FIELD_TEXT:
		snprintf(to, size, "\"ab\\u00e9\\n\\\"\"");
		return !f->chooses_encoding;
	case FIELD_BYTES:
		snprintf(to, size, "\"AAH/\"");
		return true;
	case FIELD_INTEGER:
		snprintf(to, size, "%lld", (long long)MAX(f->minimum, MIN(f->maximum, (int64_t)77)));
		return true;
	case FIELD_NUMBER:
		snprintf(to, size, "%g", f->num_maximum > 1 ? 1.5 : f->num_minimum);
		return true;
	case FIELD_BOOLEAN:
		snprintf(to, size, "%s", f->def ? "false" : "true");
		return !f->omit_false;
	case FIELD_CHOICE:
		snprintf(to, size, "\"%s\"", f->choices[f->choices[1] ? 1 : 0]);
		return true;
	case FIELD_ARRAY:
		snprintf(to, size, "[\"a\",\"\"]");
		return f->item_type == FIELD_STRING;
	case FIELD_MAP:
		snprintf(to, size, "{\"A\":\"b\",\"C\":\"\"}");
		return true;
	case FIELD_ANY:
		snprintf(to, size, "[1,{\"a\":null}]");
		return !f->raw_json;
	default:
		return false;
	}
}

static void row_there_and_back(const struct field *f)
{
	struct field alone[] = { *f, { .type = FIELD_NONE } };
	struct arena arena CLEANUP(arena_free);
	char value[200], text[400];
	AUTOBUF struct buf out, expected;
	struct json_error problem;
	struct json_writer w;
	struct json *object;
	struct bind b;
	void *params;

	arena_init(&arena, 1 << 20);
	buf_init(&out, 4096);
	buf_init(&expected, 4096);
	if (!sample(f, value, sizeof value))
		return;
	snprintf(text, sizeof text, "{\"%s\":%s}", f->name, value);
	params = arena_alloc(&arena, now->params_size);
	bind_begin(&b, &arena, now, params);
	assert_int_equal(json_parse(&arena, text, strlen(text), &object, &problem), 0);
	json_write_init(&w, &expected);
	json_tree(&w, object, false);
	if (bind_object(&b, object, &err) < 0)
		fail_msg("%s: %s: %s", now->id, f->name, err.text);
	alone[0].flags |= F_REQUIRED;
	json_write_init(&w, &out);
	write_json(&w, alone, params);
	assert_int_equal(out.len, expected.len);
	assert_memory_equal(out.data, expected.data, out.len);
}

static void parameters_come_back_as_they_went_in(void **state)
{
	(void)state;
	for (const struct op *const *op = ops_all; *op; op++) {
		now = *op;
		for (const struct field *f = now->params; f && f->type != FIELD_NONE; f++)
			row_there_and_back(f);
	}
}

static void the_printed_catalog_is_json_and_its_digest_stays(void **state)
{
	struct arena arena CLEANUP(arena_free);
	AUTOBUF struct buf text;
	struct json_error problem;
	struct json_writer w;
	const struct json *ops;
	struct json *value;
	size_t count = 0;

	(void)state;
	arena_init(&arena, 64 << 20);
	buf_init(&text, 16 << 20);
	json_write_init(&w, &text);
	print_catalog(&w, NULL, NULL);
	assert_false(buf_failed(&text));
	assert_int_equal(json_parse(&arena, text.data, text.len, &value, &problem), 0);
	ops = json_get(value, "ops");
	while (ops_all[count])
		count++;
	assert_int_equal(ops->count, count);
	assert_int_equal(strlen(print_digest()), strlen("sha256:") + 64);
	assert_string_equal(print_digest(), print_digest());
}

static void the_table_of_errors_is_json(void **state)
{
	struct arena arena CLEANUP(arena_free);
	AUTOBUF struct buf text;
	struct json_error problem;
	struct json_writer w;
	struct json *value;

	(void)state;
	arena_init(&arena, 16 << 20);
	buf_init(&text, 4 << 20);
	json_write_init(&w, &text);
	print_errors(&w);
	assert_int_equal(json_parse(&arena, text.data, text.len, &value, &problem), 0);
	assert_int_equal(value->count, ERR_COUNT - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_op_is_complete),
		cmocka_unit_test(names_and_routes_are_unique),
		cmocka_unit_test(what_stands_in_a_route_is_a_parameter),
		cmocka_unit_test(scopes_errors_and_limits),
		cmocka_unit_test(each_op_has_an_example),
		cmocka_unit_test(examples_are_written_in_each_form),
		cmocka_unit_test(odd_values_are_quoted),
		cmocka_unit_test(parameters_come_back_as_they_went_in),
		cmocka_unit_test(the_printed_catalog_is_json_and_its_digest_stays),
		cmocka_unit_test(the_table_of_errors_is_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
