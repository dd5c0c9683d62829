/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The body of a request, read only as fast as the handler asks.
 */
#include "http/conn.h"

#include "base/clock.h"

#include <assert.h>
#include <errno.h>
#include <sys/socket.h>

static const char CONTINUE[] = "HTTP/1.1 100 Continue\r\n\r\n";

void body_begin(struct http_conn *c, const struct head *head)
{
	c->body_chunked = head->chunked;
	c->body_left = head->has_length ? head->length : 0;
	c->body_done = !head->chunked && c->body_left == 0;
	c->body_expects = head->expects_continue && !c->body_done;
	chunked_init(&c->chunked);
}

int64_t http_body_length(const struct http_conn *c)
{
	return c->body_chunked ? -1 : (int64_t)c->body_left;
}

bool http_peer_sends(const struct http_conn *c)
{
	return !c->body_done;
}

void http_body(struct http_conn *c, char *to, size_t len, http_body_fn *fn)
{
	assert(c->state == CONN_REQUEST || c->state == CONN_DEAD);
	assert(!c->fill_fn);
	if (c->state == CONN_DEAD)
		return; /* on_gone was called */
	if (c->body_expects) {
		c->body_expects = false;
		buf_add(&c->out, CONTINUE, sizeof CONTINUE - 1);
	}
	c->fill_to = to;
	c->fill_len = len;
	c->fill_got = 0;
	c->fill_fn = fn;
	c->deadline_ns = clock_now_ns() + c->server->limits.body_idle_ns;
	conn_kick(c);
}

static void deliver(struct http_conn *c, ssize_t got, enum http_problem problem)
{
	http_body_fn *fn = take_ptr(c->fill_fn);

	c->deadline_ns = 0;
	fn(c, got, c->body_done, problem);
}

/* The interim answer is short; a peer that does not even take that has gone. */
static bool send_continue(struct http_conn *c)
{
	ssize_t len = send(c->fd, c->out.data, c->out.len, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (len != (ssize_t)c->out.len) {
		conn_abort(c);
		return false;
	}
	buf_drop(&c->out, c->out.len);
	return true;
}

static void put(struct http_conn *c, struct str data)
{
	memcpy(c->fill_to + c->fill_got, data.p, data.len);
	c->fill_got += data.len;
}

/* From what was read already.  False: the chunks are malformed. */
static bool take_buffered(struct http_conn *c)
{
	while (c->in.len && !c->body_done && c->fill_got < c->fill_len) {
		struct str bytes = { c->in.data, c->in.len }, data = bytes;
		size_t room = c->fill_len - c->fill_got;
		ssize_t taken;

		if (!c->body_chunked) {
			data.len = MIN(MIN(bytes.len, room), c->body_left);
			taken = (ssize_t)data.len;
			c->body_left -= data.len;
			c->body_done = c->body_left == 0;
		} else {
			bytes.len = MIN(bytes.len, room);
			taken = chunked_read(&c->chunked, bytes, &data);
			if (taken < 0)
				return false;
			c->body_done = chunked_done(&c->chunked);
		}
		put(c, data);
		buf_drop(&c->in, (size_t)taken);
	}
	return true;
}

/* Straight from the socket into the handler's memory, where the length is known. */
static ssize_t read_direct(struct http_conn *c)
{
	size_t room = MIN(c->fill_len - c->fill_got, c->body_left);
	ssize_t len = recv(c->fd, c->fill_to + c->fill_got, room, MSG_DONTWAIT);

	if (len > 0) {
		c->fill_got += (size_t)len;
		c->body_left -= (uint64_t)len;
		c->body_done = c->body_left == 0;
	}
	return len;
}

static ssize_t read_buffered(struct http_conn *c)
{
	ssize_t len = recv(c->fd, c->server->scratch, HTTP_SCRATCH_SIZE, MSG_DONTWAIT);

	if (len > 0)
		buf_add(&c->in, c->server->scratch, (size_t)len);
	return len;
}

bool body_step(struct http_conn *c)
{
	ssize_t len;

	if (c->out.len && !send_continue(c))
		return true;
	if (!take_buffered(c)) {
		c->body_done = false;
		deliver(c, -1, HTTP_BAD_REQUEST);
		return true;
	}
	if (c->body_done || c->fill_got == c->fill_len) {
		deliver(c, (ssize_t)c->fill_got, HTTP_OK);
		return true;
	}
	len = c->body_chunked ? read_buffered(c) : read_direct(c);
	if (len > 0) {
		c->deadline_ns = clock_now_ns() + c->server->limits.body_idle_ns;
		return true;
	}
	if (len < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (len < 0) {
		conn_abort(c);
	} else {
		/* The end in the middle of the body: who closed only one side can still read why. */
		c->eof = true;
		deliver(c, -1, HTTP_BAD_REQUEST);
	}
	return true;
}
