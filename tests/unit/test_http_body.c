/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies both ways: counted and chunked, asked for with 100 Continue or not read at all, and made by sources. */
#include "http_harness.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_bodies),
		CASE(test_a_long_chunked_body_is_put_together),
		CASE(test_continue),
		CASE(test_an_unread_body_is_no_request),
		CASE(test_sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
