/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An op as the server's own catalog describes it, and arguments made by that: a new op needs
 * no new abx.
 */
#pragma once

#include "cli/args.h"
#include "cli/cli.h"

/* GET /ops/{id}; *ret_op points into the reply. */
int catalog_op_get(struct cli *cli, const char *id, struct reply *ret_reply, const struct json **ret_op) MUST_CHECK;

/*
 * The object of arguments from --json, --arg K=V and --file K=@PATH, converted by the types of
 * the op's parameters.  Names that the op does not know go as strings: the server says what is
 * wrong with them.
 */
int catalog_op_args(struct cli *cli, const struct json *op, const struct args *args, struct buf *to) MUST_CHECK;

/* The same as a query, for ops that take bytes as their body; '?' included where there is any. */
int catalog_op_query(struct cli *cli, const struct args *args, struct buf *to) MUST_CHECK;

bool catalog_op_is_read(const struct json *op);
