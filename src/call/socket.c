/* SPDX-License-Identifier: Apache-2.0 */
#include "call/socket.h"

#include "call/port.h"
#include "catalog/write.h"

#include <assert.h>

static const struct socket_port *port_of(const struct socket *s)
{
	return s->call->port->socket;
}

struct socket *call_upgrade(struct call *call, const struct socket_events *events, void *user)
{
	assert(!call->finished && call->op->kind == OP_WS);
	call->finished = true;
	call->socket = (struct socket){ call, events, user };
	call->port->socket->upgrade(call);
	return &call->socket;
}

size_t socket_room(struct socket *s)
{
	return port_of(s)->room(s->call);
}

void socket_send(struct socket *s, enum socket_kind kind, struct str bytes)
{
	assert(bytes.len <= SOCKET_SEND_MAX);
	port_of(s)->send(s->call, kind, bytes);
}

void socket_message(struct socket *s, unsigned index, const void *fields)
{
	struct json_writer w;
	AUTOBUF struct buf text;

	buf_init(&text, SOCKET_SEND_MAX);
	json_write_init(&w, &text);
	write_json(&w, s->call->op->socket->server_messages[index].fields, fields);
	assert(!buf_failed(&text));
	socket_send(s, SOCKET_TEXT, buf_str(&text));
}

void socket_wake(struct socket *s)
{
	port_of(s)->wake(s->call);
}

void socket_pause(struct socket *s, bool paused)
{
	port_of(s)->pause(s->call, paused);
}

void socket_close(struct socket *s, enum socket_close code, const char *reason)
{
	port_of(s)->close(s->call, code, reason);
}
