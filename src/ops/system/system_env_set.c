/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system.env.set: variables for the programs that are started from now on; all of them or none.
 */
#include "call/call.h"
#include "policy/overlay.h"
#include "policy/policy.h"

enum { VARIABLES_MAX = 1000, BYTES_DEFAULT = 256 * 1024, BYTES_MAX = 1024 * 1024, VARIABLE_MAX = 131071 };

struct in {
	struct list vars;
};

struct out {
	struct list updated;
};

static const struct field params[] = {
	P_MAP(struct in, vars, F_REQUIRED | F_NULLABLE | F_AUDIT, "Variables by name; null takes one away."),
	FIELDS_END,
};

static const struct field result[] = {
	R_STRINGS(struct out, updated, "The names, in the order given."),
	FIELDS_END,
};

static int permit(struct call *call)
{
	const struct list *vars = &call_in(call, struct in)->vars;
	const struct pair *pairs = vars->items;

	for (size_t i = 0; i < vars->count; i++) {
		if (policy_check_env_set(call->caller, str_of(pairs[i].name), &call->err) < 0)
			return -1;
	}
	return 0;
}

static int check(struct call *call, const struct list *vars)
{
	const struct pair *pairs = vars->items;
	size_t max = (size_t)call_limit(call, "max_bytes"), bytes = overlay_bytes();

	if (vars->count > VARIABLES_MAX)
		return err_set(&call->err, ERR_ARGS_INVALID, "parameter 'vars' has %zu variables; at most %d are taken",
			vars->count, VARIABLES_MAX);
	if (permit(call) < 0)
		return -1;
	for (size_t i = 0; i < vars->count; i++) {
		const struct pair *pair = &pairs[i];

		if (strlen(pair->name) + 1 + pair->value.len > VARIABLE_MAX)
			return err_set(&call->err, ERR_ARGS_INVALID,
				"the variable '%.60s' is too long; the system takes at most %d bytes", pair->name,
				VARIABLE_MAX);
		bytes += overlay_growth(pair->name, pair->value);
	}
	if (bytes > max)
		return call_over_limit(call, "max_bytes", &call->err,
			"the variables would have %zu bytes in all; at most %zu are kept (max_bytes)", bytes, max);
	return 0;
}

static void start(struct call *call)
{
	const struct list *vars = &call_in(call, struct in)->vars;
	const struct pair *pairs = vars->items;
	const char **names = call_alloc(call, (vars->count + 1) * sizeof *names);
	struct out out = { { names, vars->count } };

	if (!names || check(call, vars) < 0) {
		call_fail(call);
		return;
	}
	for (size_t i = 0; i < vars->count; i++) {
		names[i] = pairs[i].name;
		overlay_set(names[i], pairs[i].is_null ? (struct str){ NULL, 0 } : pairs[i].value);
	}
	call_reply(call, &out);
}

static const enum err_code errors[] = { ERR_POLICY_ENV, ERR_NONE };

static const struct limit limits[] = {
	{ "max_bytes", BYTES_DEFAULT, BYTES_MAX, ERR_ARGS_INVALID,
		"Most bytes of all names and values that were set." },
	{ .name = NULL },
};

const struct op op_system_env_set = {
	.id = "system.env.set",
	.endpoint = "env_set",
	.group = "system",
	.scope = "env:write",
	.kind = OP_JSON,
	.method = "POST",
	.path = "/env",
	.since = "0.1.0",
	.summary = "Set variables for the programs that are started from now on.",
	.description =
		"All of them or none; running programs keep theirs. Kept until the server ends. Variables that load code or say "
		"who a program is (PATH, HOME, LD_*, PYTHON*, …) are protected.",
	.example = { .args = JSON_TEXT({ "vars" : { "EDITOR" : "ed", "PAGER" : null } }) },
	.effects = OP_WRITES | OP_IDEMPOTENT,
	.params = params,
	.params_size = sizeof(struct in),
	.result = result,
	.result_size = sizeof(struct out),
	.errors = errors,
	.limits = limits,
	.permit = permit,
	.start = start,
};
