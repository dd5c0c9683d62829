/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal.get: one session.
 */
#include "ops/terminal/terminal.h"

struct in {
	const char *id;
};

static const struct field params[] = {
	P_STRING(struct in, id, F_REQUIRED | F_AUDIT, "The session's id."),
	FIELDS_END,
};

static void start(struct call *call)
{
	const struct terminal *t = terminal_get(call, call_in(call, struct in)->id);
	struct terminal_info info;

	if (!t) {
		call_fail(call);
		return;
	}
	terminal_describe(t, &info);
	call_reply(call, &info);
}

static const enum err_code errors[] = { ERR_TERMINAL_NOT_FOUND, ERR_NONE };

const struct op op_terminal_get = {
	.id = "terminal.get",
	.endpoint = "pty_detail",
	.group = "terminal",
	.scope = "terminal:use",
	.kind = OP_JSON,
	.method = "GET",
	.path = "/pty/sessions/{id}",
	.since = "0.1.0",
	.summary = "Tell about one terminal session.",
	.description = "As terminal.list has it.",
	.example = { .args = JSON_TEXT({}), .after = "terminal.create", .take = "session_id", .into = "id" },
	.effects = OP_READS | OP_IDEMPOTENT,
	.params = params,
	.params_size = sizeof(struct in),
	.result = terminal_info_rows,
	.result_size = sizeof(struct terminal_info),
	.errors = errors,
	.start = start,
};
