/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages both ways, for ops of kind OP_WS.
 *
 * start() answers with call_upgrade() instead of a reply; the call then lives until on_close,
 * and with it the socket.  Sending is bounded: ask socket_room() first; when it says 0, wait for
 * on_writable.  Nothing here calls the op from inside a call of the op.
 */
#pragma once

#include "base/str.h"

struct call;
struct socket;

enum socket_kind { SOCKET_TEXT, SOCKET_BINARY };

enum { SOCKET_SEND_MAX = 32 * 1024 }; /* bytes of one message that is sent (R35) */

/* Codes of a closing, as the wire has them. */
enum socket_close {
	SOCKET_CLOSE_NORMAL = 1000,
	SOCKET_CLOSE_UNSUPPORTED = 1003,
	SOCKET_CLOSE_POLICY = 1008,
	SOCKET_CLOSE_INTERNAL = 1011,
};

struct socket_events {
	/* A whole message; text is UTF-8.  The bytes are valid during the call, and may be changed. */
	void (*on_message)(struct socket *s, enum socket_kind kind, char *bytes, size_t len);
	/* There is room again, or socket_wake() was called; also once at the beginning. */
	void (*on_writable)(struct socket *s);
	/* The last thing, once: the connection is no more, whoever ended it. */
	void (*on_close)(struct socket *s);
};

struct socket {
	struct call *call;
	const struct socket_events *events;
	void *user; /* the op's */
};

/* Finishes the call.  The socket is a part of it. */
struct socket *call_upgrade(struct call *call, const struct socket_events *events, void *user);

size_t socket_room(struct socket *s);
void socket_send(struct socket *s, enum socket_kind kind, struct str bytes);
/* A text message by the rows of op->socket->server_messages[index]; it must fit SOCKET_SEND_MAX. */
void socket_message(struct socket *s, unsigned index, const void *fields);
void socket_wake(struct socket *s);
void socket_pause(struct socket *s, bool paused); /* no messages for now: the peer has to wait */

/* What is sent after it is dropped; messages do not come any more, on_close does. */
void socket_close(struct socket *s, enum socket_close code, const char *reason);
