/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection that has become a WebSocket, server side.
 *
 * The request's handler answers with http_upgrade() instead of http_reply().  From then on whole
 * messages come to on_message(), and on_writable() is called whenever there is room again after
 * http_ws_room() said 0, and after http_ws_wake().  Control frames, fragments, sizes, the UTF-8 of
 * text and the closing handshake are dealt with here (R34, R35): a peer that breaks the rules is
 * closed with the code for it; one that is silent is sent pings, and dropped when it answers none.
 *
 * on_close() is called exactly once, as the last thing, followed by the server's on_done();
 * never from inside a call of the handler.  What is sent after http_ws_close() is dropped.
 */
#pragma once

#include "http/http.h"
#include "wire/ws.h"

enum { HTTP_WS_LOST = -1 }; /* to on_close(): the connection broke without a closing handshake */

struct http_ws_handlers {
	/* opcode: WS_TEXT (valid UTF-8) or WS_BINARY.  The bytes are valid during the call, and may be changed. */
	void (*on_message)(struct http_conn *c, enum ws_opcode opcode, char *bytes, size_t len);
	void (*on_writable)(struct http_conn *c);
	/* code: of the first close frame of either side, or HTTP_WS_LOST. */
	void (*on_close)(struct http_conn *c, int code);
};

/* Answers 101.  headers: whole lines with CRLF, among them Sec-WebSocket-Accept.  on_writable() follows. */
void http_upgrade(struct http_conn *c, struct str headers, const struct http_ws_handlers *handlers);

size_t http_ws_room(struct http_conn *c); /* what may be sent now; after 0 comes on_writable() */
void http_ws_send(struct http_conn *c, enum ws_opcode opcode, struct str bytes); /* one message of one frame */
void http_ws_wake(struct http_conn *c);
void http_ws_pause(struct http_conn *c, bool paused); /* no more messages for now: back-pressure on the peer */
void http_ws_close(struct http_conn *c, enum ws_close code, const char *reason);
