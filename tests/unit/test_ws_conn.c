/* SPDX-License-Identifier: Apache-2.0 */
/* A WebSocket connection over a socket pair: messages, refusals, closing, pings, back-pressure. */
#include "http/ws.h"

#include "base/clock.h"
#include "http/conn.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum { GUARD_S = 60 };

static const char REQUEST[] = "GET /pty HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";

static struct {
	struct loop *loop;
	struct http_server *server;
	struct http_conn *conn; /* NULL when it is done */
	int fd;                 /* the client's end */
	struct watch watch;
	struct buf got, to_send; /* by the client */
	bool eof, reads;
	bool (*until)(void);
	struct timer guard;
	/* what the handler saw */
	struct buf messages; /* each behind "T:" or "B:", with a '|' behind it */
	size_t message_bytes, count;
	int code;
	bool closed, done;
	void (*on_writable)(void);
	void (*on_message)(void);
} t;

static void look(void)
{
	if (t.until && t.until())
		loop_stop(t.loop);
}

static void on_message(struct http_conn *c, enum ws_opcode opcode, char *bytes, size_t len)
{
	assert_false(t.closed);
	assert_ptr_equal(c, t.conn);
	t.message_bytes += len;
	t.count++;
	if (len < 1000) {
		buf_adds(&t.messages, opcode == WS_TEXT ? "T:" : "B:");
		buf_add(&t.messages, bytes, len);
		buf_addc(&t.messages, '|');
	}
	if (t.on_message)
		t.on_message();
	look();
}

static void on_writable(struct http_conn *c)
{
	(void)c;
	if (t.on_writable)
		t.on_writable();
}

static void on_close(struct http_conn *c, int code)
{
	(void)c;
	assert_false(t.closed);
	t.closed = true;
	t.code = code;
}

static const struct http_ws_handlers ws_handlers = {
	.on_message = on_message, .on_writable = on_writable, .on_close = on_close
};

static void on_request(struct http_conn *c, const struct head *head)
{
	assert_true(head->wants_upgrade);
	t.conn = c;
	http_upgrade(c, STR("X-Test: yes\r\n"), &ws_handlers);
}

static void on_bad(struct http_conn *c, enum http_problem problem, const char *reason, struct str received)
{
	(void)received;
	(void)c;
	(void)problem;
	fail_msg("%s", reason);
}

static void on_gone(struct http_conn *c)
{
	(void)c;
	fail();
}

static void on_done(struct http_conn *c, uint64_t sent_bytes)
{
	(void)c;
	(void)sent_bytes;
	assert_true(t.closed);
	assert_false(t.done);
	t.done = true;
	t.conn = NULL;
	look();
}

static const struct http_handlers handlers = {
	.on_request = on_request, .on_bad = on_bad, .on_gone = on_gone, .on_done = on_done
};

static void on_client(struct watch *w, unsigned events)
{
	static char scratch[256 * 1024];
	ssize_t len;

	if (events & WATCH_WRITE && t.to_send.len) {
		len = send(t.fd, t.to_send.data, t.to_send.len, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (len > 0)
			buf_drop(&t.to_send, (size_t)len);
		else if (errno != EAGAIN)
			buf_drop(&t.to_send, t.to_send.len); /* the server does not want it */
	}
	while (t.reads && !t.eof && (len = recv(t.fd, scratch, sizeof scratch, MSG_DONTWAIT)) >= 0) {
		t.eof = len == 0;
		buf_add(&t.got, scratch, (size_t)len);
	}
	watch_change(w, (t.reads && !t.eof ? WATCH_READ : 0) | (t.to_send.len ? WATCH_WRITE : 0));
	look();
}

static void on_guard(struct timer *timer)
{
	(void)timer;
	fail_msg("it did not come to that within %d s", GUARD_S);
}

static void run_until(bool (*until)(void))
{
	t.until = until;
	if (until())
		return;
	timer_start(&t.guard, t.loop, GUARD_S * NS_PER_S, on_guard);
	watch_change(&t.watch, (t.reads && !t.eof ? WATCH_READ : 0) | (t.to_send.len ? WATCH_WRITE : 0));
	loop_run(t.loop);
	timer_stop(&t.guard);
	t.until = NULL;
}

static bool is_upgraded(void)
{
	return t.got.len >= 4 && memcmp(t.got.data + t.got.len - 4, "\r\n\r\n", 4) == 0;
}

static bool is_over(void)
{
	return t.done && (t.eof || !t.reads);
}

static void put_frame(unsigned first, struct str payload, unsigned mask_bit)
{
	static const uint8_t mask[4] = { 1, 2, 3, 4 };
	char head[WS_HEAD_MAX], *bytes = malloc(payload.len + 1);
	size_t len = ws_frame_head(head, WS_BINARY, true, payload.len);

	head[0] = (char)first;
	head[1] = (char)((uint8_t)head[1] | mask_bit);
	buf_add(&t.to_send, head, len);
	if (mask_bit)
		buf_add(&t.to_send, mask, sizeof mask);
	memcpy(bytes, payload.p, payload.len);
	if (mask_bit)
		ws_unmask(bytes, payload.len, mask, 0);
	buf_add(&t.to_send, bytes, payload.len);
	free(bytes);
}

static void put(unsigned first, const char *text)
{
	put_frame(first, str_of(text), 0x80);
}

static void begin_with(const struct http_limits *limits)
{
	int fds[2];

	memset(&t, 0, sizeof t);
	t.reads = true;
	buf_init(&t.got, 64 << 20);
	buf_init(&t.to_send, 64 << 20);
	buf_init(&t.messages, 1 << 20);
	t.loop = loop_new();
	t.server = http_server_new(t.loop, &handlers, limits);
	assert_return_code(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), errno);
	t.fd = fds[0];
	conn_new(t.server, fds[1], 7);
	assert_return_code(watch_start(&t.watch, t.loop, t.fd, WATCH_READ, on_client), errno);
	buf_adds(&t.to_send, REQUEST);
	run_until(is_upgraded);
	assert_memory_equal(t.got.data, "HTTP/1.1 101 ", 13);
	assert_non_null(strstr(t.got.data, "X-Test: yes\r\n"));
	assert_int_equal(http_tag(t.conn), 7);
	buf_drop(&t.got, t.got.len);
}

static int set_up(void **state)
{
	(void)state;
	begin_with(&http_default_limits);
	return 0;
}

static int set_up_pings(void **state)
{
	struct http_limits limits = http_default_limits;

	(void)state;
	limits.ping_ns = NS_PER_MS; /* looked at once a second */
	begin_with(&limits);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	watch_stop(&t.watch);
	close_fd(t.fd);
	http_server_free(t.server);
	assert_true(t.done);
	timer_free(&t.guard);
	buf_free(&t.got);
	buf_free(&t.to_send);
	buf_free(&t.messages);
	loop_free(t.loop);
	return 0;
}

static bool has_three(void)
{
	return t.count == 3;
}

static bool has_ponged(void)
{
	return t.got.len >= 4;
}

static void test_messages(void **state)
{
	(void)state;
	put(0x81, "hello");
	put(0x01, "frag"); /* with control frames between its parts */
	put(0x89, "hi");
	put(0x00, "men");
	put(0x8a, "a pong nobody asked for");
	put(0x80, "ts \xe2\x82\xac");
	put(0x82, "\xff");
	run_until(has_three);
	assert_string_equal(t.messages.data, "T:hello|T:fragments \xe2\x82\xac|B:\xff|");
	run_until(has_ponged);
	assert_memory_equal(t.got.data, "\x8a\x02hi", 4);
}

static bool all_sent(void)
{
	return t.to_send.len == 0;
}

static void test_byte_by_byte(void **state)
{
	AUTOBUF struct buf all;

	(void)state;
	buf_init(&all, 1 << 20);
	put(0x01, "one ");
	put(0x89, "");
	put(0x80, "message");
	put(0x82, "two");
	put(0x81, "");
	buf_add(&all, t.to_send.data, t.to_send.len);
	buf_drop(&t.to_send, t.to_send.len);
	for (size_t i = 0; i < all.len; i++) {
		buf_add(&t.to_send, all.data + i, 1);
		run_until(all_sent);
	}
	run_until(has_three);
	assert_string_equal(t.messages.data, "T:one message|B:two|T:|");
}

static unsigned close_code(void)
{
	/* The last frame that came is a close frame. */
	for (size_t at = 0; at + 4 <= t.got.len; at += 2 + (size_t)t.got.data[at + 1]) {
		if ((uint8_t)t.got.data[at] == 0x88)
			return (unsigned)(uint8_t)t.got.data[at + 2] << 8 | (uint8_t)t.got.data[at + 3];
	}
	return 0;
}

static void expect_refusal(unsigned code)
{
	run_until(is_over);
	assert_int_equal(close_code(), code);
	assert_int_equal(t.code, code);
	assert_int_equal(t.count, 0);
}

static void test_refusals(void **state)
{
	static const struct {
		unsigned first, mask, code;
		const char *payload;
	} rows[] = {
		{ 0x81, 0x00, 1002, "not masked" },
		{ 0xc1, 0x80, 1002, "a reserved bit" },
		{ 0x83, 0x80, 1002, "a reserved code" },
		{ 0x80, 0x80, 1002, "goes on with nothing" },
		{ 0x09, 0x80, 1002, "a ping in pieces" },
		{ 0x81, 0x80, 1007, "bad \xff text" },
		{ 0x81, 0x80, 1007, "cut \xe2\x82" },
		{ 0x88, 0x80, 1002, "\x03" },
		{ 0x88, 0x80, 1002, "\x03\xed" /* 1005 */ },
		{ 0x88, 0x80, 1007, "\x03\xe8\xff" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (i) {
			tear_down(state);
			set_up(state);
		}
		put_frame(rows[i].first, str_of(rows[i].payload), rows[i].mask);
		put(0x81, "is not seen");
		expect_refusal(rows[i].code);
	}
}

static void test_too_large(void **state)
{
	char *bytes = calloc(1, 10 << 20);

	(void)state;
	put_frame(0x82, (struct str){ bytes, 10 << 20 }, 0x80);
	expect_refusal(1009);
	tear_down(state);
	set_up(state);
	put_frame(0x02, (struct str){ bytes, 1 << 20 }, 0x80);
	for (int i = 0; i < 4; i++)
		put_frame(0x00, (struct str){ bytes, 1 << 20 }, 0x80);
	expect_refusal(1009);
	free(bytes);
}

static bool has_large(void)
{
	return t.message_bytes == 4 << 20;
}

static void test_largest(void **state)
{
	char *bytes = calloc(1, 1 << 20);

	(void)state;
	put_frame(0x02, (struct str){ bytes, 1 << 20 }, 0x80);
	put_frame(0x00, (struct str){ bytes, 1 << 20 }, 0x80);
	put_frame(0x00, (struct str){ bytes, 1 << 20 }, 0x80);
	put_frame(0x80, (struct str){ bytes, 1 << 20 }, 0x80);
	run_until(has_large);
	assert_int_equal(t.count, 1);
	free(bytes);
}

static void test_client_closes(void **state)
{
	(void)state;
	put(0x88, "\x03\xe9"
		  "bye");
	put(0x81, "is not seen");
	run_until(is_over);
	assert_memory_equal(t.got.data, "\x88\x02\x03\xe9", 4);
	assert_int_equal(t.got.len, 4);
	assert_int_equal(t.code, 1001);
	assert_int_equal(t.count, 0);
	tear_down(state);
	set_up(state);
	put(0x88, "");
	run_until(is_over);
	assert_memory_equal(t.got.data, "\x88\x00", 2);
	assert_int_equal(t.code, WS_CLOSE_NO_CODE);
}

static bool has_close(void)
{
	return close_code() != 0;
}

static void test_server_closes(void **state)
{
	(void)state;
	http_ws_send(t.conn, WS_TEXT, STR("last"));
	http_ws_close(t.conn, WS_CLOSE_POLICY, "a reason");
	http_ws_send(t.conn, WS_TEXT, STR("is dropped"));
	assert_int_equal(http_ws_room(t.conn), 0);
	run_until(has_close);
	assert_memory_equal(t.got.data,
		"\x81\x04last\x88\x0a\x03\xf0"
		"a reason",
		t.got.len);
	assert_int_equal(t.got.len, 18);
	assert_false(t.closed);
	put(0x81, "is not seen");
	put(0x88, "\x03\xf0");
	run_until(is_over);
	assert_int_equal(t.code, WS_CLOSE_POLICY);
	assert_int_equal(t.count, 0);
}

/* A peer that does not close its side is not waited for without end. */
static void test_close_is_not_answered(void **state)
{
	(void)state;
	http_ws_close(t.conn, WS_CLOSE_GOING_AWAY, "");
	run_until(is_over);
	assert_int_equal(t.code, WS_CLOSE_GOING_AWAY);
}

static void test_client_vanishes(void **state)
{
	(void)state;
	watch_stop(&t.watch);
	close_fd(take_fd(&t.fd));
	t.eof = true;
	run_until(is_over);
	assert_int_equal(t.code, HTTP_WS_LOST);
}

static void test_dead_peer(void **state)
{
	(void)state;
	run_until(is_over);
	assert_int_equal(t.code, HTTP_WS_LOST);
	assert_memory_equal(t.got.data, "\x89\x00\x89\x00", 4);
	assert_int_equal(t.got.len, 4);
}

static bool has_three_rounds(void)
{
	static size_t answered;

	if (t.got.len == 0)
		answered = 0;
	for (; answered + 2 <= t.got.len; answered += 2)
		put(0x8a, "");
	return t.got.len >= 6 && t.to_send.len == 0; /* one more than are sent to the dead */
}

static void test_living_peer(void **state)
{
	(void)state;
	run_until(has_three_rounds);
	assert_false(t.closed);
}

static size_t sent_messages;

static void send_all_that_fits(void)
{
	static const char block[1000];

	while (sent_messages < 5000 && http_ws_room(t.conn) > 0) {
		http_ws_send(t.conn, WS_BINARY, (struct str){ block, sizeof block });
		sent_messages++;
	}
}

static bool got_all(void)
{
	return t.got.len == (size_t)5000 * 1004;
}

static bool has_one(void)
{
	return t.count == 1;
}

static void test_back_pressure(void **state)
{
	size_t waited;

	(void)state;
	sent_messages = 0;
	t.reads = false;
	t.on_writable = send_all_that_fits;
	http_ws_wake(t.conn);
	put(0x81, "input is not held up by output");
	run_until(has_one);
	waited = sent_messages;
	assert_true(waited > 0 && waited < 2500); /* what the kernel and 64 KiB hold */
	assert_int_equal(http_ws_room(t.conn), 0);
	t.reads = true;
	run_until(got_all);
	assert_int_equal(sent_messages, 5000);
}

static bool has_resumed(void)
{
	return t.count == 2;
}

static struct timer later;

static void resume(struct timer *timer)
{
	assert_int_equal(t.count, 1);
	t.on_message = NULL;
	timer_free(timer);
	http_ws_pause(t.conn, false);
}

static void pause_it(void)
{
	http_ws_pause(t.conn, true);
	timer_start(&later, t.loop, 50 * NS_PER_MS, resume);
}

static void test_pause(void **state)
{
	(void)state;
	t.on_message = pause_it;
	put(0x81, "one");
	put(0x81, "two");
	run_until(has_resumed);
	assert_string_equal(t.messages.data, "T:one|T:two|");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_messages),
		TEST(test_byte_by_byte),
		TEST(test_refusals),
		TEST(test_too_large),
		TEST(test_largest),
		TEST(test_client_closes),
		TEST(test_server_closes),
		TEST(test_close_is_not_answered),
		TEST(test_client_vanishes),
		cmocka_unit_test_setup_teardown(test_dead_peer, set_up_pings, tear_down),
		cmocka_unit_test_setup_teardown(test_living_peer, set_up_pings, tear_down),
		TEST(test_back_pressure),
		TEST(test_pause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
