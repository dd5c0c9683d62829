/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core.capabilities: what this server offers, and what of it this caller may use.
 *
 * The union body that every generation of client understands: "ops" and "endpoints" hold the
 * same facts under both names, "groups" is what v1 clients read.
 */
#include "call/call.h"
#include "catalog/print.h"
#include "custom/custom.h"
#include "policy/policy.h"
#include "program/confine.h"
#include "program/launch.h"

enum { BODY_VERSION = 2, TEXT_MAX = 4 * 1024 * 1024 };

struct server {
	const char *name, *version;
};
struct who {
	const char *name;
	struct list scopes;
};
struct paths {
	const char *base;
	struct list roots, readonly, deny;
};

struct out {
	int64_t version;
	struct server server;
	int64_t catalog_version;
	const char *catalog_digest;
	struct who principal;
	struct str ops, endpoints, groups;
	struct paths paths;
	struct list features;
	struct confine_receipt confinement;
};

static const struct field server_rows[] = {
	R_STRING(struct server, name, "Always \"agent-sandbox-server\"."),
	R_STRING(struct server, version, "Version of the server."),
	FIELDS_END,
};

static const struct field who_rows[] = {
	R_STRING(struct who, name, "Name of the caller's token, or \"local\" where no token is configured."),
	R_STRINGS(struct who, scopes, "What the caller holds."),
	FIELDS_END,
};

static const struct field paths_rows[] = {
	R_STRING(struct paths, base, "Where relative paths start."),
	R_STRINGS(struct paths, roots, "Folders that the caller may reach."),
	R_STRINGS(struct paths, readonly,
		"Patterns of what may only be read: absolute, or with ** in front for any folder."),
	R_STRINGS(struct paths, deny, "Patterns of what may not be reached, likewise."),
	FIELDS_END,
};

static const struct field confine_rows[] = {
	R_STRING(struct confine_receipt, mode, "What the policy asks for: off, paths or best_effort."),
	R_BOOL(struct confine_receipt, filesystem, "Whether programs are held to the roots by the kernel."),
	R_BOOL(struct confine_receipt, signals, "Whether programs are kept from signalling the server and others."),
	R_STRING(struct confine_receipt, network, "inherit, none, or tcp_denied where only TCP could be closed."),
	R_INT(struct confine_receipt, landlock_abi, "What the kernel's Landlock knows; 0 none."),
	R_STRINGS(struct confine_receipt, missing, "What was asked for and cannot be had here."),
	FIELDS_END,
};

static const struct field result[] = {
	R_INT(struct out, version, "Version of this body."),
	R_OBJECT(struct out, server, struct server, "ServerInfo", server_rows, "The server."),
	R_INT(struct out, catalog_version, "Version of the catalog's shape."),
	R_STRING(struct out, catalog_digest, "Digest of the catalog of built-in ops."),
	R_OBJECT(struct out, principal, struct who, "Principal", who_rows, "The caller."),
	R_JSON(struct out, ops, "By op id: enabled, allowed, scope, group, kind, rule, limits."),
	R_JSON(struct out, endpoints, "The same by endpoint id."),
	R_JSON(struct out, groups, "By name: whether the group is switched on."),
	R_OBJECT(struct out, paths, struct paths, "PathFacts", paths_rows, "The caller's paths."),
	R_STRINGS(struct out, features, "What this server can do beyond its ops."),
	R_OBJECT(struct out, confinement, struct confine_receipt, "Confinement", confine_rows,
		"What holds the programs that are started."),
	FIELDS_END,
};

static const char *const features[] = { "sse", "raw", "range", "etag", "multipart", "request-id" };

/* With what the policy makes of this server: a browser that is switched on and would run as root has no sandbox of its own. */
static struct list list_features(struct call *call)
{
	const struct policy *policy = principal_policy(call->caller);
	const char **list = arena_array(&call->arena, const char *, ARRAY_LEN(features) + 1);
	struct list all = { list, ARRAY_LEN(features) };

	if (!list)
		return (struct list){ (void *)features, ARRAY_LEN(features) };
	memcpy(list, features, sizeof features);
	if (policy_group_enabled(policy, "browser") && launch_is_root(policy))
		list[all.count++] = "browser-no-sandbox";
	return all;
}

static void write_op(const struct call *call, const struct op *op, struct json_writer *w)
{
	static const char *const kinds[] = { [OP_JSON] = "json", [OP_SSE] = "sse", [OP_RAW] = "raw", [OP_WS] = "ws" };
	char rule[ERR_RULE_MAX];
	bool enabled = policy_op_enabled(principal_policy(call->caller), op, rule);
	struct err err = { .code = ERR_NONE };
	bool allowed = !op->scope || policy_check_op(call->caller, op, &err) == 0;

	json_object_begin(w);
	json_key(w, "enabled");
	json_bool(w, enabled);
	json_key(w, "allowed");
	json_bool(w, allowed);
	json_key(w, "scope");
	json_string(w, op->scope);
	json_key(w, "group");
	json_string(w, op->group);
	json_key(w, "kind");
	json_string(w, kinds[op->kind]);
	if (!allowed && err.rule[0]) {
		json_key(w, "rule");
		json_string(w, err.rule);
	}
	json_key(w, "limits");
	json_object_begin(w);
	for (const struct limit *limit = op->limits; limit && limit->name; limit++) {
		json_key(w, limit->name);
		json_int(w, policy_limit(call->caller, op, limit->name));
	}
	json_object_end(w);
	json_object_end(w);
}

static void write_ops(const struct call *call, struct json_writer *w, bool by_endpoint)
{
	json_object_begin(w);
	for (const struct op *const *op = call->ops; *op; op++) {
		const char *name = by_endpoint ? (*op)->endpoint : (*op)->id;

		if (name && !(by_endpoint && (*op)->is_dynamic)) {
			json_key(w, name);
			write_op(call, *op, w);
		}
	}
	/* The template author's commands share one endpoint. */
	if (by_endpoint) {
		json_key(w, custom_any.endpoint);
		write_op(call, &custom_any, w);
	}
	json_object_end(w);
}

static void write_groups(const struct call *call, struct json_writer *w)
{
	json_object_begin(w);
	for (const char *const *group = policy_groups; *group; group++) {
		json_key(w, *group);
		json_bool(w, policy_group_enabled(principal_policy(call->caller), *group));
	}
	json_object_end(w);
}

/* What a writer wrote, in the call's memory; p NULL with call->err when there is none left. */
static struct str keep(struct call *call, struct buf *text)
{
	struct str kept = { text->data ? arena_strndup(&call->arena, text->data, text->len) : NULL, text->len };

	if (!kept.p)
		err_set(&call->err, ERR_BUSY, "the answer needs more memory than is left");
	buf_free(text);
	return kept;
}

static struct str ops_text(struct call *call, bool by_endpoint)
{
	struct json_writer w;
	struct buf text;

	buf_init(&text, TEXT_MAX);
	json_write_init(&w, &text);
	write_ops(call, &w, by_endpoint);
	return keep(call, &text);
}

static struct str groups_text(struct call *call)
{
	struct json_writer w;
	struct buf text;

	buf_init(&text, TEXT_MAX);
	json_write_init(&w, &text);
	write_groups(call, &w);
	return keep(call, &text);
}

static int work(struct call *call)
{
	struct out *out = call_out(call, struct out);
	struct policy_facts facts;

	policy_facts(call->caller, &facts);
	*out = (struct out){
		.version = BODY_VERSION,
		.server = { "agent-sandbox-server", server_version },
		.catalog_version = CATALOG_VERSION,
		.catalog_digest = print_digest(),
		.principal = { principal_name(call->caller), *principal_scopes(call->caller) },
		.ops = ops_text(call, false),
		.endpoints = ops_text(call, true),
		.groups = groups_text(call),
		.paths = { facts.base, facts.roots, facts.readonly, facts.deny },
		.features = list_features(call),
	};
	confine_receipt(principal_policy(call->caller), &out->confinement);
	return out->ops.p && out->endpoints.p && out->groups.p ? 0 : -1;
}

const struct op op_core_capabilities = {
	.id = "core.capabilities",
	.endpoint = "capabilities",
	.group = "core",
	.scope = "core:read",
	.kind = OP_JSON,
	.method = "GET",
	.path = "/capabilities",
	.since = "0.1.0",
	.summary = "Tell what this server offers and what the caller may use.",
	.description =
		"'enabled' is the server's switch, 'allowed' whether this caller may call it; 'rule' says why not.",
	.example = { .args = JSON_TEXT({}) },
	.effects = OP_READS | OP_IDEMPOTENT,
	.result = result,
	.result_size = sizeof(struct out),
	.work = work,
};
