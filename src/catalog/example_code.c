/* SPDX-License-Identifier: Apache-2.0 */
/* Examples in Python and in TypeScript. */
#include "catalog/example_internal.h"
#include "catalog/gen_nodes.h"
#include "catalog/gen_python_internal.h"

enum { ARENA_MAX = 1 << 20 };

struct language {
	const char *null, *yes, *no;
	bool bare_keys;
	const char *open, *close; /* of an object that is not empty */
};

static const struct language python = { "None", "True", "False", false, "{", "}" };
static const struct language typescript = { "null", "true", "false", true, "{ ", " }" };

static void add_value(struct buf *out, const struct json *value, const struct language *language);

static void add_string(struct buf *out, struct str text)
{
	buf_addc(out, '"');
	json_escape(out, text);
	buf_addc(out, '"');
}

static bool is_identifier(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.p[i];

		if (!(c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (i > 0 && c >= '0' && c <= '9')))
			return false;
	}
	return name.len > 0;
}

static void add_members(struct buf *out, const struct json *value, const struct language *language)
{
	bool object = value->type == JSON_OBJECT;
	const char *none = object ? "{}" : "[]";

	if (!value->first) {
		buf_adds(out, none);
		return;
	}
	buf_adds(out, object ? language->open : "[");
	for (const struct json *member = value->first; member; member = member->next) {
		if (member != value->first)
			buf_adds(out, ", ");
		if (object && language->bare_keys && is_identifier(member->key))
			buf_add(out, member->key.p, member->key.len);
		else if (object)
			add_string(out, member->key);
		if (object)
			buf_adds(out, ": ");
		add_value(out, member, language);
	}
	buf_adds(out, object ? language->close : "]");
}

static void add_value(struct buf *out, const struct json *value, const struct language *language)
{
	switch (value->type) {
	case JSON_NULL:
		buf_adds(out, language->null);
		break;
	case JSON_BOOL:
		buf_adds(out, value->boolean ? language->yes : language->no);
		break;
	case JSON_NUMBER:
		buf_add(out, value->text.p, value->text.len);
		break;
	case JSON_STRING:
		add_string(out, value->text);
		break;
	case JSON_ARRAY:
	case JSON_OBJECT:
		add_members(out, value, language);
		break;
	}
}

static bool sends_file(const struct op *op)
{
	return op->example.file && !gen_gives_bytes(op);
}

static void add_first(struct buf *out, const struct op *op,
	void (*add_call)(struct buf *out, const struct op *op, const struct op *first))
{
	struct op first;

	if (!example_first(op, &first))
		return;
	add_first(out, &first, add_call);
	add_call(out, op, &first);
}

/* --- Python --- */

/* Required ones stand by their place; without any, the first of which one must be given does. */
static bool stands_alone(const struct op *op, const struct field *field)
{
	bool required = false;

	for (const struct field *one = op->params; one && one->type != FIELD_NONE; one++)
		required |= (one->flags & F_REQUIRED) != 0;
	if (required)
		return field->flags & F_REQUIRED;
	return op->one_of && op->one_of->names[0] && strcmp(op->one_of->names[0], field->name) == 0;
}

static void python_argument(
	struct buf *out, const struct op *op, const struct field *field, const struct json *value, bool *comma)
{
	char room[64];

	buf_adds(out, *comma ? ", " : "");
	*comma = true;
	if (!stands_alone(op, field))
		buf_addf(out, "%s=", python_name(field->name, room));
	if (value)
		add_value(out, value, &python);
	else
		buf_adds(out, python_name(field->name, room));
}

static void python_call(struct buf *out, const struct op *op)
{
	struct arena arena CLEANUP(arena_free);
	const struct json *args;
	bool comma = false;

	arena_init(&arena, ARENA_MAX);
	args = example_args(&arena, op);
	buf_addf(out, "srv.%s(", op->id);
	for (int alone = 1; alone >= 0; alone--) {
		for (const struct field *field = op->params; field && field->type != FIELD_NONE; field++) {
			const struct json *value = json_get(args, field->name);
			bool taken = op->example.into && strcmp(op->example.into, field->name) == 0;

			if ((value || taken) && stands_alone(op, field) == alone)
				python_argument(out, op, field, value, &comma);
		}
	}
	if (sends_file(op))
		buf_addf(out, "%sdata=Path(\"%s\").read_bytes()", comma ? ", " : "", op->example.file);
	buf_addc(out, ')');
}

static void python_first(struct buf *out, const struct op *op, const struct op *first)
{
	const char *take = op->example.take;
	char room[64];

	if (take)
		buf_addf(out, "%s = (", python_name(op->example.into, room));
	buf_adds(out, "await ");
	python_call(out, first);
	if (take)
		buf_addf(out, ").%s", take);
	buf_addc(out, '\n');
}

static void python_socket(struct buf *out, const struct op *op)
{
	buf_adds(out, "async with ");
	python_call(out, op);
	buf_addf(out, " as tty:\n    await tty.send(\"%s\")\n    async for message in tty:\n        print(message)\n",
		op->example.typed);
}

void example_python(struct buf *out, const struct op *op)
{
	add_first(out, op, python_first);
	if (op->kind == OP_WS) {
		python_socket(out, op);
		return;
	}
	if (op->kind == OP_SSE)
		buf_adds(out, "async for event in ");
	else if (gen_gives_bytes(op))
		buf_addf(out, "Path(\"%s\").write_bytes(await ", op->example.file);
	else
		buf_adds(out, "print(await ");
	python_call(out, op);
	buf_adds(out, op->kind == OP_SSE ? ":\n    print(event)\n" : ")\n");
}

/* --- TypeScript --- */

static void typescript_call(struct buf *out, const struct op *op)
{
	struct arena arena CLEANUP(arena_free);
	const struct json *args;
	size_t start;

	arena_init(&arena, ARENA_MAX);
	args = example_args(&arena, op);
	buf_addf(out, "client.%s(", op->id);
	start = out->len;
	if (op->example.into)
		buf_addf(out, "{ %s", op->example.into);
	for (const struct json *arg = args->first; arg; arg = arg->next) {
		buf_addf(out, "%s" STR_FMT ": ", out->len == start ? "{ " : ", ", STR_ARG(arg->key));
		add_value(out, arg, &typescript);
	}
	if (sends_file(op))
		buf_addf(out, "%sdata: await readFile(\"%s\")", out->len == start ? "{ " : ", ", op->example.file);
	buf_adds(out, out->len == start ? ")" : " })");
}

static void typescript_first(struct buf *out, const struct op *op, const struct op *first)
{
	const char *take = op->example.take, *into = op->example.into;

	if (take)
		buf_addf(out, "const { %s", take);
	if (take && strcmp(take, into) != 0)
		buf_addf(out, ": %s", into);
	buf_adds(out, take ? " } = await " : "await ");
	typescript_call(out, first);
	buf_adds(out, ";\n");
}

static void typescript_socket(struct buf *out, const struct op *op)
{
	buf_adds(out, "const tty = await ");
	typescript_call(out, op);
	buf_addf(out, ";\ntty.send(\"%s\");\nfor await (const message of tty) console.log(message);\n",
		op->example.typed);
}

void example_typescript(struct buf *out, const struct op *op)
{
	add_first(out, op, typescript_first);
	if (op->kind == OP_WS) {
		typescript_socket(out, op);
		return;
	}
	if (op->kind == OP_SSE)
		buf_adds(out, "for await (const event of ");
	else if (gen_gives_bytes(op))
		buf_addf(out, "await writeFile(\"%s\", await ", op->example.file);
	else
		buf_adds(out, "console.log(await ");
	typescript_call(out, op);
	buf_adds(out, op->kind == OP_SSE ? ") console.log(event);\n" : ");\n");
}
