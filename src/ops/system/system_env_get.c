/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system.env.get: the variables that a program would be started with (R80), those that look
 * like secrets apart.
 */
#include "base/utf8.h"
#include "call/call.h"
#include "policy/policy.h"
#include "program/confine.h"

#include <ctype.h>

enum { NAME_MAX_BYTES = 256 };

struct in {
	const char *filter, *names;
};

struct out {
	struct list variables;
	bool lossy;
};

static const struct field params[] = {
	P_STRING(struct in, filter, F_EMPTY_OK, "Only these names, with commas between; a name may end in *."),
	P_STRING(struct in, names, F_EMPTY_OK, "The same."),
	FIELDS_END,
};

static const struct one_of one_of[] = { { .names = { "filter", "names" }, .optional = true }, { .names = { NULL } } };

static const struct field result[] = {
	R_MAP(struct out, variables, "The variables by name."),
	R_FLAG(struct out, lossy, "Bytes that are not UTF-8 were replaced."),
	FIELDS_END,
};

static bool looks_secret(struct str name)
{
	static const char *const words[] = { "TOKEN", "SECRET", "KEY", "PASSWORD", "CREDENTIAL" };
	char upper[NAME_MAX_BYTES];

	if (name.len >= sizeof upper)
		return true;
	for (size_t i = 0; i < name.len; i++)
		upper[i] = (char)toupper((unsigned char)name.p[i]);
	upper[name.len] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (strstr(upper, words[i]))
			return true;
	}
	return false;
}

static bool is_wanted(struct call *call, struct str name, const char *filter)
{
	struct str rest = str_of(filter);

	if (!filter || !filter[0])
		return true;
	while (rest.len) {
		struct str item = str_trim(str_cut(&rest, ','));
		const char *pattern = item.len ? arena_strndup(&call->arena, item.p, item.len) : NULL;

		if (pattern && child_env_matches(name, pattern))
			return true;
	}
	return false;
}

static int fill_in(struct call *call, const char *const *items, size_t count, struct out *out)
{
	const struct in *in = call_in(call, struct in);
	struct pair *pairs = call_alloc(call, (count + 1) * sizeof *pairs);

	if (!pairs)
		return -1;
	out->variables.items = pairs;
	for (size_t i = 0; i < count; i++) {
		struct str value = str_of(items[i]);
		struct str name = str_cut(&value, '=');

		if (looks_secret(name) || !is_wanted(call, name, in->filter ? in->filter : in->names))
			continue;
		pairs[out->variables.count].name = arena_strndup(&call->arena, name.p, name.len);
		if (!pairs[out->variables.count].name)
			return err_set(&call->err, ERR_BUSY, "the answer needs more memory than is left");
		pairs[out->variables.count++].value = value;
		out->lossy |= !utf8_valid(name) || !utf8_valid(value);
	}
	return 0;
}

static void start(struct call *call)
{
	struct out out = { 0 };
	struct child_env env;
	const char *const *items;

	child_env_init(&env, &call->arena);
	policy_child_env(principal_policy(call->caller), NULL, false, &env);
	confine_put_temp_dir(call->caller, NULL, &env);
	items = child_env_items(&env);
	if (!items)
		err_set(&call->err, ERR_BUSY, "the environment needs more memory than is left");
	if (!items || fill_in(call, items, env.count, &out) < 0)
		call_fail(call);
	else
		call_reply(call, &out);
}

const struct op op_system_env_get = {
	.id = "system.env.get",
	.endpoint = "env_get",
	.group = "system",
	.scope = "env:read",
	.kind = OP_JSON,
	.method = "GET",
	.path = "/env",
	.since = "0.1.0",
	.summary = "Show the variables that programs are started with.",
	.description =
		"Not the server's own. Names that hold TOKEN, SECRET, KEY, PASSWORD or CREDENTIAL are never shown.",
	.example = { .args = JSON_TEXT({ "names" : "PATH,HOME" }), .abx = "env PATH HOME" },
	.effects = OP_READS | OP_IDEMPOTENT,
	.params = params,
	.params_size = sizeof(struct in),
	.one_of = one_of,
	.result = result,
	.result_size = sizeof(struct out),
	.start = start,
};
