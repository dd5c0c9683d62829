/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/gen_nodes.h"
#include "catalog/gen_python_internal.h"
#include "catalog/print.h"
#include "catalog/schema.h"

static const char *last_part(const char *id)
{
	const char *dot = strrchr(id, '.');

	return dot ? dot + 1 : id;
}

static bool takes_bytes(const struct op *op)
{
	return op->raw && op->raw->request;
}

/* A command that exits with another code than 0 may be made an exception. */
static bool has_exit_code(const struct op *op)
{
	return op->kind == OP_JSON && (op->effects & OP_RUNS) && field_find(op->result, STR("exit_code"));
}

static bool takes_key(const struct op *op)
{
	for (const enum err_code *code = op->errors; code && *code != ERR_NONE; code++) {
		if (*code == ERR_ARGS_IDEMPOTENCY)
			return true;
	}
	return false;
}

/* The bytes of an op with a raw body are its `data`. */
static bool is_shown(const struct op *op, const struct field *field)
{
	return !(takes_bytes(op) && field->type == FIELD_BYTES);
}

/* Required ones, and the first of each group of which one must be given. */
static bool is_positional(const struct op *op, const struct field *field)
{
	if (field->flags & F_REQUIRED)
		return true;
	for (const struct one_of *group = op->one_of; group && group->names[0]; group++) {
		if (strcmp(group->names[0], field->name) == 0)
			return true;
	}
	return false;
}

static const char *plain_type(const struct op *op, const struct field *field, enum field_type type)
{
	switch (type) {
	case FIELD_INTEGER:
		return "int";
	case FIELD_NUMBER:
		return "float";
	case FIELD_BOOLEAN:
		return "bool";
	case FIELD_BYTES:
		return "BytesLike";
	case FIELD_PATH:
		return "PathLike";
	case FIELD_OBJECT:
		return "Mapping[str, Any]";
	case FIELD_ANY:
		return "Any";
	default:
		return op_param_in_route(op, field->name) ? "str | int" : "str";
	}
}

static void add_choices(struct buf *out, const struct field *field)
{
	buf_adds(out, "Literal[");
	for (const char *const *choice = field->choices; *choice; choice++)
		buf_addf(out, "%s\"%s\"", choice == field->choices ? "" : ", ", *choice);
	buf_addc(out, ']');
}

static void add_type(struct buf *out, const struct op *op, const struct field *field)
{
	if (field->type == FIELD_CHOICE)
		add_choices(out, field);
	else if (field->type == FIELD_ARRAY)
		buf_addf(out, "Sequence[%s]", plain_type(op, field, field->item_type));
	else if (field->type == FIELD_MAP)
		buf_addf(out, "Mapping[str, str%s]", field->flags & F_NULLABLE ? " | None" : "");
	else
		buf_adds(out, plain_type(op, field, field->type));
}

static void add_parameter(struct buf *out, const struct op *op, const struct field *field)
{
	char room[64];

	buf_addf(out, "        %s: ", python_name(field->name, room));
	add_type(out, op, field);
	buf_adds(out, field->flags & F_REQUIRED ? ",\n" : " | None = None,\n");
}

static void add_signature(struct buf *out, const struct op *op)
{
	buf_adds(out, "        self,\n");
	for (const struct field *field = op->params; field && field->type != FIELD_NONE; field++) {
		if (is_shown(op, field) && (field->flags & F_REQUIRED))
			add_parameter(out, op, field);
	}
	for (const struct field *field = op->params; field && field->type != FIELD_NONE; field++) {
		if (is_shown(op, field) && is_positional(op, field) && !(field->flags & F_REQUIRED))
			add_parameter(out, op, field);
	}
	if (takes_bytes(op))
		buf_adds(out, "        data: Body | None = None,\n");
	buf_adds(out, "        *,\n");
	for (const struct field *field = op->params; field && field->type != FIELD_NONE; field++) {
		if (is_shown(op, field) && !is_positional(op, field))
			add_parameter(out, op, field);
	}
	if (takes_bytes(op))
		buf_adds(out, "        progress: Progress | None = None,\n");
	if (gen_takes_tag(op))
		buf_adds(out, "        if_match: str | None = None,\n");
	if (has_exit_code(op))
		buf_adds(out, "        check: bool = False,\n");
	if (takes_key(op))
		buf_adds(out, "        idempotency_key: str | None = None,\n");
	buf_adds(out, "        request_timeout: float | None = None,\n");
}

/* "default 3, 1 to 64" as the catalog says it. */
static void add_facts(struct buf *out, const struct field *field)
{
	AUTOBUF struct buf text;
	struct json_writer w;

	buf_init(&text, 4096);
	json_write_init(&w, &text);
	json_object_begin(&w);
	print_default(&w, field);
	json_object_end(&w);
	if (text.len > 2 && !buf_failed(&text))
		buf_addf(out, " (default %.*s)", (int)(text.len - 12), text.data + 11);
}

static void add_doc_of(struct buf *out, const struct field *field)
{
	char room[64];

	buf_addf(out, "        :param %s: ", python_name(field->name, room));
	python_doc(out, field->text ? field->text : "");
	add_facts(out, field);
	buf_addc(out, '\n');
}

static void add_docstring(struct buf *out, const struct op *op)
{
	buf_adds(out, "        \"\"\"");
	python_doc(out, op->summary);
	buf_adds(out, "\n\n");
	if (op->description) {
		buf_adds(out, "        ");
		python_doc(out, op->description);
		buf_adds(out, "\n\n");
	}
	for (const struct field *field = op->params; field && field->type != FIELD_NONE; field++) {
		if (is_shown(op, field))
			add_doc_of(out, field);
	}
	if (takes_bytes(op))
		buf_adds(out,
			"        :param data: The bytes: in memory, a binary file, or an iterable of parts.\n"
			"        :param progress: Called with the bytes sent so far and the whole length, or None.\n");
	if (gen_takes_tag(op))
		buf_adds(out, "        :param if_match: Only when this is still the tag of what is there.\n");
	if (has_exit_code(op))
		buf_adds(out, "        :param check: Raise ProcessError when the exit code is not 0.\n");
	if (takes_key(op))
		buf_adds(out,
			"        :param idempotency_key: The same key and arguments within an hour give the first answer again.\n");
	buf_adds(out, "        :param request_timeout: Seconds after which the client gives the call up.\n"
		      "        \"\"\"\n");
}

static void add_arguments(struct buf *out, const struct op *op)
{
	buf_addc(out, '{');
	for (const struct field *field = op->params; field && field->type != FIELD_NONE; field++) {
		char room[64];

		if (is_shown(op, field))
			buf_addf(out, "\"%s\": %s, ", field->name, python_name(field->name, room));
	}
	if (out->len && out->data[out->len - 1] == ' ')
		buf_truncate(out, out->len - 2);
	buf_addc(out, '}');
}

static void add_result_type(struct buf *out, const struct op *op)
{
	char name[SCHEMA_NAME_SIZE];

	if (op->kind == OP_SSE) {
		schema_name(op, "event", name);
		buf_addf(out, "EventStream[%s]", name);
	} else if (gen_gives_bytes(op)) {
		buf_adds(out, "bytes");
	} else {
		schema_name(op, "result", name);
		buf_adds(out, name);
	}
}

static void add_body(struct buf *out, const struct op *op)
{
	char name[SCHEMA_NAME_SIZE];

	buf_addf(out, "        return %sself._caller.", op->kind == OP_SSE ? "" : "await ");
	buf_adds(out, op->kind == OP_SSE    ? "events"
		      : gen_gives_bytes(op) ? "fetch"
		      : takes_bytes(op)     ? "send"
					    : "json");
	buf_addf(out, "(OPS[\"%s\"], ", op->id);
	add_arguments(out, op);
	if (op->kind == OP_SSE) {
		schema_name(op, "event", name);
		buf_addf(out, ", %ss", name);
	} else if (!gen_gives_bytes(op)) {
		schema_name(op, "result", name);
		buf_addf(out, ", %s", name);
	}
	if (takes_bytes(op))
		buf_adds(out, ", data, progress");
	buf_adds(out, ", request_timeout");
	if (has_exit_code(op))
		buf_adds(out, ", check=check");
	if (gen_takes_tag(op))
		buf_adds(out, ", if_match=if_match");
	if (takes_key(op))
		buf_adds(out, ", idempotency_key=idempotency_key");
	buf_adds(out, ")\n");
}

/* The twin hands everything on by name. */
static void add_twin(struct buf *out, const struct op *op)
{
	const char *name = last_part(op->id);

	buf_addf(out, "\n    def %s_sync(\n", name);
	add_signature(out, op);
	buf_adds(out, "    ) -> ");
	if (op->kind == OP_SSE)
		buf_adds(out, "Sync");
	add_result_type(out, op);
	buf_addf(out,
		":\n        \"\"\"%s() for code without an event loop.\"\"\"\n        return self._caller.%s(self.%s(",
		name, op->kind == OP_SSE ? "iterate" : "wait", name);
	for (const struct field *field = op->params; field && field->type != FIELD_NONE; field++) {
		char room[64];

		if (is_shown(op, field))
			buf_addf(out, "%s=%s, ", python_name(field->name, room), python_name(field->name, room));
	}
	if (takes_bytes(op))
		buf_adds(out, "data=data, progress=progress, ");
	if (has_exit_code(op))
		buf_adds(out, "check=check, ");
	if (gen_takes_tag(op))
		buf_adds(out, "if_match=if_match, ");
	if (takes_key(op))
		buf_adds(out, "idempotency_key=idempotency_key, ");
	buf_adds(out, "request_timeout=request_timeout))\n");
}

void gen_python_method(struct buf *out, const struct op *op)
{
	if (op->kind == OP_WS)
		return; /* a connection is not a call: written by hand */
	buf_addf(out, "\n    %sdef %s(\n", op->kind == OP_SSE ? "" : "async ", last_part(op->id));
	add_signature(out, op);
	buf_adds(out, "    ) -> ");
	add_result_type(out, op);
	buf_adds(out, ":\n");
	add_docstring(out, op);
	add_body(out, op);
	add_twin(out, op);
}
