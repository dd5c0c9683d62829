/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal.resize: another size; the program is told with SIGWINCH.
 */
#include "ops/terminal/terminal.h"

struct in {
	const char *id;
	int64_t cols, rows;
};

struct out {
	const char *session_id;
	int64_t cols, rows;
};

static const struct field params[] = {
	P_STRING(struct in, id, F_REQUIRED | F_AUDIT, "The session's id."),
	P_INT_REQUIRED(struct in, cols, 1, TERMINAL_SIDE_MAX, "Columns."),
	P_INT_REQUIRED(struct in, rows, 1, TERMINAL_SIDE_MAX, "Rows."),
	FIELDS_END,
};

static const struct field result[] = {
	R_STRING(struct out, session_id, "The session's id."),
	R_INT(struct out, cols, "Columns, as they are now."),
	R_INT(struct out, rows, "Rows, as they are now."),
	FIELDS_END,
};

static void start(struct call *call)
{
	const struct in *in = call_in(call, struct in);
	struct terminal *t = terminal_get(call, in->id);
	struct out out;

	if (!t || terminal_resize(t, (unsigned)in->cols, (unsigned)in->rows, &call->err) < 0) {
		call_fail(call);
		return;
	}
	out = (struct out){ t->id, in->cols, in->rows };
	call_reply(call, &out);
}

static const enum err_code errors[] = { ERR_TERMINAL_NOT_FOUND, ERR_TERMINAL_CLOSED, ERR_NONE };

const struct op op_terminal_resize = {
	.id = "terminal.resize",
	.endpoint = "pty_resize",
	.group = "terminal",
	.scope = "terminal:use",
	.kind = OP_JSON,
	.method = "POST",
	.path = "/pty/sessions/{id}/resize",
	.since = "0.1.0",
	.summary = "Change the size of a terminal.",
	.description = "There is one size for all clients of a session: the last that was set.",
	.example = { .args = JSON_TEXT({ "cols" : 120, "rows" : 40 }),
		.after = "terminal.create",
		.take = "session_id",
		.into = "id" },
	.effects = OP_WRITES | OP_IDEMPOTENT,
	.params = params,
	.params_size = sizeof(struct in),
	.result = result,
	.result_size = sizeof(struct out),
	.errors = errors,
	.start = start,
};
