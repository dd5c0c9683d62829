/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One connection and its current request; shared by the files of this folder.
 * Owned by the server's list; conn_free() is the one way out of it.
 */
#pragma once

#include "base/list.h"
#include "http/http.h"
#include "wire/chunked.h"

enum conn_state {
	CONN_HEAD,     /* between requests, or reading a head */
	CONN_REQUEST,  /* the handler has it */
	CONN_REPLY,    /* the answer is being sent */
	CONN_UPGRADED, /* a WebSocket (ws.c) */
	CONN_LINGER,   /* sent; the peer is given a moment to read it before the close */
	CONN_DEAD,     /* the socket is closed; the handler has not answered yet */
	CONN_LOST,     /* it answered with an upgrade: to be ended in the next turn */
	CONN_FREE,     /* to be freed at the end of this turn */
};

struct http_conn {
	struct list_node node;   /* in the server's connections */
	struct list_node kicked; /* in the server's list of those to look at */
	struct http_server *server;
	struct watch watch;
	void *user;
	int fd;
	bool is_unix;
	enum conn_state state;
	int64_t deadline_ns; /* when the current state has lasted too long; 0 none */
	int64_t written_ns;  /* when bytes were last taken by the socket */
	int64_t linger_until_ns;
	struct buf in, out;
	size_t head_from;           /* of head_parse(), or of the search for the end of a head that is too long */
	enum http_problem too_long; /* such a head is read on; HTTP_OK: none */
	const char *reason;         /* of too_long */

	bool processing, eof, gone_told, gone_on_eof, keep_alive, http10;

	/* the request's body */
	bool body_chunked, body_done, body_expects;
	uint64_t body_left; /* of a Content-Length */
	struct chunked chunked;
	char *fill_to;
	size_t fill_len, fill_got;
	http_body_fn *fill_fn;

	/* the answer */
	struct source *source;
	http_trailers_fn *trailers; /* of the answer */
	bool reply_chunked, source_ended, source_waits, heartbeat, close_after;
	int64_t reply_left; /* of a known length that the source still owes; -1 not known */
	uint64_t body_sent; /* bytes of body handed to out */

	struct http_ws *ws; /* of CONN_UPGRADED and CONN_LOST */
	unsigned tag;       /* of the listener that it came through */
};

struct http_server {
	struct loop *loop;
	const struct http_handlers *handlers;
	struct http_limits limits;
	struct list_node conns, kicked;
	unsigned count;
	struct timer sweep, accept_pause;
	struct turn kick;
	struct listener *listeners;
	bool draining;
	int spare_fd; /* given up for a moment when descriptors run out */
	void (*on_idle)(void *user);
	void *idle_user;
	char *scratch; /* what the sockets are read into */
};

enum { HTTP_SCRATCH_SIZE = 64 * 1024 };

/* conn.c */
void conn_new(struct http_server *server, int fd, unsigned tag);
void conn_process(struct http_conn *c);
void conn_kick(struct http_conn *c); /* conn_process() in the next turn */
void conn_sweep(struct http_conn *c, int64_t now_ns);
void conn_abort(struct http_conn *c);      /* the peer is gone, or we give it up */
void conn_close_idle(struct http_conn *c); /* also in the middle of a head */
bool conn_is_idle(const struct http_conn *c);
void conn_end_upgraded(struct http_conn *c); /* the closing handshake is through */

/* body.c: true when something happened */
bool body_step(struct http_conn *c);
void body_begin(struct http_conn *c, const struct head *head);

/* reply.c */
bool reply_step(struct http_conn *c);         /* true: the answer is complete */
void reply_close_source(struct http_conn *c); /* as the last thing: all is sent, or given up */
void reply_heartbeat(struct http_conn *c);

/* ws.c */
bool ws_step(struct http_conn *c);
void ws_end(struct http_conn *c);
void ws_sweep(struct http_conn *c, int64_t now_ns);
unsigned ws_wanted_events(const struct http_conn *c);

/* server.c */
void server_conn_added(struct http_server *s);
void server_conn_removed(struct http_server *s);
void server_kick(struct http_server *s); /* conn_process() of those kicked, in the next turn */
