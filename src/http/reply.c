/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer: its head, and the body pulled from a source while the peer takes it.
 */
#include "http/conn.h"

#include "base/clock.h"
#include "wire/sse.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>

enum {
	OUT_HIGH = 128 * 1024,       /* no more is pulled while so much waits */
	OUT_HIGH_KNOWN = 256 * 1024, /* the same of a body of known length: fewer and larger sends are faster */
	TURN_MAX = 512 * 1024,       /* bytes a turn of the loop, so that others are served */
	CHUNK_HEAD = 10,             /* "0000ffff\r\n": a fixed width, filled in behind the data */
};

static const char *reason_phrase(int status)
{
	static const struct {
		int status;
		const char *phrase;
	} phrases[] = {
		{ 101, "Switching Protocols" },
		{ 200, "OK" },
		{ 204, "No Content" },
		{ 206, "Partial Content" },
		{ 304, "Not Modified" },
		{ 400, "Bad Request" },
		{ 401, "Unauthorized" },
		{ 403, "Forbidden" },
		{ 404, "Not Found" },
		{ 405, "Method Not Allowed" },
		{ 408, "Request Timeout" },
		{ 409, "Conflict" },
		{ 412, "Precondition Failed" },
		{ 413, "Content Too Large" },
		{ 414, "URI Too Long" },
		{ 415, "Unsupported Media Type" },
		{ 416, "Range Not Satisfiable" },
		{ 417, "Expectation Failed" },
		{ 426, "Upgrade Required" },
		{ 429, "Too Many Requests" },
		{ 431, "Request Header Fields Too Large" },
		{ 500, "Internal Server Error" },
		{ 501, "Not Implemented" },
		{ 502, "Bad Gateway" },
		{ 503, "Service Unavailable" },
		{ 505, "HTTP Version Not Supported" },
		{ 507, "Insufficient Storage" },
	};

	for (size_t i = 0; i < ARRAY_LEN(phrases); i++) {
		if (phrases[i].status == status)
			return phrases[i].phrase;
	}
	return "Unknown";
}

/* Formatted once a second, not once an answer. */
static const char *date_now(void)
{
	static char text[CLOCK_TEXT_SIZE];
	static time_t second;
	time_t now = time(NULL);

	if (now != second) {
		second = now;
		clock_http_date(now, text);
	}
	return text;
}

static void add_text(struct buf *out, const char *text, const char *end)
{
	buf_adds(out, text);
	buf_adds(out, end);
}

/* What every answer has is not worth printf's time. */
static void add_line(struct buf *out, const char *name, int64_t value, const char *end)
{
	char digits[24], *p = digits + sizeof digits;

	do {
		*--p = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	buf_adds(out, name);
	buf_add(out, p, (size_t)(digits + sizeof digits - p));
	buf_adds(out, end);
}

static void add_connection(struct http_conn *c)
{
	if (c->close_after || !c->keep_alive)
		buf_adds(&c->out, "Connection: close\r\n");
	else
		add_line(&c->out, c->http10 ? "Connection: keep-alive\r\nKeep-Alive: timeout=" : "Keep-Alive: timeout=",
			c->server->limits.keep_alive_ns / NS_PER_S, "\r\n");
}

static void add_framing(struct http_conn *c, const struct http_reply *reply, int64_t length)
{
	if (reply->no_body)
		return;
	if (length >= 0) {
		add_line(&c->out, "Content-Length: ", length, "\r\n");
	} else if (!reply->head_only || !c->http10) {
		c->reply_chunked = !c->http10;
		if (c->http10)
			c->close_after = true; /* its end is the end of the connection */
		else
			buf_adds(&c->out, "Transfer-Encoding: chunked\r\n");
	}
}

/* A body that was not read to its end: the rest of it must not be taken for a request. */
static bool body_is_left(const struct http_conn *c)
{
	return !c->body_done && (c->body_chunked || c->body_left > c->in.len || c->body_expects);
}

static void skip_body(struct http_conn *c)
{
	if (c->body_done)
		return;
	if (!c->close_after)
		buf_drop(&c->in, (size_t)c->body_left);
	c->body_done = true;
}

void http_reply(struct http_conn *c, const struct http_reply *reply)
{
	int64_t length = reply->source ? reply->length : (int64_t)reply->body.len;

	assert(c->state == CONN_REQUEST || c->state == CONN_DEAD);
	c->fill_fn = NULL;
	if (c->state == CONN_DEAD) {
		c->state = CONN_FREE;
		if (reply->source)
			reply->source->close(reply->source);
		c->server->handlers->on_done(c, 0);
		conn_kick(c);
		return;
	}
	c->close_after = reply->close || body_is_left(c) || c->server->draining || (c->eof && !c->keep_alive);
	c->reply_chunked = false;
	c->source_waits = false;
	c->heartbeat = reply->heartbeat;
	if (c->heartbeat && c->in.len == 0)
		buf_free(&c->in); /* a stream that waits for long holds no memory for requests */
	c->trailers = reply->trailers;
	add_line(&c->out, "HTTP/1.1 ", reply->status, " ");
	add_text(&c->out, reason_phrase(reply->status), "\r\nDate: ");
	add_text(&c->out, date_now(), "\r\n");
	buf_add(&c->out, reply->headers.p, reply->headers.len);
	if (reply->content_type) {
		buf_adds(&c->out, "Content-Type: ");
		add_text(&c->out, reply->content_type, "\r\n");
	}
	add_framing(c, reply, length);
	add_connection(c);
	buf_adds(&c->out, "\r\n");
	c->source = reply->source;
	if (reply->head_only || reply->no_body) {
		c->reply_chunked = false;
		c->source = NULL;
		if (reply->source)
			reply->source->close(reply->source);
	} else if (!reply->source) {
		buf_add(&c->out, reply->body.p, reply->body.len);
		c->body_sent = reply->body.len;
	}
	c->source_ended = !c->source;
	c->reply_left = length;
	skip_body(c);
	c->state = CONN_REPLY;
	c->deadline_ns = 0;
	c->written_ns = clock_now_ns();
	conn_kick(c);
}

void http_wake(struct http_conn *c)
{
	if (c->state == CONN_REPLY) {
		c->source_waits = false;
		conn_kick(c);
	}
}

/* The pulled bytes stand behind a chunk head of fixed width, which is filled in now. */
static void close_chunk(struct http_conn *c, size_t start)
{
	size_t len = c->out.len - start - CHUNK_HEAD;
	char head[CHUNK_HEAD + 1];

	if (len == 0) {
		buf_truncate(&c->out, start);
		return;
	}
	snprintf(head, sizeof head, "%08x\r\n", (unsigned)len);
	memcpy(c->out.data + start, head, CHUNK_HEAD);
	buf_adds(&c->out, CHUNKED_TAIL);
}

static size_t out_high(const struct http_conn *c)
{
	return c->reply_left >= 0 ? OUT_HIGH_KNOWN : OUT_HIGH;
}

static void close_body(struct http_conn *c)
{
	if (!c->trailers) {
		buf_adds(&c->out, CHUNKED_END);
		return;
	}
	buf_adds(&c->out, "0\r\n");
	c->trailers(c->source, &c->out);
	buf_adds(&c->out, "\r\n");
}

/* False: the source is broken, or lied about its length. */
static bool pull(struct http_conn *c)
{
	size_t room = out_high(c) - c->out.len, start = c->out.len;
	enum source_status status;
	size_t added;

	if (c->reply_chunked)
		buf_add(&c->out, "00000000\r\n", CHUNK_HEAD);
	else if (c->reply_left >= 0)
		room = MIN(room, (size_t)c->reply_left);
	status = c->source->pull(c->source, &c->out, room);
	if (buf_failed(&c->out) || status == SOURCE_BROKEN)
		return false;
	added = c->out.len - start - (c->reply_chunked ? CHUNK_HEAD : 0);
	c->body_sent += added;
	if (c->reply_chunked)
		close_chunk(c, start);
	if (c->reply_left >= 0) {
		if (added > (uint64_t)c->reply_left)
			return false;
		c->reply_left -= (int64_t)added;
		if (c->reply_left == 0)
			status = SOURCE_END;
		else if (status == SOURCE_END)
			return false; /* shorter than announced (R63) */
	}
	c->source_waits = status == SOURCE_WAIT;
	if (status == SOURCE_END) {
		c->source_ended = true;
		if (c->reply_chunked)
			close_body(c);
	}
	return true;
}

void reply_close_source(struct http_conn *c)
{
	struct source *source = take_ptr(c->source);

	if (source)
		source->close(source);
}

/* What the socket takes now: bytes, 0 when it is full, -1 when the peer has gone. */
static ssize_t push(struct http_conn *c)
{
	ssize_t len = send(c->fd, c->out.data, c->out.len, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (len < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	buf_drop(&c->out, (size_t)len);
	c->written_ns = clock_now_ns();
	return len;
}

/* Without chunks and length a close is how a body ends: one that is cut is told by a reset. */
static void give_up(struct http_conn *c)
{
	struct linger now = { .l_onoff = 1 };

	if (!c->reply_chunked && c->reply_left < 0)
		setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
	conn_abort(c);
}

bool reply_step(struct http_conn *c)
{
	size_t turn = 0;

	for (;;) {
		ssize_t len;

		if (!c->source_ended && !c->source_waits && c->out.len < out_high(c) && !pull(c)) {
			give_up(c);
			return false;
		}
		if (c->out.len == 0) {
			buf_free(&c->out); /* a quiet stream holds no memory */
			return c->source_ended;
		}
		len = push(c);
		if (len < 0) {
			conn_abort(c);
			return false;
		}
		turn += (size_t)len;
		if (len == 0 || turn >= TURN_MAX)
			return c->out.len == 0 && c->source_ended;
	}
}

void reply_heartbeat(struct http_conn *c)
{
	if (c->out.len || c->source_ended)
		return;
	if (c->reply_chunked)
		buf_addf(&c->out, "%zx\r\n%s\r\n", sizeof SSE_COMMENT - 1, SSE_COMMENT);
	else
		buf_adds(&c->out, SSE_COMMENT);
	conn_kick(c);
}
