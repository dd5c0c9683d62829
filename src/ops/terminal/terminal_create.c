/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal.create: start a program on a pseudo-terminal.
 *
 * The answer holds a URL that is usable as it is, also by a browser: it carries a ticket for one
 * connection to this session within a minute.
 */
#include "call/ticket.h"
#include "ops/terminal/terminal.h"

#include <stdio.h>

enum { SCROLLBACK_MAX = 4 * 1024 * 1024, URL_ROOM = 160 };

struct in {
	struct command command;
	int64_t cols, rows, scrollback_bytes;
};

struct out {
	const char *session_id, *ws_url;
	int64_t pid;
};

static const struct field params[] = {
	COMMAND_PARAMS(struct in, command),
	P_INT(struct in, cols, 80, 1, TERMINAL_SIDE_MAX, "Columns."),
	P_INT(struct in, rows, 24, 1, TERMINAL_SIDE_MAX, "Rows."),
	P_INT(struct in, scrollback_bytes, 262144, 0, SCROLLBACK_MAX,
		"How much of the output is kept for those who attach later."),
	FIELDS_END,
};

static const struct one_of one_of[] = { { .names = { "command", "argv" }, .optional = true }, { .names = { NULL } } };

static const struct field result[] = {
	R_STRING(struct out, session_id, "The session's id."),
	R_STRING(struct out, ws_url, "Where to attach: with a ticket that opens this session once within 60 seconds."),
	R_INT(struct out, pid, "Process id of the program."),
	FIELDS_END,
};

static const char *make_url(struct call *call, const struct terminal *t)
{
	char ticket[TICKET_SIZE];
	size_t size;
	char *url;

	if (ticket_make(call, "terminal.connect", t->id, ticket) < 0)
		return NULL;
	size = strlen(call->http.ws_base) + URL_ROOM;
	url = call_alloc(call, size);
	if (url)
		snprintf(url, size, "%s/pty?session_id=%s&ticket=%s", call->http.ws_base, t->id, ticket);
	return url;
}

static int permit(struct call *call)
{
	return command_permit(call, &call_in(call, struct in)->command);
}

static void start(struct call *call)
{
	struct in *in = call_in(call, struct in);
	struct terminal *t;
	struct out out;

	in->command.columns = (unsigned)in->cols;
	in->command.rows = (unsigned)in->rows;
	t = terminal_start(call, &in->command, (size_t)in->scrollback_bytes);
	if (!t) {
		call_fail(call);
		return;
	}
	out = (struct out){ t->id, make_url(call, t), t->pid };
	if (out.ws_url) {
		call_reply(call, &out);
		return;
	}
	terminal_abandon(t);
	call_fail(call);
}

static const enum err_code errors[] = { COMMAND_ERRORS, ERR_LIMIT_TOO_MANY, ERR_NONE };

static const struct limit limits[] = {
	{ "max_sessions", 10, 1000, ERR_LIMIT_TOO_MANY, "Most sessions whose program runs." },
	{ "idle_timeout", 1800, 1 << 30, ERR_NONE,
		"Seconds without any client and any output after which a session is hung up; 0 is never." },
	{ .name = NULL },
};

const struct op op_terminal_create = {
	.id = "terminal.create",
	.endpoint = "pty_create_session",
	.group = "terminal",
	.scope = "terminal:use",
	.kind = OP_JSON,
	.method = "POST",
	.path = "/pty/sessions",
	.since = "0.1.0",
	.summary = "Start a program on a terminal.",
	.description =
		"Without 'command' and 'argv' the shell is started as a login shell. The program has a controlling terminal of the "
		"given size from its first instruction on, and TERM=xterm-256color. It lives on when nobody is attached, and its "
		"output is read and kept all the same, the newest scrollback_bytes of it.",
	.example = { .args = JSON_TEXT({ "cwd" : "demo", "cols" : 100, "rows" : 30 }) },
	.effects = OP_RUNS | OP_READS | OP_WRITES,
	.params = params,
	.params_size = sizeof(struct in),
	.one_of = one_of,
	.result = result,
	.result_size = sizeof(struct out),
	.errors = errors,
	.limits = limits,
	.permit = permit,
	.start = start,
};
