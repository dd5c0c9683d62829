/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal.delete: end a session and all that runs in it.
 *
 * Everything that the session started gets SIGHUP, and SIGKILL soon after; the answer comes when
 * nothing of it is left, whatever ignored the hang-up.
 */
#include "ops/terminal/terminal.h"

struct in {
	const char *id;
};

static const struct field params[] = {
	P_STRING(struct in, id, F_REQUIRED | F_AUDIT, "The session's id."),
	FIELDS_END,
};

static const struct field result[] = {
	R_STRING(struct terminal_deleted, status, "\"closed\"."),
	R_STRING(struct terminal_deleted, session_id, "The session's id."),
	FIELDS_END,
};

static void start(struct call *call)
{
	struct terminal *t = terminal_get(call, call_in(call, struct in)->id);

	if (t)
		terminal_delete(t, call);
	else
		call_fail(call);
}

static const enum err_code errors[] = { ERR_TERMINAL_NOT_FOUND, ERR_NONE };

const struct op op_terminal_delete = {
	.id = "terminal.delete",
	.endpoint = "pty_delete_session",
	.group = "terminal",
	.scope = "terminal:use",
	.kind = OP_JSON,
	.method = "DELETE",
	.path = "/pty/sessions/{id}",
	.since = "0.1.0",
	.summary = "End a terminal session.",
	.description =
		"Hangs up everything that the session started, kills what does not go, and answers when nothing is left. A session "
		"that has ended by itself is forgotten, and what it left running is ended too.",
	.example = { .args = JSON_TEXT({}), .after = "terminal.create", .take = "session_id", .into = "id" },
	.effects = OP_WRITES,
	.params = params,
	.params_size = sizeof(struct in),
	.result = result,
	.result_size = sizeof(struct terminal_deleted),
	.errors = errors,
	.start = start,
};
