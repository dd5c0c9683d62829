/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal.connect: attach to a session over a WebSocket.
 */
#include "ops/terminal/messages.h"
#include "ops/terminal/viewer.h"

struct in {
	const char *session_id, *ticket;
};

static const struct field params[] = {
	P_STRING(struct in, session_id, F_REQUIRED | F_AUDIT, "The session's id."),
	P_STRING(struct in, ticket, F_SECRET, "The one-time ticket of ws_url, instead of a token."),
	FIELDS_END,
};

static void ignore_message(struct socket *s, enum socket_kind kind, char *bytes, size_t len)
{
	(void)s;
	(void)kind;
	(void)bytes;
	(void)len;
}

static void ignore(struct socket *s)
{
	(void)s;
}

static const struct socket_events refused = { .on_message = ignore_message, .on_writable = ignore, .on_close = ignore };

static void start(struct call *call)
{
	const struct in *in = call_in(call, struct in);
	struct terminal *t = terminal_find(in->session_id);
	const char *subject = call->http.ticket_subject;

	if (subject && strcmp(subject, in->session_id) != 0) {
		err_set(&call->err, ERR_AUTH_INVALID, "the ticket is for another session");
		call_fail(call);
	} else if (t) {
		viewer_start(call, t);
	} else {
		/* A browser cannot see the status of a refused upgrade, but it sees this (R33). */
		socket_close(call_upgrade(call, &refused, NULL), SOCKET_CLOSE_POLICY,
			err_info(ERR_TERMINAL_NOT_FOUND)->wire_code);
	}
}

static const enum err_code errors[] = { ERR_HTTP_UPGRADE, ERR_NONE };

const struct op op_terminal_connect = {
	.id = "terminal.connect",
	.endpoint = "pty_connect",
	.group = "terminal",
	.scope = "terminal:use",
	.kind = OP_WS,
	.method = "GET",
	.path = "/pty",
	.since = "0.1.0",
	.summary = "Attach to a terminal session.",
	.description =
		"A WebSocket, on the main port and on that of --pty-listen. First comes 'started', then what was kept of the output "
		"between 'replay' and 'live', then all output as it is written, and 'exited' after the last of it. With the "
		"subprotocol abx.pty.binary input and output are binary frames of raw bytes, and the rest stays JSON text. A token "
		"may also be offered as the subprotocol abx.bearer.<base64url of the token>. Frames of text that are none of the "
		"messages are ignored. An unknown session is closed with 1008 and the reason terminal.not_found.",
	.example = { .args = JSON_TEXT({}),
		.after = "terminal.create",
		.take = "session_id",
		.into = "session_id",
		.abx = "shell \"$session_id\"",
		.typed = "exit\\r" },
	.effects = OP_READS | OP_WRITES,
	.params = params,
	.params_size = sizeof(struct in),
	.socket = &messages_shape,
	.errors = errors,
	.start = start,
};
