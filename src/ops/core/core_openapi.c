/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core.openapi: OpenAPI 3.1 of everything that this server serves: ops that are switched off are not shown.
 */
#include "call/call.h"
#include "catalog/openapi.h"
#include "policy/policy.h"

enum { PART_MAX = 16 * 1024 * 1024 };

struct out {
	const char *openapi;
	struct str info, servers, security, tags, paths, components;
};

static const struct field result[] = {
	R_STRING(struct out, openapi, "Version of OpenAPI."),
	R_JSON(struct out, info, "Name, versions and digest."),
	R_JSON(struct out, servers, "Where paths start."),
	R_JSON(struct out, security, "How a caller shows its token."),
	R_JSON(struct out, tags, "The groups of ops."),
	R_JSON(struct out, paths, "The ops by path and method; an operationId is an op's id."),
	R_JSON(struct out, components, "What the paths refer to."),
	FIELDS_END,
};

static bool is_enabled(const struct op *op, void *user)
{
	const struct call *call = user;
	char rule[ERR_RULE_MAX];

	return policy_op_enabled(principal_policy(call->caller), op, rule);
}

/* What a writer wrote, in the call's memory; p NULL with call->err when there is none left. */
static struct str keep(struct call *call, struct buf *text)
{
	struct str kept = { NULL, text->len };

	if (!buf_failed(text))
		kept.p = arena_strndup(&call->arena, text->data, text->len);
	if (!kept.p)
		err_set(&call->err, ERR_BUSY, "the document needs more memory than is left");
	buf_free(text);
	return kept;
}

static struct str constant(struct call *call, void (*write)(struct json_writer *w))
{
	struct json_writer w;
	struct buf text;

	buf_init(&text, PART_MAX);
	json_write_init(&w, &text);
	write(&w);
	return keep(call, &text);
}

static struct str part(struct call *call, void (*write)(struct json_writer *w, const struct openapi *api))
{
	struct openapi api = { .ops = call->ops, .wanted = is_enabled, .user = call };
	struct json_writer w;
	struct buf text;

	buf_init(&text, PART_MAX);
	json_write_init(&w, &text);
	write(&w, &api);
	return keep(call, &text);
}

static int work(struct call *call)
{
	struct out *out = call_out(call, struct out);

	*out = (struct out){
		.openapi = OPENAPI_VERSION,
		.info = constant(call, openapi_info),
		.servers = constant(call, openapi_servers),
		.security = constant(call, openapi_security),
		.tags = part(call, openapi_tags),
		.paths = part(call, openapi_paths),
		.components = part(call, openapi_components),
	};
	return out->info.p && out->servers.p && out->security.p && out->tags.p && out->paths.p && out->components.p
		       ? 0
		       : -1;
}

const struct op op_core_openapi = {
	.id = "core.openapi",
	.group = "core",
	.scope = "core:read",
	.kind = OP_JSON,
	.method = "GET",
	.path = "/openapi.json",
	.since = "0.1.0",
	.summary = "Describe the server as OpenAPI 3.1.",
	.description = "Made from the same rows as everything else; ops that are switched off are left out.",
	.example = { .args = JSON_TEXT({}) },
	.effects = OP_READS | OP_IDEMPOTENT,
	.result = result,
	.result_size = sizeof(struct out),
	.work = work,
};
