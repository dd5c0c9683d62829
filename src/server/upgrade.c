/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls over a WebSocket: their credentials, the handshake, and the transport of call/socket.h.
 *
 * A browser cannot send headers with a WebSocket.  So a token may stand among the subprotocols, as
 * abx.bearer.<base64url of it>, which is never chosen nor repeated; and a ticket in the query.
 */
#include "server/serving.h"

#include "base/base64.h"
#include "call/port.h"
#include "call/ticket.h"
#include "http/ws.h"

enum { HEADERS_MAX = 16 * 1024 };

static const char PROTOCOLS[] = "sec-websocket-protocol", BEARER[] = "abx.bearer.";

/* Each name of the header, whose lines count as one list; at walks over the fields. */
struct offered {
	const struct head *head;
	size_t at;
	struct str line;
};

static bool next_offered(struct offered *o, struct str *ret_name)
{
	for (;;) {
		if (head_list_next(&o->line, ret_name))
			return true;
		while (o->at < o->head->count && !str_is_nocase(o->head->fields[o->at].name, PROTOCOLS))
			o->at++;
		if (o->at == o->head->count)
			return false;
		o->line = o->head->fields[o->at++].value;
	}
}

/* The token among the subprotocols, decoded; p NULL when there is none. -1 with call.err when it is not one. */
static int offered_token(struct serving *s, const struct head *head, struct str *ret_token)
{
	struct offered offered = { .head = head };
	struct str name;

	*ret_token = (struct str){ NULL, 0 };
	while (next_offered(&offered, &name)) {
		ssize_t len;
		char *text;

		if (!str_starts(name, BEARER))
			continue;
		if (ret_token->p)
			return err_set(&s->call.err, ERR_AUTH_INVALID, "credentials were sent more than once");
		text = arena_strndup(&s->call.arena, name.p + sizeof BEARER - 1, name.len - (sizeof BEARER - 1));
		if (!text)
			return serve_no_memory(s);
		len = base64_decode(text, str_of(text));
		if (len <= 0)
			return err_set(&s->call.err, ERR_AUTH_INVALID,
				"the subprotocol abx.bearer must end with the base64url of a token");
		*ret_token = (struct str){ text, (size_t)len };
	}
	return 0;
}

static struct str ticket_of(struct serving *s)
{
	struct str query = s->asked->url.query;
	struct url_pair pair;

	while (url_query_next(&s->call.arena, &query, &pair) > 0) {
		if (str_is(pair.name, "ticket"))
			return pair.value;
	}
	return (struct str){ NULL, 0 };
}

/* The caller that the ticket was made for, if there still is one of this name. */
static const struct principal *by_ticket(struct serving *s, struct str text)
{
	const struct ticket *ticket = ticket_take(text, s->call.op->id);
	const struct principal *who = ticket ? policy_principal(s->policy, ticket->principal) : NULL;
	uint8_t mark[PRINCIPAL_MARK_SIZE];

	/* A token that was taken away takes its tickets with it, though another may have its name. */
	if (who && memcmp(principal_mark(who, mark), ticket->mark, sizeof mark) != 0)
		who = NULL;
	if (!who) {
		err_set(&s->call.err, ERR_AUTH_INVALID,
			"the ticket is not valid: each opens its session once within 60 seconds");
		return NULL;
	}
	if (policy_check_expiry(who, &s->call.err) < 0)
		return NULL;
	s->call.http.ticket_subject = arena_strdup(&s->call.arena, ticket->subject);
	if (!s->call.http.ticket_subject)
		serve_no_memory(s);
	return s->call.http.ticket_subject ? who : NULL;
}

static const struct principal *by_token(struct serving *s, struct str offered, struct str bearer, struct str access)
{
	const struct principal *who;

	if (!offered.p)
		return policy_authenticate(s->policy, bearer, access, &s->call.err);
	/* All that were sent must be the same. */
	who = policy_authenticate(s->policy, offered, bearer.p ? bearer : access, &s->call.err);
	return who && bearer.p && access.p ? policy_authenticate(s->policy, offered, access, &s->call.err) : who;
}

int upgrade_credentials(struct serving *s, const struct head *head, struct str bearer)
{
	struct str offered, access = head_get(head, "x-access-token"), ticket = ticket_of(s);
	const struct principal *who = NULL;

	if (offered_token(s, head, &offered) < 0)
		return -1;
	if (offered.p || bearer.p || access.p || !ticket.p) {
		who = by_token(s, offered, bearer, access);
		if (!who)
			return -1;
	}
	s->call.caller = ticket.p ? by_ticket(s, ticket) : who;
	if (s->call.caller && who && who != s->call.caller)
		return err_set(&s->call.err, ERR_AUTH_CONFLICT, "the token and the ticket are of two callers");
	return s->call.caller ? 0 : -1;
}

/* The first that was offered of those that the op knows, or -1. */
static int choose_protocol(const struct serving *s, const struct head *head)
{
	const char *const *known = s->call.op->socket->subprotocols;
	struct offered offered = { .head = head };
	struct str name;

	while (next_offered(&offered, &name)) {
		for (int i = 0; known[i]; i++) {
			if (str_is(name, known[i]))
				return i;
		}
	}
	return -1;
}

int upgrade_check(struct serving *s, const struct head *head)
{
	struct err *err = &s->call.err;

	if (head->minor == 0)
		return err_set(err, ERR_HTTP_BAD_REQUEST, "a WebSocket needs HTTP/1.1");
	if (s->asked->route.head || !head->wants_upgrade || !head_has_token(head, "upgrade", "websocket"))
		return err_set(err, ERR_HTTP_UPGRADE,
			"%s is a WebSocket: send a GET with 'Connection: Upgrade' and 'Upgrade: websocket'",
			s->call.op->id);
	if (!str_is(head_get(head, "sec-websocket-version"), "13"))
		return err_set(err, ERR_HTTP_UPGRADE, "only version 13 of WebSocket is spoken");
	if (head_count(head, "sec-websocket-key") != 1 || ws_accept(head_get(head, "sec-websocket-key"), s->accept) < 0)
		return err_set(
			err, ERR_HTTP_BAD_REQUEST, "Sec-WebSocket-Key must be there once, as 16 bytes in base64");
	s->call.http.subprotocol = choose_protocol(s, head);
	return 0;
}

static struct call *call_of(struct http_conn *c)
{
	return &((struct serving *)http_user(c))->call;
}

static struct http_conn *conn_of(struct call *call)
{
	return OWNER(call, struct serving, call)->conn;
}

static void on_message(struct http_conn *c, enum ws_opcode opcode, char *bytes, size_t len)
{
	struct serving *s = http_user(c);
	struct socket *socket = &s->call.socket;

	s->received += len;
	socket->events->on_message(socket, opcode == WS_BINARY ? SOCKET_BINARY : SOCKET_TEXT, bytes, len);
}

static void on_writable(struct http_conn *c)
{
	struct socket *socket = &call_of(c)->socket;

	socket->events->on_writable(socket);
}

static void on_close(struct http_conn *c, int code)
{
	struct socket *socket = &call_of(c)->socket;

	(void)code;
	socket->events->on_close(socket);
}

static const struct http_ws_handlers handlers = {
	.on_message = on_message,
	.on_writable = on_writable,
	.on_close = on_close,
};

/* The server ends, and so does every socket (R86); or the policy does not let its caller have it any more. */
static void on_shutdown(struct call *call)
{
	bool is_end = call->err.code == ERR_SHUTTING_DOWN;

	http_ws_close(
		conn_of(call), is_end ? WS_CLOSE_GOING_AWAY : WS_CLOSE_POLICY, err_info(call->err.code)->wire_code);
}

static void port_upgrade(struct call *call)
{
	struct serving *s = OWNER(call, struct serving, call);
	AUTOBUF struct buf headers;

	buf_init(&headers, HEADERS_MAX);
	answer_headers(s, &headers);
	buf_addf(&headers, "Sec-WebSocket-Accept: %s\r\n", s->accept);
	if (call->http.subprotocol >= 0)
		buf_addf(&headers, "Sec-WebSocket-Protocol: %s\r\n",
			call->op->socket->subprotocols[call->http.subprotocol]);
	s->answered = true;
	s->status = 101;
	call->on_shutdown = on_shutdown;
	http_upgrade(s->conn, buf_str(&headers), &handlers);
}

static size_t port_room(struct call *call)
{
	return http_ws_room(conn_of(call));
}

static void port_send(struct call *call, enum socket_kind kind, struct str bytes)
{
	http_ws_send(conn_of(call), kind == SOCKET_BINARY ? WS_BINARY : WS_TEXT, bytes);
}

static void port_wake(struct call *call)
{
	http_ws_wake(conn_of(call));
}

static void port_pause(struct call *call, bool paused)
{
	http_ws_pause(conn_of(call), paused);
}

static void port_close(struct call *call, enum socket_close code, const char *reason)
{
	http_ws_close(conn_of(call), (enum ws_close)code, reason);
}

const struct socket_port upgrade_port = {
	.upgrade = port_upgrade,
	.room = port_room,
	.send = port_send,
	.wake = port_wake,
	.pause = port_pause,
	.close = port_close,
};
