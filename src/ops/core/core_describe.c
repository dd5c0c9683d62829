/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core.describe: the catalog, as far as this caller may call it.
 *
 * GET /ops gives all of them; with an id just that one, in the same envelope.
 */
#include "call/call.h"
#include "catalog/print.h"
#include "policy/policy.h"

enum { CATALOG_MAX = 16 * 1024 * 1024 };

struct in {
	const char *id;
};

struct out {
	int64_t catalog_version;
	const char *digest, *server_version;
	struct str ops;
};

static const struct field params[] = {
	P_STRING(struct in, id, 0, "Id or endpoint id of one op; without it all are given."),
	FIELDS_END,
};

static const struct field result[] = {
	R_INT(struct out, catalog_version, "Version of the catalog's shape."),
	R_STRING(struct out, digest, "SHA-256 of the canonical JSON of all built-in ops without descriptions."),
	R_STRING(struct out, server_version, "Version of the server."),
	R_JSON(struct out, ops, "The ops, in the shape of the catalog."),
	FIELDS_END,
};

static bool may_call(const struct call *call, const struct op *op)
{
	struct err err;

	return !op->scope || policy_check_op(call->caller, op, &err) == 0;
}

static int print_ops(struct call *call, const struct op *only, struct buf *text)
{
	struct json_writer w;

	json_write_init(&w, text);
	json_array_begin(&w);
	for (const struct op *const *op = call->ops; *op; op++) {
		if ((!only || only == *op) && may_call(call, *op))
			print_op(&w, *op, true);
	}
	json_array_end(&w);
	return buf_failed(text) ? err_set(&call->err, ERR_BUSY, "the catalog needs more memory than is left") : 0;
}

static int work(struct call *call)
{
	const struct in *in = call_in(call, struct in);
	struct out *out = call_out(call, struct out);
	const struct op *only = in->id ? op_find_in(call->ops, str_of(in->id)) : NULL;
	AUTOBUF struct buf text;

	buf_init(&text, CATALOG_MAX);
	if (in->id && !only)
		return err_set(&call->err, ERR_OP_UNKNOWN, "no op has the id '%s'", in->id);
	if (only && only->scope && policy_check_op(call->caller, only, &call->err) < 0)
		return -1;
	if (print_ops(call, only, &text) < 0)
		return -1;
	*out = (struct out){
		.catalog_version = CATALOG_VERSION,
		.digest = print_digest(),
		.server_version = server_version,
		.ops = { arena_strndup(&call->arena, text.data, text.len), text.len },
	};
	return out->ops.p ? 0 : err_set(&call->err, ERR_BUSY, "the catalog needs more memory than is left");
}

static const enum err_code errors[] = { ERR_OP_UNKNOWN, ERR_NONE };

const struct op op_core_describe = {
	.id = "core.describe",
	.group = "core",
	.scope = "core:read",
	.kind = OP_JSON,
	.method = "GET",
	.path = "/ops",
	.also = "/ops/{id}",
	.since = "0.1.0",
	.summary = "Describe the ops that the caller may call.",
	.description = "One shape for this answer, for describe --json and for catalog/operations.json.",
	.example = { .args = JSON_TEXT({ "id" : "files.list" }) },
	.effects = OP_READS | OP_IDEMPOTENT,
	.params = params,
	.params_size = sizeof(struct in),
	.result = result,
	.result_size = sizeof(struct out),
	.errors = errors,
	.work = work,
};
