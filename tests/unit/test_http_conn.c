/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connections over loopback, with limits so short that they can be waited for.  Server and
 * peers share one thread: until() runs the loop and lets the peers read in between.
 */
#include "http/http.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PEERS = 64, FILL = 1000, DEADLINE_MS = 5000, MIB = 1024 * 1024 };

static const struct http_limits short_limits = {
	.max_connections = 32,
	.header_ns = 80 * NS_PER_MS,
	.body_idle_ns = 80 * NS_PER_MS,
	.write_idle_ns = 80 * NS_PER_MS,
	.keep_alive_ns = 120 * NS_PER_MS,
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
		timer_start(&r->later, world.loop, 400 * NS_PER_MS, on_later);
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

static void on_bad(struct http_conn *c, enum http_problem problem, const char *reason)
{
	char text[200];

	world.bad++;
	snprintf(text, sizeof text, "bad %d %s", problem, reason ? reason : "");
	http_set_user(c, NULL);
	reply_text(c, problem == HTTP_TIMEOUT ? 408 : problem == HTTP_EXPECTATION ? 417 : 400, text);
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

static void part(struct peer *p, bool reset)
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

/* --- running --- */

typedef bool condition(const void *what);

static struct {
	struct timer timer;
	condition *is_met;
	const void *what;
	int64_t until_ns;
	bool met;
} wait;

static void on_wait(struct timer *t)
{
	for (unsigned i = 0; i < peer_count; i++)
		hear(&peers[i]);
	wait.met = wait.is_met && wait.is_met(wait.what);
	if (wait.met || clock_now_ns() > wait.until_ns)
		loop_stop(world.loop);
	else
		timer_start(t, world.loop, NS_PER_MS, on_wait);
}

static bool within(int64_t ms, condition *is_met, const void *what)
{
	wait.is_met = is_met;
	wait.what = what;
	wait.until_ns = clock_now_ns() + ms * NS_PER_MS;
	timer_start(&wait.timer, world.loop, 0, on_wait);
	loop_run(world.loop);
	return wait.met;
}

#define until(is_met, what) assert_true(within(DEADLINE_MS, is_met, what))

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

static bool has_begun(const void *what)
{
	return world.begun >= *(const unsigned *)what;
}

static void begin_with(const struct http_limits *limits)
{
	char address[160];

	memset(&world, 0, sizeof world);
	peer_count = 0;
	world.loop = loop_new();
	world.server = http_server_new(world.loop, &handlers, limits);
	assert_int_equal(http_listen(world.server, "127.0.0.1:0", address, sizeof address), 0);
	world.port = (uint16_t)strtol(strrchr(address, ':') + 1, NULL, 10);
}

static int begin(void **state)
{
	(void)state;
	begin_with(&short_limits);
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
	timer_free(&wait.timer);
	loop_free(world.loop);
	assert_int_equal(world.done, world.begun + world.bad);
	return 0;
}

/* --- deadlines --- */

static const char HI[] = "GET /hi HTTP/1.1\r\nHost: x\r\n\r\n";

static void test_a_head_that_does_not_come(void **state)
{
	struct peer *silent = peer_new(), *slow = ask("GET /hi HT");

	(void)state;
	until(has_ended, slow);
	assert_int_equal(count(slow, "HTTP/1.1 408 "), 1);
	until(has_ended, silent);
	assert_int_equal(silent->len, 0);
}

static struct {
	struct peer *peer;
	struct timer timer;
	unsigned sent;
} drip;

static void on_drip(struct timer *t)
{
	if (send(drip.peer->fd, "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1)
		drip.sent++;
	timer_start(t, world.loop, 10 * NS_PER_MS, on_drip);
}

static void test_bytes_that_drip_do_not_extend_the_time_of_a_head(void **state)
{
	(void)state;
	drip.sent = 0;
	drip.peer = ask("GET /hi HTTP/1.1\r\nX-Slow: ");
	timer_start(&drip.timer, world.loop, 0, on_drip);
	expect(drip.peer, "HTTP/1.1 408 ", 1);
	timer_free(&drip.timer);
	assert_in_range(drip.sent, 2, 40);
}

static void test_a_body_that_stops(void **state)
{
	struct peer *counted = ask("POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
	struct peer *chunked = ask("POST /body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");

	(void)state;
	until(has_ended, counted);
	until(has_ended, chunked);
	assert_int_equal(count(counted, "HTTP/1.1 408 "), 1);
	assert_int_equal(count(chunked, "HTTP/1.1 408 "), 1);
}

static void test_a_body_may_take_long_while_it_comes(void **state)
{
	struct peer *p = ask("POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 15\r\n\r\n");

	(void)state;
	for (int i = 0; i < 5; i++) {
		say(p, "abc");
		assert_false(within(40, has_ended, p));
	}
	expect(p, "\r\n\r\nabcabcabcabcabc", 1);
}

static void test_an_idle_connection_ends_without_a_word(void **state)
{
	struct peer *p = ask(HI);

	(void)state;
	expect(p, "\r\n\r\nhi", 1);
	until(has_ended, p);
	assert_int_equal(count(p, "HTTP/1.1"), 1);
	until(nobody_is_there, NULL);
}

static void test_a_request_that_is_worked_on_has_no_deadline(void **state)
{
	/* 400 ms, with all limits below 120 (B035). */
	struct peer *p = ask("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");

	(void)state;
	expect(p, "\r\n\r\nlater", 1);
	assert_int_equal(world.gone, 0);
}

static void test_a_quiet_stream_gets_comments(void **state)
{
	struct peer *p = ask("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");

	(void)state;
	/* Whole chunks of their own, and the idle limits do not apply (B034). */
	expect(p, "\r\n:", 5);
	assert_int_equal(count(p, "HTTP/1.1 200 OK"), 1);
	assert_false(p->ended);
	assert_in_range(world.last->pulls, 1, 3);
}

static void test_who_does_not_read_is_given_up(void **state)
{
	struct peer *p = peer_new();

	(void)state;
	p->reads = false;
	say(p, "GET /endless HTTP/1.1\r\nHost: x\r\n\r\n");
	assert_true(within(DEADLINE_MS, has_begun, &(unsigned){ 1 }));
	until(nobody_is_there, NULL);
	assert_int_equal(world.closed, 1);
	assert_int_equal(world.done, 1);
	/* What the kernel takes, and little of ours. */
	assert_in_range(world.pulled, 1, 16 * MIB);
}

/* --- order and framing --- */

static void test_many_requests_in_a_row(void **state)
{
	enum { TIMES = 600 };
	struct peer *p = peer_new();
	struct buf all;

	(void)state;
	buf_init(&all, MIB);
	for (int i = 0; i < TIMES; i++)
		buf_adds(&all, HI);
	say(p, all.data);
	buf_free(&all);
	expect(p, "\r\n\r\nhi", TIMES);
	assert_int_equal(world.begun, TIMES);
}

static void test_what_came_before_a_half_close_is_answered(void **state)
{
	enum { TIMES = 1500 }; /* more than is read ahead */
	struct peer *p = ask("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
	struct buf all;

	(void)state;
	buf_init(&all, MIB);
	for (int i = 0; i < TIMES; i++)
		buf_adds(&all, HI);
	say(p, all.data);
	buf_free(&all);
	shutdown(p->fd, SHUT_WR);
	until(has_ended, p);
	assert_int_equal(count(p, "\r\n\r\nlater"), 1);
	assert_int_equal(count(p, "\r\n\r\nhi"), TIMES);
}

static void test_a_half_close_in_the_middle_of_a_head(void **state)
{
	struct peer *p = ask("GET /hi HTTP/1.1\r\nHost: x\r\n\r\nGET /h");

	(void)state;
	shutdown(p->fd, SHUT_WR);
	until(has_ended, p);
	assert_int_equal(count(p, "HTTP/1.1 "), 1);
	assert_int_equal(world.begun, 1);
}

static void test_a_half_close_in_the_middle_of_a_body(void **state)
{
	struct peer *p = ask("POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");

	(void)state;
	shutdown(p->fd, SHUT_WR);
	until(has_ended, p);
	assert_int_equal(count(p, "HTTP/1.1 400 "), 1);
	assert_int_equal(count(p, "Connection: close"), 1);
}

static void test_leaving(void **state)
{
	static const char *const paths[] = { "/later", "/command", "/stream", "/body", "/endless" };
	char text[100];

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(paths); i++) {
		for (int reset = 0; reset < 2; reset++) {
			unsigned before = world.begun + 1, done = world.done;
			struct peer *p = peer_new();

			p->reads = false;
			snprintf(text, sizeof text, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n",
				paths[i], strcmp(paths[i], "/body") == 0 ? 5 : 0);
			say(p, text);
			until(has_begun, &before);
			part(p, reset);
			until(nobody_is_there, NULL);
			assert_int_equal(world.done, done + 1);
		}
	}
}

static void test_a_half_close_is_leaving_only_where_it_was_asked_for(void **state)
{
	struct peer *plain = ask("GET /later HTTP/1.1\r\nHost: x\r\n\r\n"), *command;

	(void)state;
	shutdown(plain->fd, SHUT_WR);
	until(has_ended, plain);
	assert_int_equal(count(plain, "\r\n\r\nlater"), 1);
	assert_int_equal(world.gone, 0);
	command = ask("GET /command HTTP/1.1\r\nHost: x\r\n\r\n");
	shutdown(command->fd, SHUT_WR);
	until(has_ended, command);
	assert_int_equal(world.gone, 1);
	assert_int_equal(count(command, "nobody hears this"), 1);
}

static void test_bodies(void **state)
{
	struct peer *p = ask("POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello");

	(void)state;
	expect(p, "\r\n\r\nhello", 1);
	say(p, "POST /body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n");
	say(p, "3;x=y\r\nllo\r\n0\r\nT: v\r\n\r\nGET /hi HTTP/1.1\r\nHost: x\r\n\r\n");
	expect(p, "\r\n\r\nhello", 2);
	expect(p, "\r\n\r\nhi", 1);
	say(p, "POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
	expect(p, "HTTP/1.1 200", 4);
	say(p, "POST /body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");
	until(has_ended, p);
	assert_int_equal(count(p, "HTTP/1.1 400 "), 1);
}

static void test_a_long_chunked_body_is_put_together(void **state)
{
	enum { PARTS = 5000 };
	struct peer *p = ask("POST /body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
	struct buf all;

	(void)state;
	buf_init(&all, MIB);
	for (int i = 0; i < PARTS; i++)
		buf_addf(&all, "7\r\n%06d,\r\n", i);
	buf_adds(&all, "0\r\n\r\n");
	say(p, all.data);
	buf_free(&all);
	expect(p, "004999,", 1);
	assert_int_equal(count(p, "Content-Length: 35000"), 1);
	assert_int_equal(count(p, "001234,001235,"), 1);
}

static void test_continue(void **state)
{
	struct peer *p = ask("POST /body HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"),
		    *unread;

	(void)state;
	expect(p, "HTTP/1.1 100 Continue\r\n\r\n", 1);
	say(p, "ok");
	expect(p, "\r\n\r\nok", 1);
	/* Nobody asks for that body: the final answer comes instead, and the end (R72). */
	unread = ask("POST /hi HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
	until(has_ended, unread);
	assert_int_equal(count(unread, "HTTP/1.1 100"), 0);
	assert_int_equal(count(unread, "HTTP/1.1 200"), 1);
}

static void test_an_unread_body_is_no_request(void **state)
{
	struct peer *p = ask(
		"POST /hi HTTP/1.1\r\nHost: x\r\nContent-Length: 30\r\n\r\nGET /bad HTTP/1.1\r\nHost: x\r\n\r\nGET /hi HTTP/1.1\r\nHost: x\r\n\r\n");

	(void)state;
	expect(p, "\r\n\r\nhi", 2);
	assert_int_equal(world.begun, 2);
}

static void test_sources(void **state)
{
	struct peer *p = ask("GET /three HTTP/1.1\r\nHost: x\r\n\r\nGET /hi HTTP/1.1\r\nHost: x\r\n\r\n"), *old, *lies,
		    *broken;

	(void)state;
	expect(p, "\r\n\r\nhi", 1);
	assert_int_equal(count(p, "00000007\r\npart 1;\r\n00000007\r\npart 2;\r\n00000007\r\npart 3;\r\n0\r\n\r\n"), 1);
	old = ask("GET /three HTTP/1.0\r\n\r\n");
	until(has_ended, old);
	assert_int_equal(count(old, "\r\n\r\npart 1;part 2;part 3;"), 1);
	/* Shorter than announced: the connection breaks, so that nobody takes it for whole (R63). */
	lies = ask("GET /short HTTP/1.1\r\nHost: x\r\n\r\n");
	until(has_ended, lies);
	assert_int_equal(count(lies, "0\r\n\r\n"), 0);
	broken = ask("GET /broken HTTP/1.1\r\nHost: x\r\n\r\n");
	until(has_ended, broken);
	assert_int_equal(world.closed, 4);
}

/* --- many --- */

static void test_one_that_always_has_more_does_not_hold_the_others(void **state)
{
	struct peer *p;

	(void)state;
	ask("GET /busy HTTP/1.1\r\nHost: x\r\n\r\n");
	until(has_begun, &(unsigned){ 1 });
	p = ask(HI);
	expect(p, "\r\n\r\nhi", 1);
	assert_true(world.begun == 2);
}

static void test_the_oldest_idle_one_makes_room(void **state)
{
	struct http_limits two = http_default_limits;
	struct peer *first, *second, *third;

	(void)state;
	end(NULL);
	two.max_connections = 2;
	begin_with(&two);
	first = ask(HI);
	expect(first, "\r\n\r\nhi", 1);
	second = ask(HI);
	expect(second, "\r\n\r\nhi", 1);
	third = ask(HI);
	expect(third, "\r\n\r\nhi", 1);
	until(has_ended, first);
	assert_false(second->ended);
}

static void test_busy_ones_are_kept_and_the_next_is_told(void **state)
{
	struct http_limits two = short_limits;
	struct peer *third;

	(void)state;
	end(NULL);
	two.max_connections = 2;
	begin_with(&two);
	ask("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
	ask("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
	until(has_begun, &(unsigned){ 2 });
	third = ask(HI);
	until(has_ended, third);
	assert_int_equal(count(third, "HTTP/1.1 429 "), 1);
	assert_int_equal(count(third, "X-Request-Id: "), 1);
	expect(&peers[0], "\r\n\r\nlater", 1);
	expect(&peers[1], "\r\n\r\nlater", 1);
}

static unsigned lowest_free_fd(void)
{
	int fd = dup(0);

	close(fd);
	return (unsigned)fd;
}

static void test_descriptors_run_out(void **state)
{
	struct rlimit before, tight;
	unsigned told = 0;

	(void)state;
	for (int i = 0; i < 4; i++)
		ask(HI);
	/* They wait to be accepted; the limit is what is open now. */
	getrlimit(RLIMIT_NOFILE, &before);
	tight = before;
	tight.rlim_cur = lowest_free_fd();
	setrlimit(RLIMIT_NOFILE, &tight);
	assert_false(within(30, nobody_is_there, NULL) && peers[3].ended);
	for (int i = 0; i < 4; i++)
		told += count(&peers[i], "HTTP/1.1 503 ");
	setrlimit(RLIMIT_NOFILE, &before);
	assert_in_range(told, 1, 2);
	for (int i = 3; i >= 0; i--) {
		until(has_ended, &peers[i]);
		assert_int_equal(count(&peers[i], "HTTP/1.1 503 ") + count(&peers[i], "\r\n\r\nhi"), 1);
	}
}

/* --- the end --- */

static void on_idle(void *user)
{
	(void)user;
	world.idle = true;
}

static bool is_idle(const void *what)
{
	(void)what;
	return world.idle;
}

static void test_drain(void **state)
{
	struct peer *idle = ask(HI), *busy = ask("GET /later HTTP/1.1\r\nHost: x\r\n\r\n"), *half = ask("GET /h"),
		    *late;

	(void)state;
	expect(idle, "\r\n\r\nhi", 1);
	until(has_begun, &(unsigned){ 2 });
	say(busy, HI); /* behind what is under way: not begun any more */
	http_server_drain(world.server, on_idle, NULL);
	until(has_ended, idle);
	until(has_ended, half);
	part(idle, false);
	part(half, false);
	assert_false(world.idle);
	until(has_ended, busy);
	assert_int_equal(count(busy, "\r\n\r\nlater"), 1);
	assert_int_equal(count(busy, "Connection: close"), 1);
	assert_int_equal(world.begun, 2);
	part(busy, false);
	until(is_idle, NULL);
	late = &peers[peer_count++];
	*late = (struct peer){ .fd = socket(AF_INET, SOCK_STREAM, 0), .got = mem_alloc(1) };
	late->got[0] = '\0';
	assert_int_equal(connect(late->fd,
				 (struct sockaddr *)&(struct sockaddr_in){ .sin_family = AF_INET,
					 .sin_port = htons(world.port),
					 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) },
				 sizeof(struct sockaddr_in)),
		-1);
}

static void test_drain_with_nobody_there(void **state)
{
	(void)state;
	http_server_drain(world.server, on_idle, NULL);
	assert_true(world.idle);
}

static void test_free_in_the_middle_of_everything(void **state)
{
	static const char *const texts[] = { "GET /hi HTTP/1.1\r\n", "GET /later HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /endless HTTP/1.1\r\nHost: x\r\n\r\n", "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab" };

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(texts); i++)
		ask(texts[i]);
	until(has_begun, &(unsigned){ 4 });
	http_server_free(world.server);
	assert_int_equal(world.done, 4);
	world.server = http_server_new(world.loop, &handlers, &short_limits);
}

int main(void)
{
#define CASE(fn) cmocka_unit_test_setup_teardown(fn, begin, end)
	const struct CMUnitTest tests[] = {
		CASE(test_a_head_that_does_not_come),
		CASE(test_bytes_that_drip_do_not_extend_the_time_of_a_head),
		CASE(test_a_body_that_stops),
		CASE(test_a_body_may_take_long_while_it_comes),
		CASE(test_an_idle_connection_ends_without_a_word),
		CASE(test_a_request_that_is_worked_on_has_no_deadline),
		CASE(test_a_quiet_stream_gets_comments),
		CASE(test_who_does_not_read_is_given_up),
		CASE(test_many_requests_in_a_row),
		CASE(test_what_came_before_a_half_close_is_answered),
		CASE(test_a_half_close_in_the_middle_of_a_head),
		CASE(test_a_half_close_in_the_middle_of_a_body),
		CASE(test_leaving),
		CASE(test_a_half_close_is_leaving_only_where_it_was_asked_for),
		CASE(test_bodies),
		CASE(test_a_long_chunked_body_is_put_together),
		CASE(test_continue),
		CASE(test_an_unread_body_is_no_request),
		CASE(test_sources),
		CASE(test_one_that_always_has_more_does_not_hold_the_others),
		CASE(test_the_oldest_idle_one_makes_room),
		CASE(test_busy_ones_are_kept_and_the_next_is_told),
		CASE(test_descriptors_run_out),
		CASE(test_drain),
		CASE(test_drain_with_nobody_there),
		CASE(test_free_in_the_middle_of_everything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
