/* SPDX-License-Identifier: Apache-2.0 */
/* Connections: their deadlines, the order of requests, peers who leave, limits, and the end. */
#include "http_harness.h"

#include <sys/resource.h>

static const struct http_limits short_limits = {
	.max_connections = 32,
	.too_long_ns = 400 * NS_PER_MS,
	.header_ns = 400 * NS_PER_MS,
	.body_idle_ns = 400 * NS_PER_MS,
	.write_idle_ns = 400 * NS_PER_MS,
	.keep_alive_ns = 600 * NS_PER_MS,
	.heartbeat_ns = 40 * NS_PER_MS,
	.sweep_ns = 10 * NS_PER_MS,
};

static int begin_short(void **state)
{
	(void)state;
	begin_with(&short_limits);
	return 0;
}

/* --- deadlines --- */

static void test_a_head_that_does_not_come(void **state)
{
	struct peer *silent = peer_new(), *slow = ask("GET /hi HT");

	(void)state;
	until(has_ended, slow);
	assert_int_equal(count(slow, "HTTP/1.1 408 "), 1);
	until(has_ended, silent);
	assert_int_equal(silent->len, 0);
}

/* --- heads that are too long --- */

/* "GET /aaa…", of this length. */
static struct peer *ask_long(size_t len)
{
	AUTOFREE char *line = mem_alloc(len + 1);
	int room = 256 * 1024;
	struct peer *p = peer_new();

	memset(line, 'a', len);
	memcpy(line, "GET /", 5);
	line[len] = '\0';
	setsockopt(p->fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
	say(p, line);
	return p;
}

static void test_who_sent_a_head_that_is_too_long_may_be_told_behind_it(void **state)
{
	struct peer *line = ask_long(9000), *fields = ask("GET /hi HTTP/1.1\r\nHost: x\r\n");

	(void)state;
	for (int i = 0; i < 100; i++)
		say(fields, "X: y\r\n");
	say(line, " HTTP/1.1\r\nHost: x\r\nFr");
	within(50, has_ended, line);
	assert_int_equal(world.bad, 0);
	say(line, "om: me\r\n\r");
	say(fields, "From: you\r\n\r");
	within(50, has_ended, line);
	assert_int_equal(world.bad, 0);
	say(line, "\n");
	say(fields, "\n");
	expect(line, "HTTP/1.1 414 ", 1);
	expect(line, "from me", 1);
	expect(fields, "more than 100 header fields from you", 1);
	assert_int_equal(count(line, "Connection: close"), 1);
}

static void test_a_head_that_is_too_long_is_not_read_for_ever(void **state)
{
	struct peer *endless = ask_long(65 * 1024), *cut = ask_long(9000);

	(void)state;
	expect(endless, "HTTP/1.1 414 ", 1);
	assert_int_equal(world.bad, 1);
	shutdown(cut->fd, SHUT_WR);
	expect(cut, "HTTP/1.1 414 ", 1);
}

static void test_the_rest_of_a_head_that_is_too_long_does_not_come(void **state)
{
	struct peer *p = ask_long(9000);

	(void)state;
	expect(p, "HTTP/1.1 414 ", 1);
	assert_int_equal(world.bad, 1);
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
	assert_in_range(drip.sent, 1, 200);
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

/* Together longer than a body may pause.  False: this thread had no CPU for so long that it was a pause. */
static bool body_comes_slowly(void)
{
	struct peer *p = ask("POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 15\r\n\r\n");

	for (int i = 0; i < 5; i++) {
		int64_t before = clock_now_ns();

		say(p, "abc");
		within(100, has_ended, p);
		if (clock_now_ns() - before > short_limits.body_idle_ns / 2) {
			part(p, false);
			return false;
		}
		assert_false(p->ended);
	}
	expect(p, "\r\n\r\nabcabcabcabcabc", 1);
	return true;
}

static void test_a_body_may_take_long_while_it_comes(void **state)
{
	(void)state;
	while (!body_comes_slowly())
		;
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
	/* Longer than any limit (B035). */
	struct peer *p = ask("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");

	(void)state;
	world.later_ns = 2 * short_limits.keep_alive_ns;
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
	struct http_limits two = long_limits;
	struct peer *third;

	(void)state;
	end(NULL);
	two.max_connections = 2;
	begin_with(&two);
	world.later_ns = 2 * NS_PER_S; /* so that they are there when the third is told */
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

static bool is_answered(const void *what)
{
	return count(what, "HTTP/1.1 503 ") + count(what, "\r\n\r\nhi") > 0;
}

static bool somebody_is_told(const void *what)
{
	unsigned told = 0;

	(void)what;
	for (unsigned i = 0; i < peer_count; i++)
		told += count(&peers[i], "HTTP/1.1 503 ");
	return told > 0;
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
	until(somebody_is_told, NULL);
	within(30, NULL, NULL);
	for (int i = 0; i < 4; i++)
		told += count(&peers[i], "HTTP/1.1 503 ");
	setrlimit(RLIMIT_NOFILE, &before);
	assert_in_range(told, 1, 2);
	for (int i = 3; i >= 0; i--) {
		until(is_answered, &peers[i]);
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
	world.server = http_server_new(world.loop, &handlers, &long_limits);
}

int main(void)
{
#define CASE_OF_TIME(fn) cmocka_unit_test_setup_teardown(fn, begin_short, end)
	const struct CMUnitTest tests[] = {
		CASE_OF_TIME(test_a_head_that_does_not_come),
		CASE_OF_TIME(test_bytes_that_drip_do_not_extend_the_time_of_a_head),
		CASE_OF_TIME(test_a_body_that_stops),
		CASE_OF_TIME(test_a_body_may_take_long_while_it_comes),
		CASE_OF_TIME(test_an_idle_connection_ends_without_a_word),
		CASE_OF_TIME(test_a_request_that_is_worked_on_has_no_deadline),
		CASE_OF_TIME(test_a_quiet_stream_gets_comments),
		CASE_OF_TIME(test_who_does_not_read_is_given_up),
		CASE_OF_TIME(test_the_rest_of_a_head_that_is_too_long_does_not_come),
		CASE(test_who_sent_a_head_that_is_too_long_may_be_told_behind_it),
		CASE(test_a_head_that_is_too_long_is_not_read_for_ever),
		CASE(test_many_requests_in_a_row),
		CASE(test_what_came_before_a_half_close_is_answered),
		CASE(test_a_half_close_in_the_middle_of_a_head),
		CASE(test_a_half_close_in_the_middle_of_a_body),
		CASE(test_leaving),
		CASE(test_a_half_close_is_leaving_only_where_it_was_asked_for),
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
