/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/http_client.h"

#include "base/clock.h"
#include "cli/interrupt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	CONNECT_S = 10,
	EXPECT_MS = 1000,          /* how long a 100 is waited for */
	EXPECT_FROM = 1024 * 1024, /* bodies from here on ask before they are sent */
	PIECE = 128 * 1024,
	IN_MAX = PIECE + RESPONSE_HEAD_MAX,
	REQUEST_HEAD_MAX = 64 * 1024,
	INLINE_BODY = 16 * 1024, /* a body up to here goes out together with the head */
};

/* Results of steps that send. */
enum sent { SENT_ALL, SENT_ANSWERED, SENT_BROKEN };

void http_client_init(struct http_client *c, const struct address *address)
{
	*c = (struct http_client){
		.address = *address, .transport.fd = -1, .idle_ms = -1, .head_ms = -1, .done = true
	};
	buf_init(&c->head, RESPONSE_HEAD_MAX);
	buf_init(&c->in, IN_MAX);
}

void http_client_close(struct http_client *c)
{
	transport_close(&c->transport);
	buf_free(&c->head);
	buf_free(&c->in);
	c->lent = 0;
	c->done = true;
}

static int interrupted(struct problem *p)
{
	return problem_set(p, EXIT_INTERRUPTED, "interrupted");
}

static int broken(struct http_client *c, struct problem *p, const char *what)
{
	transport_close(&c->transport);
	if (interrupt_seen() || c->interrupted)
		return interrupted(p);
	return problem_set(p, EXIT_OTHER, "%s: %s", address_text(&c->address), what);
}

/* For the answer, all of the request being sent. */
static int wait_in(struct http_client *c, int timeout_ms)
{
	int ready = transport_wait(&c->transport, TRANSPORT_IN, timeout_ms);

	if (ready != -EINTR || !c->settle_ms)
		return ready;
	c->head_ms = c->idle_ms = c->settle_ms;
	c->settle_ms = 0; /* the next Ctrl-C ends it */
	c->interrupted = true;
	interrupt_forget();
	return transport_wait(&c->transport, TRANSPORT_IN, c->head_ms);
}

/* One read of what is there: bytes, 0 at the end of the connection, -EAGAIN, -errno. */
static ssize_t take_in(struct http_client *c)
{
	char *to = buf_reserve(&c->in, MIN((size_t)PIECE, IN_MAX - c->in.len));
	ssize_t got = to ? transport_read(&c->transport, to, MIN((size_t)PIECE, IN_MAX - c->in.len)) : -ENOMEM;

	if (got > 0)
		buf_commit(&c->in, (size_t)got);
	return got;
}

/* Takes a head out of what was received: 1 a final one, 0 not whole yet, -1 not HTTP.  Interim ones are passed over. */
static int take_head(struct http_client *c, bool *ret_continue, struct problem *p)
{
	for (;;) {
		ssize_t len = response_parse(buf_str(&c->in), &c->response);

		if (len < 0) {
			transport_close(&c->transport);
			return problem_set(p, EXIT_OTHER, "%s: the answer is not HTTP: %s", address_text(&c->address),
				c->response.reason);
		}
		if (len == 0)
			return 0;
		buf_free(&c->head);
		buf_add(&c->head, c->in.data, (size_t)len);
		buf_drop(&c->in, (size_t)len);
		/* Again over the copy, which stays while the body comes. */
		if (response_parse(buf_str(&c->head), &c->response) != len)
			return broken(c, p, "the answer is not HTTP");
		if (c->response.status >= 200 || c->response.status == 101)
			return 1;
		if (ret_continue)
			*ret_continue = true;
	}
}

static enum sent send_bytes(struct http_client *c, struct str bytes, struct problem *p)
{
	while (bytes.len) {
		int ready = transport_wait(&c->transport, TRANSPORT_IN | TRANSPORT_OUT, -1);
		ssize_t put;

		if (ready < 0)
			return SENT_BROKEN;
		if (ready & TRANSPORT_IN) {
			ssize_t got = take_in(c);

			if (got == 0 || (got < 0 && got != -EAGAIN))
				return SENT_BROKEN;
			if (take_head(c, NULL, p) != 0)
				return SENT_ANSWERED;
		}
		if (!(ready & TRANSPORT_OUT))
			continue;
		put = transport_write(&c->transport, bytes.p, bytes.len);
		if (put == -EAGAIN)
			continue;
		if (put < 0)
			return SENT_BROKEN;
		bytes.p += put;
		bytes.len -= (size_t)put;
	}
	return SENT_ALL;
}

static bool asks_first(const struct http_request *request)
{
	return request->upload && (request->upload->length < 0 || request->upload->length >= EXPECT_FROM);
}

/* Waits a moment for 100, or for the final answer that comes instead of it. */
static enum sent wait_for_continue(struct http_client *c, struct problem *p)
{
	int64_t until = clock_now_ns() + EXPECT_MS * NS_PER_MS;
	bool may_send = false;

	while (!may_send) {
		int64_t left = (until - clock_now_ns()) / NS_PER_MS;
		int ready = left > 0 ? transport_wait(&c->transport, TRANSPORT_IN, (int)left) : 0;
		ssize_t got;

		if (ready < 0)
			return SENT_BROKEN;
		if (ready == 0)
			return SENT_ALL;
		got = take_in(c);
		if (got == 0 || (got < 0 && got != -EAGAIN))
			return SENT_BROKEN;
		if (take_head(c, &may_send, p) != 0)
			return SENT_ANSWERED;
	}
	return SENT_ALL;
}

/* One piece of an upload with its framing, made in `piece`. */
static enum sent send_piece(struct http_client *c, char *piece, size_t len, bool chunked, struct problem *p)
{
	char line[CHUNKED_HEAD_MAX];
	enum sent sent = SENT_ALL;

	if (chunked)
		sent = send_bytes(c, (struct str){ line, chunked_head(line, len) }, p);
	if (sent == SENT_ALL)
		sent = send_bytes(c, (struct str){ piece, len }, p);
	if (sent == SENT_ALL && chunked)
		sent = send_bytes(c, STR(CHUNKED_TAIL), p);
	return sent;
}

/* -1 with *p when the source failed; else an enum sent. */
static int send_upload(struct http_client *c, struct upload *u, struct problem *p)
{
	AUTOFREE char *piece = mem_alloc(PIECE);
	uint64_t left = u->length < 0 ? UINT64_MAX : (uint64_t)u->length;
	enum sent sent = SENT_ALL;

	while (left && sent == SENT_ALL) {
		ssize_t len = u->read(u, piece, MIN((uint64_t)PIECE, left), p);

		if (len == 0 && u->length >= 0)
			len = problem_set(p, EXIT_OTHER, "the file became shorter while it was sent");
		if (len < 0) {
			transport_close(&c->transport);
			return -1;
		}
		if (len == 0)
			break;
		left -= (uint64_t)len;
		sent = send_piece(c, piece, (size_t)len, u->length < 0, p);
	}
	return sent == SENT_ALL && u->length < 0 ? (int)send_bytes(c, STR(CHUNKED_END), p) : (int)sent;
}

static void make_head(const struct http_client *c, const struct http_request *request, struct buf *to)
{
	buf_addf(to, "%s %s", request->method, c->address.prefix);
	buf_add(to, request->target.p, request->target.len);
	buf_addf(to, " HTTP/1.1\r\nHost: %s\r\nUser-Agent: abx/" ABX_VERSION "\r\n", c->address.authority);
	if (request->fields.len)
		buf_add(to, request->fields.p, request->fields.len);
	if (request->upload && request->upload->length < 0)
		buf_adds(to, "Transfer-Encoding: chunked\r\n");
	else if (request->upload)
		buf_addf(to, "Content-Length: %lld\r\n", (long long)request->upload->length);
	else if (request->body.p)
		buf_addf(to, "Content-Length: %zu\r\n", request->body.len);
	if (asks_first(request))
		buf_adds(to, "Expect: 100-continue\r\n");
	buf_adds(to, "\r\n");
	if (request->body.len <= INLINE_BODY)
		buf_add(to, request->body.p, request->body.len);
}

/* -1 with *p, or an enum sent. */
static int send_request(struct http_client *c, const struct http_request *request, struct problem *p)
{
	AUTOBUF struct buf head;
	int sent;

	buf_init(&head, REQUEST_HEAD_MAX);
	make_head(c, request, &head);
	if (buf_failed(&head))
		return problem_set(p, EXIT_USAGE, "the address of the request is too long");
	sent = (int)send_bytes(c, buf_str(&head), p);
	if (sent == SENT_ALL && request->body.len > INLINE_BODY)
		sent = (int)send_bytes(c, request->body, p);
	if (sent == SENT_ALL && asks_first(request))
		sent = (int)wait_for_continue(c, p);
	if (sent == SENT_ALL && request->upload)
		sent = send_upload(c, request->upload, p);
	c->answered_early = sent == SENT_ANSWERED;
	return sent;
}

/* The final head, received: 0; 1 when the connection ended before any byte of it; -1. */
static int receive_head(struct http_client *c, struct problem *p)
{
	for (;;) {
		int have = take_head(c, NULL, p), ready;
		ssize_t got;

		if (have != 0)
			return have > 0 ? 0 : -1;
		ready = wait_in(c, c->head_ms);
		if (ready == 0)
			return broken(c, p, "the server does not answer");
		if (ready < 0)
			return broken(c, p, "the connection broke");
		got = take_in(c);
		if (got == -EAGAIN)
			continue;
		if (got <= 0 && c->in.len == 0)
			return 1;
		if (got <= 0)
			return broken(c, p, "the connection broke inside the head of the answer");
	}
}

static void begin_body(struct http_client *c, bool head_only)
{
	const struct response *r = &c->response;

	c->got = 0;
	c->left = r->length;
	c->done = false;
	if (head_only || r->status == 204 || r->status == 304 || (r->has_length && r->length == 0))
		c->body = HTTP_BODY_NONE;
	else if (r->has_length)
		c->body = HTTP_BODY_LENGTH;
	else if (r->chunked)
		c->body = HTTP_BODY_CHUNKED;
	else
		c->body = HTTP_BODY_UNTIL_CLOSE;
	chunked_init(&c->chunked);
	if (c->body == HTTP_BODY_NONE)
		c->done = true;
}

/* Whether the connection of the last exchange can carry another: nothing unread, and the peer still there. */
static bool is_reusable(struct http_client *c)
{
	return transport_is_open(&c->transport) && c->done && !c->answered_early && c->response.keep_alive &&
	       c->in.len == 0 && transport_wait(&c->transport, TRANSPORT_IN, 0) == 0;
}

static int connect_anew(struct http_client *c, struct problem *p)
{
	transport_close(&c->transport);
	c->unreachable = transport_open(&c->transport, &c->address, clock_now_ns() + CONNECT_S * NS_PER_S, p) < 0;
	return c->unreachable ? -1 : 0;
}

/* One attempt: 0, 1 when the connection ended before any answer, -1. */
static int attempt(struct http_client *c, const struct http_request *request, struct problem *p)
{
	int sent;

	problem_clear(p);
	sent = send_request(c, request, p);
	if (sent < 0)
		return -1;
	if (interrupt_seen() && (!c->settle_ms || sent == SENT_BROKEN)) {
		transport_close(&c->transport);
		return interrupted(p);
	}
	/* Also after a broken send the answer may be there: a server that refuses a body answers, then closes. */
	if (sent == SENT_ANSWERED)
		return p->exit_code ? -1 : 0;
	return receive_head(c, p);
}

int http_client_send(struct http_client *c, const struct http_request *request, struct problem *p)
{
	bool reused;
	int failed;

	buf_drop(&c->in, c->lent);
	c->lent = 0;
	reused = is_reusable(c);
	if (!reused) {
		buf_free(&c->in);
		if (connect_anew(c, p) < 0)
			return -1;
	}
	failed = attempt(c, request, p);
	if (failed == 1 && reused && request->is_read) {
		if (connect_anew(c, p) < 0)
			return -1;
		failed = attempt(c, request, p);
	}
	if (failed == 1)
		return broken(c, p, "the server closed the connection without an answer");
	if (failed < 0)
		return -1;
	begin_body(c, strcmp(request->method, "HEAD") == 0);
	return 0;
}

bool http_client_is_framed(const struct http_client *c)
{
	return c->body != HTTP_BODY_UNTIL_CLOSE;
}

static int on_end_of_connection(struct http_client *c, struct problem *p)
{
	transport_close(&c->transport);
	if (c->body == HTTP_BODY_UNTIL_CLOSE) {
		c->done = true;
		return 0;
	}
	if (c->body == HTTP_BODY_LENGTH)
		return problem_set(p, EXIT_OTHER, "%s: the connection broke after %llu of %llu bytes",
			address_text(&c->address), (unsigned long long)c->got, (unsigned long long)c->response.length);
	return problem_set(
		p, EXIT_OTHER, "%s: the connection broke before the end of the answer", address_text(&c->address));
}

/* What of the received bytes is body: 1 with some, 0 when there is none yet (or the end: done), -1. */
static int take_body(struct http_client *c, struct str *ret_bytes, struct problem *p)
{
	struct str in = buf_str(&c->in);
	ssize_t used;

	if (c->body == HTTP_BODY_CHUNKED) {
		used = chunked_read(&c->chunked, in, ret_bytes);
		if (used < 0)
			return broken(c, p, "the answer is malformed: bad chunks");
		c->done = chunked_done(&c->chunked);
	} else {
		in.len = c->body == HTTP_BODY_LENGTH ? MIN(in.len, c->left) : in.len;
		*ret_bytes = in;
		used = (ssize_t)in.len;
		c->left -= in.len;
		c->done = c->body == HTTP_BODY_LENGTH && c->left == 0;
	}
	c->lent = (size_t)used;
	c->got += ret_bytes->len;
	return ret_bytes->len > 0;
}

int http_client_read(struct http_client *c, struct str *ret_bytes, struct problem *p)
{
	for (;;) {
		ssize_t got;
		int ready;

		buf_drop(&c->in, c->lent);
		c->lent = 0;
		if (c->done)
			return 0;
		if (c->in.len) {
			int have = take_body(c, ret_bytes, p);

			if (have != 0)
				return have;
			if (c->lent)
				continue;
		}
		ready = wait_in(c, c->idle_ms);
		if (ready == 0)
			return broken(c, p, "the server has been silent for too long");
		if (ready < 0)
			return broken(c, p, "the connection broke");
		got = take_in(c);
		if (got == -EAGAIN)
			continue;
		if (got < 0)
			return broken(c, p, "the connection broke before the end of the answer");
		if (got == 0)
			return on_end_of_connection(c, p);
	}
}

int http_client_read_all(struct http_client *c, struct buf *to, struct problem *p)
{
	struct str bytes;
	int more;

	while ((more = http_client_read(c, &bytes, p)) > 0)
		buf_add(to, bytes.p, bytes.len);
	if (more < 0)
		return -1;
	return buf_failed(to) ? problem_set(p, EXIT_OTHER, "the answer is larger than %zu bytes", to->limit) : 0;
}
