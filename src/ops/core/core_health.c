/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core.health: whether the server answers.
 *
 * Open to everybody, so it tells nothing else, and touches nothing that could wait.
 */
#include "call/call.h"

struct out {
	const char *status;
};

static const struct field result[] = {
	R_STRING(struct out, status, "Always \"ok\"."),
	FIELDS_END,
};

static void start(struct call *call)
{
	static const struct out out = { "ok" };

	call_reply(call, &out);
}

const struct op op_core_health = {
	.id = "core.health",
	.endpoint = "health",
	.group = "core",
	.scope = NULL,
	.kind = OP_JSON,
	.method = "GET",
	.path = "/health",
	.since = "0.1.0",
	.summary = "Tell whether the server answers.",
	.description = "Needs no token and says nothing but that the server is up.",
	.example = { .args = JSON_TEXT({}) },
	.effects = OP_READS | OP_IDEMPOTENT,
	.result = result,
	.result_size = sizeof(struct out),
	.start = start,
};
