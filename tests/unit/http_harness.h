/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server of connections over loopback, and its peers.  All share one thread: until() runs the loop and
 * lets the peers read in between.  What a path does is its name (on_request()).  Where time is what a test
 * is about the limits are so short that they can be waited for; elsewhere no delay of the thread meets one.
 */
#pragma once

#include "http/http.h"

#include "base/clock.h"
#include "loop_wait.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PEERS = 64, FILL = 1000, DEADLINE_MS = 60000, MIB = 1024 * 1024 };

static const struct http_limits long_limits = {
	.max_connections = 32,
	.too_long_ns = 100 * NS_PER_S,
	.header_ns = 100 * NS_PER_S,
	.body_idle_ns = 100 * NS_PER_S,
	.write_idle_ns = 100 * NS_PER_S,
	.keep_alive_ns = 100 * NS_PER_S,
	.heartbeat_ns = 40 * NS_PER_MS,
	.sweep_ns = 10 * NS_PER_MS,
};

/* --- the server: what a path does is its name --- */

struct request {
	struct source source;
	struct http_conn *conn;
	struct timer later;
	struct buf body;
	char fill[FILL];
	char path[32];
	unsigned pulls;
	bool done;
};

static struct {
	struct loop *loop;
	struct http_server *server;
	uint16_t port;
	unsigned begun, bad, done, gone, closed;
	uint64_t pulled;
	struct request *last;
	int64_t later_ns;
	bool idle;
} world;

static void reply_text(struct http_conn *c, int status, const char *text)
{
	struct http_reply reply = { .status = status, .body = str_of(text), .content_type = "text/plain" };

	http_reply(c, &reply);
}

static void on_later(struct timer *t)
{
	reply_text(OWNER(t, struct request, later)->conn, 200, "later");
}

static enum source_status pull(struct source *source, struct buf *out, size_t room)
{
	struct request *r = OWNER(source, struct request, source);

	r->pulls++;
	if (strcmp(r->path, "/stream") == 0)
		return SOURCE_WAIT;
	if (strcmp(r->path, "/busy") == 0)
		return SOURCE_MORE;
	if (strcmp(r->path, "/short") == 0) {
		buf_adds(out, "12345");
		return SOURCE_END;
	}
	if (strcmp(r->path, "/broken") == 0)
		return SOURCE_BROKEN;
	if (strcmp(r->path, "/three") == 0) {
		buf_addf(out, "part %u;", r->pulls);
		return r->pulls == 3 ? SOURCE_END : SOURCE_MORE;
	}
	memset(buf_reserve(out, room), 'x', room);
	buf_commit(out, room);
	world.pulled += room;
	return SOURCE_MORE;
}

static void close_source(struct source *source)
{
	(void)source;
	world.closed++;
}

static void reply_source(struct request *r, int64_t length, bool heartbeat)
{
	struct http_reply reply = { .status = 200, .length = length, .source = &r->source, .heartbeat = heartbeat };

	r->source = (struct source){ pull, close_source };
	http_reply(r->conn, &reply);
}

static void on_body(struct http_conn *c, ssize_t got, bool end, enum http_problem problem)
{
	struct request *r = http_user(c);

	if (got < 0) {
		reply_text(c, problem == HTTP_TIMEOUT ? 408 : 400, "body");
		return;
	}
	buf_add(&r->body, r->fill, (size_t)got);
	if (!end) {
		http_body(c, r->fill, sizeof r->fill, on_body);
		return;
	}
	buf_addc(&r->body, '\0');
	reply_text(c, 200, r->body.data);
}

static void on_request(struct http_conn *c, const struct head *head)
{
	struct request *r = mem_new(struct request);
	const char *path = r->path;

	snprintf(r->path, sizeof r->path, "%.*s", (int)head->target.len, head->target.p);
	r->conn = c;
	buf_init(&r->body, 64 * MIB);
	http_set_user(c, r);
	world.begun++;
	world.last = r;
	if (strcmp(path, "/later") == 0 || strcmp(path, "/command") == 0)
		timer_start(&r->later, world.loop, world.later_ns, on_later);
	if (strcmp(path, "/command") == 0)
		http_gone_on_eof(c);
	else if (strcmp(path, "/body") == 0)
		http_body(c, r->fill, sizeof r->fill, on_body);
	else if (strcmp(path, "/stream") == 0 || strcmp(path, "/busy") == 0)
		reply_source(r, -1, true);
	else if (strcmp(path, "/short") == 0)
		reply_source(r, 10, false);
	else if (strcmp(path, "/endless") == 0 || strcmp(path, "/broken") == 0 || strcmp(path, "/three") == 0)
		reply_source(r, -1, false);
	else if (strcmp(path, "/hi") == 0)
		reply_text(c, 200, "hi");
	if (strcmp(path, "/stream") == 0)
		http_gone_on_eof(c);
}

static void on_bad(struct http_conn *c, enum http_problem problem, const char *reason, struct str received)
{
	struct str from = head_peek(received, "from");
	char text[200];

	world.bad++;
	snprintf(text, sizeof text, "bad %d %s%s" STR_FMT, problem, reason ? reason : "", from.len ? " from " : "",
		STR_ARG(from));
	http_set_user(c, NULL);
	reply_text(c, problem == HTTP_TIMEOUT ? 408 : problem == HTTP_URI_TOO_LONG ? 414 : 400, text);
}

static void on_gone(struct http_conn *c)
{
	struct request *r = http_user(c);

	world.gone++;
	timer_stop(&r->later);
	reply_text(c, 200, "nobody hears this");
}

static void on_done(struct http_conn *c, uint64_t sent_bytes)
{
	struct request *r = http_user(c);

	(void)sent_bytes;
	world.done++;
	if (!r)
		return;
	timer_free(&r->later);
	buf_free(&r->body);
	world.last = NULL;
	free(r);
}

static const struct http_handlers handlers = { on_request, on_bad, on_gone, on_done };

/* --- the peers --- */

struct peer {
	int fd;
	char *got;
	size_t len;
	bool ended, reads;
};

static struct peer peers[PEERS];
static unsigned peer_count;

static struct peer *peer_new(void)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(world.port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)
	};
	struct peer *p = &peers[peer_count++];

	*p = (struct peer){ .fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), .reads = true };
	assert_true(peer_count <= PEERS && p->fd >= 0);
	assert_int_equal(connect(p->fd, (struct sockaddr *)&to, sizeof to), 0);
	p->got = mem_alloc(4 * MIB);
	p->got[0] = '\0';
	return p;
}

static void say(struct peer *p, const char *text)
{
	size_t len = strlen(text);

	assert_int_equal(send(p->fd, text, len, MSG_NOSIGNAL), (ssize_t)len);
}

static struct peer *ask(const char *text)
{
	struct peer *p = peer_new();

	say(p, text);
	return p;
}

static void hear(struct peer *p)
{
	ssize_t len = 1;

	while (p->reads && !p->ended && len > 0 && p->len < 4 * MIB - 1) {
		len = recv(p->fd, p->got + p->len, 4 * MIB - 1 - p->len, MSG_DONTWAIT);
		if (len > 0)
			p->len += (size_t)len;
		else if (len == 0 || errno != EAGAIN)
			p->ended = true;
	}
	p->got[p->len] = '\0';
}

static inline void part(struct peer *p, bool reset)
{
	struct linger at_once = { 1, 0 };

	if (reset)
		setsockopt(p->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
	close_fd(take_fd(&p->fd));
	p->reads = false;
}

static unsigned count(const struct peer *p, const char *text)
{
	unsigned found = 0;

	for (const char *at = p->got; (at = memmem(at, p->len - (size_t)(at - p->got), text, strlen(text))); at++)
		found++;
	return found;
}

static void play(void)
{
	for (unsigned i = 0; i < peer_count; i++)
		hear(&peers[i]);
}

static bool has_ended(const void *what)
{
	return ((const struct peer *)what)->ended;
}

static bool nobody_is_there(const void *what)
{
	(void)what;
	return http_server_connections(world.server) == 0;
}

static struct {
	const struct peer *peer;
	const char *text;
	unsigned times;
} wanted;

static bool is_heard(const void *what)
{
	(void)what;
	return count(wanted.peer, wanted.text) >= wanted.times;
}

static void expect(const struct peer *p, const char *text, unsigned times)
{
	wanted.peer = p;
	wanted.text = text;
	wanted.times = times;
	if (!within(DEADLINE_MS, is_heard, NULL))
		fail_msg("'%s' did not come %u times in '%.300s'", text, times, p->got);
}

static inline bool has_begun(const void *what)
{
	return world.begun >= *(const unsigned *)what;
}

static void begin_with(const struct http_limits *limits)
{
	char address[160];

	memset(&world, 0, sizeof world);
	peer_count = 0;
	world.later_ns = 400 * NS_PER_MS;
	world.loop = loop_new();
	wait_init(world.loop, play);
	world.server = http_server_new(world.loop, &handlers, limits);
	assert_int_equal(http_listen(world.server, "127.0.0.1:0", address, sizeof address), 0);
	world.port = (uint16_t)strtol(strrchr(address, ':') + 1, NULL, 10);
}

static int begin(void **state)
{
	(void)state;
	begin_with(&long_limits);
	return 0;
}

static int end(void **state)
{
	(void)state;
	for (unsigned i = 0; i < peer_count; i++) {
		if (peers[i].fd >= 0)
			close_fd(take_fd(&peers[i].fd));
		free(peers[i].got);
	}
	peer_count = 0;
	within(DEADLINE_MS, nobody_is_there, NULL);
	http_server_free(world.server);
	wait_free();
	loop_free(world.loop);
	assert_int_equal(world.done, world.begun + world.bad);
	return 0;
}

static const char HI[] = "GET /hi HTTP/1.1\r\nHost: x\r\n\r\n";

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, begin, end)
