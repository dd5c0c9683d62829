/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/gen_nodes.h"

#include "catalog/print.h"

#include <assert.h>
#include <stdio.h>

static void add_node(struct gen_nodes *nodes, const char *id, size_t len)
{
	for (size_t i = 0; i < nodes->count; i++) {
		if (strlen(nodes->names[i]) == len && strncmp(nodes->names[i], id, len) == 0)
			return;
	}
	assert(nodes->count < GEN_NODES_MAX && len < GEN_NODE_SIZE);
	snprintf(nodes->names[nodes->count++], GEN_NODE_SIZE, "%.*s", (int)len, id);
}

void gen_nodes_init(struct gen_nodes *nodes)
{
	nodes->count = 0;
	for (const struct op *const *op = ops_all; *op; op++) {
		for (const char *dot = strchr((*op)->id, '.'); dot; dot = strchr(dot + 1, '.'))
			add_node(nodes, (*op)->id, (size_t)(dot - (*op)->id));
	}
}

size_t gen_depth(const char *node)
{
	size_t dots = 0;

	for (; *node; node++)
		dots += *node == '.';
	return dots;
}

bool gen_is_child(const char *name, const char *node)
{
	size_t len = strlen(node);

	if (!len)
		return !strchr(name, '.');
	return strncmp(name, node, len) == 0 && name[len] == '.' && !strchr(name + len + 1, '.');
}

const char *gen_leaf(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

void gen_class_name(const char *node, const char *suffix, char ret_name[static SCHEMA_NAME_SIZE])
{
	const struct op named = { .id = node };

	schema_name(&named, suffix, ret_name);
}

void gen_nodes_each(struct buf *out, const struct gen_nodes *nodes,
	void (*add)(struct buf *out, const struct gen_nodes *nodes, const char *node))
{
	for (size_t level = GEN_DEPTH_MAX; level-- > 0;) {
		for (size_t i = 0; i < nodes->count; i++) {
			if (gen_depth(nodes->names[i]) == level)
				add(out, nodes, nodes->names[i]);
		}
	}
}

void gen_op_members(struct buf *out, const struct op *op,
	void (*add)(struct buf *out, bool first, const char *name, const struct json *value))
{
	static const char *const kept[] = { "id", "endpoint", "group", "scope", "kind", "method", "path", "also",
		"since", "effects", "params", "one_of", "raw", "limits" };
	struct json_writer w;
	struct arena arena;
	struct json *tree;
	struct json_error problem;
	AUTOBUF struct buf text;
	int status;

	buf_init(&text, SIZE_MAX / 2);
	json_write_init(&w, &text);
	print_op(&w, op, false);
	arena_init(&arena, SIZE_MAX);
	status = json_parse(&arena, text.data, text.len, &tree, &problem);
	assert(status == 0);
	for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
		const struct json *member = json_get(tree, kept[i]);

		if (member)
			add(out, i == 0, kept[i], member);
	}
	arena_free(&arena);
}

bool gen_gives_bytes(const struct op *op)
{
	if (!op->raw || !op->raw->response)
		return false;
	for (const struct field *field = op->result; field && field->type != FIELD_NONE; field++) {
		if (field->type == FIELD_BYTES && (field->flags & F_REQUIRED))
			return true;
	}
	return false;
}

bool gen_takes_tag(const struct op *op)
{
	for (const enum err_code *code = op->errors; code && *code != ERR_NONE; code++) {
		if (*code == ERR_FILES_CHANGED)
			return op->raw && op->raw->request;
	}
	return false;
}
