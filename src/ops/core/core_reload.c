/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core.reload: read the policy again.
 *
 * All or nothing: a file with an error changes nothing.  It runs on the loop, because the new
 * policy must take the place of the old one between two calls; the files are small and local.
 */
#include "call/call.h"

struct out {
	bool reloaded;
};

static const struct field result[] = {
	R_BOOL(struct out, reloaded, "Always true: a failure is an error."),
	FIELDS_END,
};

static void start(struct call *call)
{
	static const struct out out = { true };

	if (call_host->reload(&call->err) < 0)
		call_fail(call);
	else
		call_reply(call, &out);
}

static const enum err_code errors[] = { ERR_ARGS_INVALID, ERR_NONE };

const struct op op_core_reload = {
	.id = "core.reload",
	.group = "core",
	.scope = "admin",
	.kind = OP_JSON,
	.method = "POST",
	.path = "/reload",
	.since = "0.1.0",
	.summary = "Read the policy file again.",
	.description =
		"All or nothing: a file with an error changes nothing and is answered with file, line, column and "
		"reason. SIGHUP does the same. Running calls keep the policy that they began with.",
	.example = { .args = JSON_TEXT({}) },
	.effects = OP_WRITES | OP_IDEMPOTENT,
	.result = result,
	.result_size = sizeof(struct out),
	.errors = errors,
	.start = start,
};
