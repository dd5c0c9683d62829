/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/gen_typescript.h"

#include "catalog/gen_nodes.h"
#include "catalog/print.h"

#include <assert.h>

enum { NAMES_MAX = 512 };

struct types {
	struct buf *out;
	const char *seen[NAMES_MAX];
	size_t count;
};

/* Text for the inside of a comment. */
static void add_text(struct buf *out, const char *text)
{
	for (; text && *text; text++) {
		buf_addc(out, *text);
		if (text[0] == '*' && text[1] == '/')
			buf_addc(out, ' ');
	}
}

static void add_comment(struct buf *out, const char *indent, const char *text)
{
	buf_addf(out, "%s/** ", indent);
	add_text(out, text);
	buf_adds(out, " */\n");
}

static const char *plain_type(enum field_type type, bool is_param)
{
	switch (type) {
	case FIELD_INTEGER:
	case FIELD_NUMBER:
		return "number";
	case FIELD_BOOLEAN:
		return "boolean";
	case FIELD_ANY:
		return "unknown";
	case FIELD_BYTES:
		return is_param ? "Uint8Array | string" : "string";
	default:
		return "string";
	}
}

static void add_choices(struct buf *out, const struct field *field)
{
	for (const char *const *choice = field->choices; *choice; choice++)
		buf_addf(out, "%s\"%s\"", choice == field->choices ? "" : " | ", *choice);
}

static void add_items(struct buf *out, const struct field *field, bool is_param)
{
	if (field->item_type == FIELD_OBJECT)
		buf_addf(out, "%s[]", field->item_name);
	else
		buf_addf(out, "(%s)[]", plain_type(field->item_type, is_param));
}

static void add_type(struct buf *out, const struct op *op, const struct field *field)
{
	bool null = field->flags & F_NULLABLE;

	if (field->type == FIELD_ARRAY)
		add_items(out, field, op);
	else if (field->type == FIELD_MAP)
		buf_addf(out, "Record<string, string%s>", null ? " | null" : "");
	else if (field->type == FIELD_OBJECT)
		buf_adds(out, field->item_name ? field->item_name : "Record<string, unknown>");
	else if (field->type == FIELD_CHOICE && op)
		add_choices(out, field);
	else if (op && field->type == FIELD_STRING && op_param_in_route(op, field->name))
		buf_adds(out, "string | number");
	else
		buf_adds(out, plain_type(field->type, op));
	if (null && field->type != FIELD_MAP && field->type != FIELD_ANY)
		buf_adds(out, " | null");
}

/* op is given for parameters; a path may always come as its twin. */
static void add_member(struct buf *out, const struct op *op, const struct field *field)
{
	char twin[FIELD_TWIN_SIZE];
	bool has_twin = op && field_has_twin(field);
	bool required = (field->flags & F_REQUIRED) && !has_twin;

	if (field->text)
		add_comment(out, "  ", field->text);
	buf_addf(out, "  %s%s: ", field->name, required ? "" : "?");
	add_type(out, op, field);
	if (op && !required)
		buf_adds(out, " | undefined");
	buf_adds(out, ";\n");
	if (has_twin)
		buf_addf(out, "  /** The exact bytes of `%s`, instead of it. */\n  %s?: %s | undefined;\n", field->name,
			field_twin(field, twin),
			field->type == FIELD_ARRAY ? "(Uint8Array | string)[]" : "Uint8Array | string");
}

static void add_interface(
	struct types *t, const char *name, const char *text, const struct op *op, const struct field *fields)
{
	buf_addc(t->out, '\n');
	add_comment(t->out, "", text);
	buf_addf(t->out, "export interface %s {\n", name);
	for (; fields && fields->type != FIELD_NONE; fields++)
		add_member(t->out, op, fields);
	buf_adds(t->out, "}\n");
}

static void add_named(const struct field *field, bool is_param, void *user)
{
	static const struct op anything = { .id = "", .path = "" };
	struct types *t = user;

	for (size_t i = 0; i < t->count; i++) {
		if (strcmp(t->seen[i], field->item_name) == 0)
			return;
	}
	assert(t->count < NAMES_MAX);
	t->seen[t->count++] = field->item_name;
	add_interface(t, field->item_name, field->text ? field->text : field->item_name, is_param ? &anything : NULL,
		field->fields);
}

static void add_event(struct types *t, const struct op *op, const struct event *event)
{
	char name[SCHEMA_NAME_SIZE];

	schema_named(event->fields, false, add_named, t);
	schema_event_name(op, event, name);
	buf_addc(t->out, '\n');
	add_comment(t->out, "", event->text ? event->text : event->name);
	buf_addf(t->out, "export interface %s {\n  event: \"%s\";\n", name, event->name);
	for (const struct field *field = event->fields; field && field->type != FIELD_NONE; field++)
		add_member(t->out, NULL, field);
	buf_adds(t->out, "}\n");
}

static void add_events(struct types *t, const struct op *op)
{
	char name[SCHEMA_NAME_SIZE];

	for (const struct event *event = op->events; event->name; event++)
		add_event(t, op, event);
	schema_name(op, "event", name);
	buf_addf(t->out, "\nexport type %s =", name);
	for (const struct event *event = op->events; event->name; event++) {
		schema_event_name(op, event, name);
		buf_addf(t->out, " | %s", name);
	}
	buf_adds(t->out, ";\n");
}

static void add_types(struct buf *out)
{
	struct types t = { .out = out };
	char name[SCHEMA_NAME_SIZE];

	for (const struct op *const *op = ops_all; *op; op++) {
		schema_named((*op)->params, true, add_named, &t);
		schema_name(*op, "params", name);
		add_interface(&t, name, (*op)->summary, *op, (*op)->params);
		if ((*op)->result) {
			schema_named((*op)->result, false, add_named, &t);
			schema_name(*op, "result", name);
			add_interface(&t, name, (*op)->summary, NULL, (*op)->result);
		}
		if ((*op)->events)
			add_events(&t, *op);
	}
}

static void add_json(struct buf *out, bool first, const char *name, const struct json *value)
{
	struct json_writer w;

	buf_addf(out, "%s\"%s\": ", first ? "" : ", ", name);
	json_write_init(&w, out);
	json_tree(&w, value, false);
}

/* Which events end a stream, beside what every client needs. */
static void add_finals(struct buf *out, const struct op *op)
{
	const char *comma = "";

	if (!op->events)
		return;
	buf_adds(out, ", \"finals\": [");
	for (const struct event *event = op->events; event->name; event++) {
		if (event->final) {
			buf_addf(out, "%s\"%s\"", comma, event->name);
			comma = ", ";
		}
	}
	buf_addc(out, ']');
}

static void add_catalog(struct buf *out)
{
	buf_adds(out, "\n/** Every op, as the runtime needs it. */\nexport const catalog = {\n");
	for (const struct op *const *op = ops_all; *op; op++) {
		buf_addf(out, "  \"%s\": {", (*op)->id);
		gen_op_members(out, *op, add_json);
		add_finals(out, *op);
		buf_adds(out, "},\n");
	}
	buf_adds(out, "} satisfies Record<string, OpSpec>;\n\nexport type OpId = keyof typeof catalog;\n");
}

static void add_errors(struct buf *out)
{
	buf_adds(
		out, "\n/** The server's table of errors. */\nexport const errorTable: Record<string, ErrorRow> = {\n");
	for (enum err_code code = ERR_NONE + 1; code < ERR_COUNT; code++) {
		const struct err_info *info = err_info(code);

		buf_addf(out,
			"  \"%s\": { status: %d, code: \"%s\", type: \"%s\", exception: \"%s\", e_code: \"%s\" },\n",
			info->wire_code, info->status, info->code, info->type, info->exception, info->ecode);
	}
	buf_adds(out, "};\n");
}

static bool needs_params(const struct op *op)
{
	for (const struct field *field = op->params; field && field->type != FIELD_NONE; field++) {
		if (field->flags & F_REQUIRED)
			return true;
	}
	for (const struct one_of *group = op->one_of; group && group->names[0]; group++) {
		if (!group->optional)
			return true;
	}
	return false;
}

static void add_docs(struct buf *out, const struct op *op)
{
	buf_adds(out, "\n  /**\n   * ");
	add_text(out, op->summary);
	if (op->description) {
		buf_adds(out, "\n   *\n   * ");
		add_text(out, op->description);
	}
	buf_adds(out, "\n   */\n");
}

static void answer_name(const struct op *op, char name[static SCHEMA_NAME_SIZE])
{
	schema_name(op, op->kind == OP_SSE ? "event" : "result", name);
}

/* What the methods need of catalog.ts: only types but for the catalog itself. */
static void add_imports(struct buf *out)
{
	char name[SCHEMA_NAME_SIZE];

	buf_adds(out, "import {\n  catalog,\n");
	for (const struct op *const *op = ops_all; *op; op++) {
		if ((*op)->kind == OP_WS)
			continue;
		schema_name(*op, "params", name);
		buf_addf(out, "  type %s,\n", name);
		if ((*op)->kind != OP_SSE && gen_gives_bytes(*op))
			continue;
		answer_name(*op, name);
		buf_addf(out, "  type %s,\n", name);
	}
	buf_adds(out, "} from \"./catalog.js\";\n");
}

static void add_method(struct buf *out, const struct op *op)
{
	char params[SCHEMA_NAME_SIZE], answer[SCHEMA_NAME_SIZE];
	bool sends = op->raw && op->raw->request, fetches = gen_gives_bytes(op);
	const char *how = op->kind == OP_SSE ? "events" : fetches ? "fetch" : sends ? "send" : "json";

	if (op->kind == OP_WS)
		return; /* a connection is not a call: written by hand */
	schema_name(op, "params", params);
	answer_name(op, answer);
	add_docs(out, op);
	buf_addf(out, "  %s(params: %s%s%s, options?: CallOptions): ", gen_leaf(op->id), params,
		sends ? " & { data?: Body }" : "", needs_params(op) ? "" : " = {}");
	if (op->kind == OP_SSE)
		buf_addf(out, "EventStream<%s>", answer);
	else
		buf_addf(out, "Promise<%s>", fetches ? "Uint8Array" : answer);
	buf_addf(out, " {\n    return this.caller.%s(catalog[\"%s\"], params, options);\n  }\n", how, op->id);
}

static void add_children(struct buf *out, const struct gen_nodes *nodes, const char *node)
{
	char name[SCHEMA_NAME_SIZE];

	for (size_t i = 0; i < nodes->count; i++) {
		if (!gen_is_child(nodes->names[i], node))
			continue;
		gen_class_name(nodes->names[i], "namespace", name);
		buf_addf(out, "  readonly %s: %s;\n", gen_leaf(nodes->names[i]), name);
	}
	buf_adds(out, "\n  constructor(caller: Caller) {\n    super(caller);\n");
	for (size_t i = 0; i < nodes->count; i++) {
		if (!gen_is_child(nodes->names[i], node))
			continue;
		gen_class_name(nodes->names[i], "namespace", name);
		buf_addf(out, "    this.%s = new %s(caller);\n", gen_leaf(nodes->names[i]), name);
	}
	buf_adds(out, "  }\n");
}

static void add_namespace(struct buf *out, const struct gen_nodes *nodes, const char *node)
{
	char name[SCHEMA_NAME_SIZE];
	bool has_children = false;

	for (size_t i = 0; i < nodes->count; i++)
		has_children |= gen_is_child(nodes->names[i], node);
	gen_class_name(node[0] ? node : "tree", node[0] ? "namespace" : "", name);
	buf_addc(out, '\n');
	add_comment(out, "", node[0] ? node : "The namespaces of the catalog.");
	buf_addf(out, "export class %s extends Namespace {\n", name);
	if (has_children)
		add_children(out, nodes, node);
	for (const struct op *const *op = ops_all; *op; op++) {
		if (gen_is_child((*op)->id, node))
			add_method(out, *op);
	}
	buf_adds(out, "}\n");
}

static void add_refs(struct buf *out, const struct gen_nodes *nodes, const char *node, unsigned level)
{
	for (size_t i = 0; i < nodes->count; i++) {
		if (!gen_is_child(nodes->names[i], node))
			continue;
		buf_addf(out, "%*s%s: {\n", (int)(2 * level), "", gen_leaf(nodes->names[i]));
		add_refs(out, nodes, nodes->names[i], level + 1);
		buf_addf(out, "%*s},\n", (int)(2 * level), "");
	}
	for (const struct op *const *op = ops_all; *op; op++) {
		if (gen_is_child((*op)->id, node))
			buf_addf(out, "%*s%s: \"%s\",\n", (int)(2 * level), "", gen_leaf((*op)->id), (*op)->id);
	}
}

static void add_head(struct buf *out, const char *part)
{
	buf_addf(out,
		"// SPDX-License-Identifier: Apache-2.0\n"
		"// Made by `agent-sandbox-server gen-client --lang ts --part %s`: do not edit.\n"
		"// Catalog version %d, digest %s\n",
		part, CATALOG_VERSION, print_digest());
}

void gen_typescript_catalog(struct buf *out)
{
	struct gen_nodes nodes;

	gen_nodes_init(&nodes);
	add_head(out, "catalog");
	buf_addf(out,
		"import type { ErrorRow, OpSpec } from \"./runtime.js\";\n\n"
		"export const CATALOG_VERSION = %d;\nexport const CATALOG_DIGEST = \"%s\";\nexport const SERVER_VERSION = \"%s\";\n",
		CATALOG_VERSION, print_digest(), server_version);
	add_types(out);
	add_errors(out);
	add_catalog(out);
	buf_adds(out, "\n/** The ids, by their parts. */\nexport const ops = {\n");
	add_refs(out, &nodes, "", 1);
	buf_adds(out, "} as const;\n");
}

void gen_typescript_client(struct buf *out)
{
	struct gen_nodes nodes;

	gen_nodes_init(&nodes);
	add_head(out, "client");
	add_imports(out);
	buf_adds(out,
		"import { Namespace, type Body, type CallOptions, type Caller, type EventStream } from \"./runtime.js\";\n");
	gen_nodes_each(out, &nodes, add_namespace);
	add_namespace(out, &nodes, "");
}
