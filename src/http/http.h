/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP/1.1 connections, server side.  Knows no op.
 *
 * A connection carries one request at a time; what is pipelined behind it waits.  For each
 * request on_request() is called with the head, which is valid only during that call.  The
 * handler then answers once, at once or later, with http_reply(); until on_done() the
 * connection belongs to that request, also when the peer has gone: then on_gone() is called
 * once, and the answer that the handler still gives goes nowhere.
 *
 * Nothing here calls the handler from inside a call of the handler: what is asked for
 * outside of a callback happens in the next turn of the loop.
 */
#pragma once

#include "loop/loop.h"
#include "loop/source.h"
#include "wire/head.h"

struct http_server;
struct http_conn;

enum http_problem {
	HTTP_OK,
	HTTP_BAD_REQUEST = HEAD_BAD,
	HTTP_URI_TOO_LONG = HEAD_LINE_TOO_LONG,
	HTTP_HEADERS_TOO_LARGE = HEAD_FIELDS_TOO_LARGE,
	HTTP_NOT_IMPLEMENTED = HEAD_NOT_IMPLEMENTED,
	HTTP_VERSION = HEAD_VERSION,
	HTTP_TIMEOUT,
};

struct http_handlers {
	void (*on_request)(struct http_conn *c, const struct head *head);
	/*
	 * Not HTTP, too long or too slow: answer with http_reply(); the connection closes behind it.
	 * received: what came of the head, during the call (head_peek()).
	 */
	void (*on_bad)(struct http_conn *c, enum http_problem problem, const char *reason, struct str received);
	/* The peer left before the answer was complete.  Not called once a source was handed over: it is closed instead. */
	void (*on_gone)(struct http_conn *c);
	/* The answer is sent, or given up; sent_bytes of body.  The connection forgets its user. */
	void (*on_done)(struct http_conn *c, uint64_t sent_bytes);
};

struct http_limits {
	unsigned max_connections;
	int64_t too_long_ns; /* how long the rest of a head that is refused for its length is waited for */
	int64_t header_ns, body_idle_ns, write_idle_ns, keep_alive_ns, heartbeat_ns, ping_ns;
	int64_t sweep_ns; /* how often they are looked at */
};

extern const struct http_limits http_default_limits;

struct http_server *http_server_new(
	struct loop *loop, const struct http_handlers *handlers, const struct http_limits *limits);
/* Takes no new connections and closes idle ones; those with a request end after it. on_idle: none is left. */
void http_server_drain(struct http_server *s, void (*on_idle)(void *user), void *user);
void http_server_free(struct http_server *s); /* closes everything */
unsigned http_server_connections(const struct http_server *s);
void http_server_set_max(struct http_server *s, unsigned max_connections); /* those that are more already stay */

/*
 * Listens on "HOST:PORT", "[V6]:PORT" or "unix:/path".  0 or a negative errno; *ret_address is what
 * was bound ("127.0.0.1:41234"), at least 128 bytes.
 */
bool http_is_address(const char *address);  /* whether it is of that form */
bool http_is_loopback(const char *address); /* one of that form that only this machine reaches */
int http_listen(struct http_server *s, const char *address, char *ret_address, size_t size) MUST_CHECK;
/* The same, with a mark that http_tag() of its connections tells; that of http_listen() is 0. */
int http_listen_tagged(
	struct http_server *s, const char *address, unsigned tag, char *ret_address, size_t size) MUST_CHECK;
unsigned http_tag(const struct http_conn *c);

/* The handler's own pointer for the current request. */
void http_set_user(struct http_conn *c, void *user);
void *http_user(const struct http_conn *c);

bool http_is_unix(const struct http_conn *c); /* came over a UNIX socket */

/* The peer's closing of its sending side counts as leaving (R14); asked for per request. */
void http_gone_on_eof(struct http_conn *c);

/*
 * The body of the request: fills `to` with len bytes, or fewer at its end, then calls fn: got,
 * whether the body is complete.  -1 as got: the body is malformed or came too slowly, and
 * problem says which.  100 Continue is sent where it is waited for.
 */
typedef void http_body_fn(struct http_conn *c, ssize_t got, bool end, enum http_problem problem);
void http_body(struct http_conn *c, char *to, size_t len, http_body_fn *fn);
int64_t http_body_length(const struct http_conn *c); /* announced; -1 chunked; 0 none */
bool http_peer_sends(const struct http_conn *c);     /* a part of the body has not been read */

/* Adds whole lines with CRLF behind a chunked body, before its source is closed. */
typedef void http_trailers_fn(struct source *source, struct buf *out);

struct http_reply {
	int status;
	struct str headers;       /* whole lines with CRLF, or empty; copied */
	const char *content_type; /* NULL: none */
	int64_t length;           /* of the body; -1: not known; ignored without a body */
	struct str body;          /* copied; used when source is NULL */
	struct source *source;
	http_trailers_fn *trailers; /* NULL: none */
	bool head_only;             /* HEAD: the headers of a body that is not sent */
	bool no_body;               /* 204, 304: no Content-Length either */
	bool close;                 /* close behind it */
	bool heartbeat;             /* an event stream: a comment after silence, no write-behind */
};
void http_reply(struct http_conn *c, const struct http_reply *reply);
void http_wake(struct http_conn *c); /* the source has more */
