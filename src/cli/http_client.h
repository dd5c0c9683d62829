/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small blocking HTTP/1.1 client: one connection, reused while both sides keep it.
 *
 * http_client_send() returns when the head of the final answer is there; the body is then
 * read in pieces, and a body that ends before its announced end is a failure, never an
 * end.  Bodies stream both ways: neither is held whole.  A server that answers while the
 * body is still being sent is heard, and sending stops.
 *
 * Only requests marked as reads are sent again, once, and only on a kept connection that
 * turned out to be closed.
 */
#pragma once

#include "cli/response.h"
#include "cli/transport.h"
#include "wire/chunked.h"

/* Where the bytes of a request's body come from. */
struct upload {
	/* Up to len bytes: how many, 0 at the end, or -1 with *p filled in. */
	ssize_t (*read)(struct upload *u, char *to, size_t len, struct problem *p);
	int64_t length; /* -1: not known, sent chunked */
};

struct http_request {
	const char *method;
	struct str target;     /* path and query, as they go on the line; the address's prefix comes before it */
	struct str fields;     /* further header lines, each with CRLF */
	struct str body;       /* p NULL: none */
	struct upload *upload; /* instead of body; NULL: none */
	bool is_read;          /* changes nothing, so that it may be sent again */
};

enum http_body { HTTP_BODY_NONE, HTTP_BODY_LENGTH, HTTP_BODY_CHUNKED, HTTP_BODY_UNTIL_CLOSE };

struct http_client {
	struct address address;
	struct transport transport;
	struct response response;
	struct buf head, in; /* head of the last response; bytes received and not used yet */
	size_t lent;         /* bytes at the front of in that the caller may still look at */
	enum http_body body;
	uint64_t left, got; /* of a body with a length; bytes of the body so far */
	struct chunked chunked;
	bool done;           /* the body was read to its end */
	bool answered_early; /* before the request was whole */
	bool unreachable;    /* the last attempt to connect failed */
	int idle_ms;         /* longest silence while an answer is read; -1: any */
	int head_ms;         /* the same until its head is there */
	int settle_ms; /* the same after Ctrl-C, for who must know what a request that was sent has begun; 0: no wait */
	bool interrupted; /* Ctrl-C came in such a wait, and was forgotten */
};

void http_client_init(struct http_client *c, const struct address *address);
void http_client_close(struct http_client *c);

int http_client_send(struct http_client *c, const struct http_request *request, struct problem *p) MUST_CHECK;

/* 1 with the next stretch of the body, which is there until the next call; 0 at its end; -1. */
int http_client_read(struct http_client *c, struct str *ret_bytes, struct problem *p) MUST_CHECK;

/* The whole body into `to`, which bounds it. */
int http_client_read_all(struct http_client *c, struct buf *to, struct problem *p) MUST_CHECK;

/* Whether the end of the body is told by the peer, not only by the end of the connection. */
bool http_client_is_framed(const struct http_client *c);
