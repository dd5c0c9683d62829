/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the generators of client sources share: the tree that the ids of the ops span, and the
 * part of an op's description that a client needs to make a request of a call.
 */
#pragma once

#include "base/json.h"
#include "catalog/op.h"
#include "catalog/schema.h"

enum { GEN_NODES_MAX = 128, GEN_NODE_SIZE = 128, GEN_DEPTH_MAX = 6 };

/* The dotted names that have something below them, in order of their coming. */
struct gen_nodes {
	char names[GEN_NODES_MAX][GEN_NODE_SIZE];
	size_t count;
};

void gen_nodes_init(struct gen_nodes *nodes);

/* Calls add() for each, deeper ones first: what is used stands before its use. */
void gen_nodes_each(struct buf *out, const struct gen_nodes *nodes,
	void (*add)(struct buf *out, const struct gen_nodes *nodes, const char *node));

size_t gen_depth(const char *node);                    /* dots in it */
bool gen_is_child(const char *name, const char *node); /* directly below; "" is the top */
const char *gen_leaf(const char *name);                /* its last part */
void gen_class_name(const char *node, const char *suffix, char ret_name[static SCHEMA_NAME_SIZE]);

/*
 * An op for a client's runtime: calls add() with a JSON tree of each member that is kept; types of
 * answers are classes already.
 */
void gen_op_members(struct buf *out, const struct op *op,
	void (*add)(struct buf *out, bool first, const char *name, const struct json *value));

/* Whether the answer is content that JSON would wrap in base64: clients take the bytes themselves. */
bool gen_gives_bytes(const struct op *op);

/* Whether a raw body may be sent on condition of an If-Match. */
bool gen_takes_tag(const struct op *op);
