/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/gen_nodes.h"
#include "catalog/gen_python_internal.h"
#include "catalog/print.h"
#include "catalog/schema.h"

#include <stdio.h>

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

static void add_member(struct buf *out, bool first, const char *name, const struct json *value)
{
	buf_addf(out, "%s\"%s\": ", first ? "" : ", ", name);
	add_value(out, value);
}

static void add_catalog(struct buf *out)
{
	buf_adds(out, "\n\n_CATALOG: list[dict[str, Any]] = [\n");
	for (const struct op *const *op = ops_all; *op; op++) {
		buf_adds(out, "    {");
		gen_op_members(out, *op, add_member);
		buf_adds(out, "},\n");
	}
	buf_adds(out, "]\nOPS: Mapping[str, Op] = {spec[\"id\"]: Op.from_catalog(spec) for spec in _CATALOG}\n");
}

static void add_refs_of(struct buf *out, const struct gen_nodes *nodes, const char *node)
{
	char name[SCHEMA_NAME_SIZE], room[64];

	gen_class_name(node[0] ? node : "all", "ops", name);
	buf_addf(out, "\n\nclass %s:\n    \"\"\"%s\"\"\"\n\n", name, node[0] ? node : "The tree of all ops.");
	for (size_t i = 0; i < nodes->count; i++) {
		if (!gen_is_child(nodes->names[i], node))
			continue;
		gen_class_name(nodes->names[i], "ops", name);
		buf_addf(out, "    %s: Final = %s()\n", gen_leaf(nodes->names[i]), name);
	}
	for (const struct op *const *op = ops_all; *op; op++) {
		if (gen_is_child((*op)->id, node))
			buf_addf(out, "    %s: Final = OpRef(\"%s\")\n", python_name(gen_leaf((*op)->id), room),
				(*op)->id);
	}
}

static void add_namespace(struct buf *out, const struct gen_nodes *nodes, const char *node)
{
	char name[SCHEMA_NAME_SIZE];

	gen_class_name(node, "namespace", name);
	buf_addf(out, "\n\nclass %s(Namespace):\n    \"\"\"The ops %s.*\"\"\"\n", name, node);
	for (size_t i = 0; i < nodes->count; i++) {
		if (!gen_is_child(nodes->names[i], node))
			continue;
		gen_class_name(nodes->names[i], "namespace", name);
		buf_addf(out,
			"\n    @cached_property\n    def %s(self) -> %s:\n        return %s(self._client, \"%s\")\n",
			gen_leaf(nodes->names[i]), name, name, nodes->names[i]);
	}
	for (const struct op *const *op = ops_all; *op; op++) {
		if (gen_is_child((*op)->id, node))
			gen_python_method(out, *op);
	}
}

static void add_tree(struct buf *out, const struct gen_nodes *nodes)
{
	char name[SCHEMA_NAME_SIZE];

	buf_adds(out, "\n\nclass Tree(Root):\n    \"\"\"The namespaces of the catalog.\"\"\"\n");
	for (size_t i = 0; i < nodes->count; i++) {
		if (gen_depth(nodes->names[i]) > 0)
			continue;
		gen_class_name(nodes->names[i], "namespace", name);
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
	struct gen_nodes nodes;

	gen_nodes_init(&nodes);
	add_head(out, style);
	gen_python_models(out, style);
	add_errors(out);
	add_catalog(out);
	gen_nodes_each(out, &nodes, add_refs_of);
	add_refs_of(out, &nodes, "");
	buf_adds(out, "\n\nops: Final = AllOps()\n");
	gen_nodes_each(out, &nodes, add_namespace);
	add_tree(out, &nodes);
}
