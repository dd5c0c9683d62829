/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/gen_python_internal.h"
#include "catalog/print.h"
#include "catalog/schema.h"

#include <assert.h>
#include <stdio.h>

enum { NODES_MAX = 128, NODE_SIZE = 128, DEPTH_MAX = 6 };

const char *python_name(const char *name, char ret_name[static 64])
{
	static const char *const keywords[] = { "False", "None", "True", "and", "as", "assert", "async", "await",
		"break", "class", "continue", "def", "del", "elif", "else", "except", "finally", "for", "from",
		"global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return",
		"try", "while", "with", "yield" };
	bool taken = false;

	for (size_t i = 0; i < ARRAY_LEN(keywords); i++)
		taken |= strcmp(name, keywords[i]) == 0;
	snprintf(ret_name, 64, "%s%s", name, taken ? "_" : "");
	return ret_name;
}

void python_doc(struct buf *out, const char *text)
{
	for (; text && *text; text++) {
		if (*text == '\\' || *text == '"')
			buf_addc(out, '\\');
		buf_addc(out, *text);
	}
}

static void add_value(struct buf *out, const struct json *value);

static void add_members(struct buf *out, const struct json *value)
{
	bool object = value->type == JSON_OBJECT;

	buf_addc(out, object ? '{' : '[');
	for (const struct json *member = value->first; member; member = member->next) {
		if (member != value->first)
			buf_adds(out, ", ");
		if (object)
			buf_addf(out, "\"" STR_FMT "\": ", STR_ARG(member->key));
		add_value(out, member);
	}
	buf_addc(out, object ? '}' : ']');
}

/* A JSON value as a Python literal: only the words differ. */
static void add_value(struct buf *out, const struct json *value)
{
	struct json_writer w;

	if (value->type == JSON_NULL) {
		buf_adds(out, "None");
	} else if (value->type == JSON_BOOL) {
		buf_adds(out, value->boolean ? "True" : "False");
	} else if (value->type == JSON_ARRAY || value->type == JSON_OBJECT) {
		add_members(out, value);
	} else {
		json_write_init(&w, out);
		json_tree(&w, value, false);
	}
}

/* What the runtime needs to make a request of a call; types of answers are classes already. */
static void add_op(struct buf *out, const struct op *op)
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
	buf_adds(out, "    {");
	for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
		const struct json *member = json_get(tree, kept[i]);

		if (member) {
			buf_addf(out, "%s\"%s\": ", i ? ", " : "", kept[i]);
			add_value(out, member);
		}
	}
	buf_adds(out, "},\n");
	arena_free(&arena);
}

static void add_catalog(struct buf *out)
{
	buf_adds(out, "\n\n_CATALOG: list[dict[str, Any]] = [\n");
	for (const struct op *const *op = ops_all; *op; op++)
		add_op(out, *op);
	buf_adds(out, "]\nOPS: Mapping[str, Op] = {spec[\"id\"]: Op.from_catalog(spec) for spec in _CATALOG}\n");
}

/* The dotted names that have something below them, in order of their coming. */
struct nodes {
	char names[NODES_MAX][NODE_SIZE];
	size_t count;
};

static void add_node(struct nodes *nodes, const char *id, size_t len)
{
	for (size_t i = 0; i < nodes->count; i++) {
		if (strlen(nodes->names[i]) == len && strncmp(nodes->names[i], id, len) == 0)
			return;
	}
	assert(nodes->count < NODES_MAX && len < NODE_SIZE);
	snprintf(nodes->names[nodes->count++], NODE_SIZE, "%.*s", (int)len, id);
}

static void collect(struct nodes *nodes)
{
	nodes->count = 0;
	for (const struct op *const *op = ops_all; *op; op++) {
		for (const char *dot = strchr((*op)->id, '.'); dot; dot = strchr(dot + 1, '.'))
			add_node(nodes, (*op)->id, (size_t)(dot - (*op)->id));
	}
}

static size_t depth(const char *name)
{
	size_t dots = 0;

	for (; *name; name++)
		dots += *name == '.';
	return dots;
}

/* Whether name stands directly below node ("" is the top). */
static bool is_child(const char *name, const char *node)
{
	size_t len = strlen(node);

	if (!len)
		return !strchr(name, '.');
	return strncmp(name, node, len) == 0 && name[len] == '.' && !strchr(name + len + 1, '.');
}

static const char *leaf(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

static void class_name(const char *node, const char *suffix, char ret_name[static SCHEMA_NAME_SIZE])
{
	const struct op named = { .id = node };

	schema_name(&named, suffix, ret_name);
}

static void add_refs_of(struct buf *out, const struct nodes *nodes, const char *node)
{
	char name[SCHEMA_NAME_SIZE], room[64];

	class_name(node[0] ? node : "all", "ops", name);
	buf_addf(out, "\n\nclass %s:\n    \"\"\"%s\"\"\"\n\n", name, node[0] ? node : "The tree of all ops.");
	for (size_t i = 0; i < nodes->count; i++) {
		if (!is_child(nodes->names[i], node))
			continue;
		class_name(nodes->names[i], "ops", name);
		buf_addf(out, "    %s: Final = %s()\n", leaf(nodes->names[i]), name);
	}
	for (const struct op *const *op = ops_all; *op; op++) {
		if (is_child((*op)->id, node))
			buf_addf(out, "    %s: Final = OpRef(\"%s\")\n", python_name(leaf((*op)->id), room), (*op)->id);
	}
}

static void add_namespace(struct buf *out, const struct nodes *nodes, const char *node)
{
	char name[SCHEMA_NAME_SIZE];

	class_name(node, "namespace", name);
	buf_addf(out, "\n\nclass %s(Namespace):\n    \"\"\"The ops %s.*\"\"\"\n", name, node);
	for (size_t i = 0; i < nodes->count; i++) {
		if (!is_child(nodes->names[i], node))
			continue;
		class_name(nodes->names[i], "namespace", name);
		buf_addf(out,
			"\n    @cached_property\n    def %s(self) -> %s:\n        return %s(self._client, \"%s\")\n",
			leaf(nodes->names[i]), name, name, nodes->names[i]);
	}
	for (const struct op *const *op = ops_all; *op; op++) {
		if (is_child((*op)->id, node))
			gen_python_method(out, *op);
	}
}

/* Deeper ones first: a class stands before it is used. */
static void add_nodes(struct buf *out, const struct nodes *nodes,
	void (*add)(struct buf *out, const struct nodes *nodes, const char *node))
{
	for (size_t level = DEPTH_MAX; level-- > 0;) {
		for (size_t i = 0; i < nodes->count; i++) {
			if (depth(nodes->names[i]) == level)
				add(out, nodes, nodes->names[i]);
		}
	}
}

static void add_tree(struct buf *out, const struct nodes *nodes)
{
	char name[SCHEMA_NAME_SIZE];

	buf_adds(out, "\n\nclass Tree(Root):\n    \"\"\"The namespaces of the catalog.\"\"\"\n");
	for (size_t i = 0; i < nodes->count; i++) {
		if (depth(nodes->names[i]) > 0)
			continue;
		class_name(nodes->names[i], "namespace", name);
		buf_addf(out,
			"\n    @cached_property\n    def %s(self) -> %s:\n        return %s(self._client, \"%s\")\n",
			nodes->names[i], name, name, nodes->names[i]);
	}
}

static void add_errors(struct buf *out)
{
	buf_adds(out, "\n\nERRORS: Mapping[str, ErrorRow] = {\n");
	for (enum err_code code = ERR_NONE + 1; code < ERR_COUNT; code++) {
		const struct err_info *info = err_info(code);

		buf_addf(out, "    \"%s\": ErrorRow(%d, \"%s\", \"%s\", \"%s\", \"%s\"),\n", info->wire_code,
			info->status, info->code, info->type, info->exception, info->ecode);
	}
	buf_adds(out, "}\n");
}

static void add_head(struct buf *out, enum python_style style)
{
	buf_addf(out,
		"# SPDX-License-Identifier: Apache-2.0\n"
		"# Made by `agent-sandbox-server gen-client --lang python%s`: do not edit.\n"
		"# Catalog version %d, digest %s\n"
		"\"\"\"The catalog: models, refs, and a method for each op.\"\"\"\n"
		"from __future__ import annotations\n\n"
		"from collections.abc import Mapping, Sequence\n"
		"from functools import cached_property\n"
		"from typing import Any, ClassVar, Final, Literal, Union\n\n"
		"from pydantic import Field\n",
		style == PYTHON_TYPEDDICT ? " --result-style typeddict" : "", CATALOG_VERSION, print_digest());
	if (style == PYTHON_TYPEDDICT)
		buf_adds(out, "from typing_extensions import NotRequired, TypedDict\n");
	buf_adds(out,
		"\nfrom ._base import Body, BytesLike, ErrorRow, Event, EventStream, Model, Namespace, Op, OpRef, PathLike, "
		"Progress, Root, SyncEventStream\n\n");
	buf_addf(out, "CATALOG_VERSION = %d\nCATALOG_DIGEST = \"%s\"\nSERVER_VERSION = \"%s\"\n", CATALOG_VERSION,
		print_digest(), server_version);
}

void gen_python(struct buf *out, enum python_style style)
{
	struct nodes nodes;

	collect(&nodes);
	add_head(out, style);
	gen_python_models(out, style);
	add_errors(out);
	add_catalog(out);
	add_nodes(out, &nodes, add_refs_of);
	add_refs_of(out, &nodes, "");
	buf_adds(out, "\n\nops: Final = AllOps()\n");
	add_nodes(out, &nodes, add_namespace);
	add_tree(out, &nodes);
}
