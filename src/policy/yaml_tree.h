/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A YAML text as a tree of maps, lists and scalars, each with its place in the text.
 *
 * One document only.  Refused besides bad YAML: anchors, aliases and tags (a small text must
 * not become a large tree, and a value is what it looks like), keys that are not scalars or
 * stand twice in a map, NUL in a scalar, and what is larger or deeper than the limits below.
 */
#pragma once

#include "base/err.h"
#include "policy/hold.h"

enum { YAML_TREE_BYTES = 256 * 1024, YAML_TREE_DEPTH = 16, YAML_TREE_KEYS = 1024 };

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP };

struct yaml_node {
	enum yaml_kind kind;
	bool quoted;         /* a scalar in quotes or a block: a text whatever it looks like */
	const char *text;    /* of a scalar */
	const char *key;     /* of a member of a map, else NULL */
	size_t line, column; /* of the key where there is one; from 1 */
	size_t value_line, value_column;
	struct yaml_node *first, *next;
	size_t count; /* members or items */
};

/* The tree, in memory of `hold`; NULL with err, whose text begins with "NAME:LINE:COLUMN: ".  An empty text is an empty map. */
struct yaml_node *yaml_tree_parse(struct hold *hold, const char *name, struct str text, struct err *err);

const struct yaml_node *yaml_tree_get(const struct yaml_node *map, const char *key); /* NULL when absent */
