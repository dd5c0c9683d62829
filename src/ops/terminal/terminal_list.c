/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal.list: the sessions, those that have ended a short while ago too.
 */
#include "ops/terminal/terminal.h"

struct out {
	struct list sessions;
};

static const struct field result[] = {
	R_OBJECTS(struct out, sessions, struct terminal_info, "TerminalSession", terminal_info_rows,
		"In the order of their creation."),
	FIELDS_END,
};

static void start(struct call *call)
{
	struct terminal_info *items;
	struct out out = { { NULL, 0 } };
	size_t count = 0;

	for (const struct terminal *t = NULL; (t = terminal_next(t));)
		count++;
	items = call_alloc(call, (count + 1) * sizeof *items);
	if (!items) {
		call_fail(call);
		return;
	}
	for (const struct terminal *t = NULL; (t = terminal_next(t));)
		terminal_describe(t, &items[out.sessions.count++]);
	out.sessions.items = items;
	call_reply(call, &out);
}

const struct op op_terminal_list = {
	.id = "terminal.list",
	.endpoint = "pty_list_sessions",
	.group = "terminal",
	.scope = "terminal:use",
	.kind = OP_JSON,
	.method = "GET",
	.path = "/pty/sessions",
	.since = "0.1.0",
	.summary = "List the terminal sessions.",
	.description =
		"A session whose program has ended stays for a minute after that, or after its last client has left.",
	.example = { .args = JSON_TEXT({}) },
	.effects = OP_READS | OP_IDEMPOTENT,
	.result = result,
	.result_size = sizeof(struct out),
	.start = start,
};
