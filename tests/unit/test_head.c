/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The request head: what is taken, what is refused, and that pieces change nothing.
 * Every head here is read whole, byte by byte, and cut in two at every place.
 */
#include "wire/head.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define GET "GET / HTTP/1.1\r\n"
#define HOST "Host: a\r\n"

static struct head head;

static ssize_t parse_once(struct str bytes)
{
	size_t from = 0;

	return head_parse(bytes, &from, &head);
}

/* Reads in pieces whose ends are first, first + step, ...: the first answer that is not "more". */
static ssize_t parse_pieces(struct str bytes, size_t first, size_t step)
{
	size_t from = 0;
	ssize_t r = 0;

	for (size_t len = first; r == 0; len += step) {
		size_t cut = MIN(len, bytes.len);
		/* A copy of the exact size, so that a sanitizer sees a byte read too far. */
		char *copy = malloc(cut + !cut);

		memcpy(copy, bytes.p, cut);
		r = head_parse((struct str){ copy, cut }, &from, &head);
		free(copy);
		if (cut == bytes.len)
			break;
	}
	return r;
}

static ssize_t parse(struct str bytes)
{
	ssize_t whole = parse_once(bytes);
	const char *reason = head.reason;

	assert_int_equal(parse_pieces(bytes, 0, 1), whole);
	if (bytes.len < 1024)
		for (size_t cut = 0; cut <= bytes.len; cut++) {
			assert_int_equal(parse_pieces(bytes, cut, bytes.len), whole);
			if (whole < 0)
				assert_ptr_equal(head.reason, reason);
		}
	assert_int_equal(parse_once(bytes), whole);
	assert_true((head.reason != NULL) == (whole < 0));
	return whole;
}

#define assert_parsed(text) assert_int_equal(parse(STR(text)), sizeof(text) - 1)
#define assert_refused(text, problem) assert_int_equal(parse(STR(text)), -(problem))
#define assert_str(a, text) assert_true(str_eq((a), STR(text)))

static void test_plain(void **state)
{
	(void)state;
	assert_parsed("POST /a/b?c=d HTTP/1.1\r\nHost: example.org:9000\r\nX-Empty:\r\nX-Blank: \t \r\n"
		      "Content-Length:  12\t\r\nx-twice: 1\r\nX-Twice: 2\r\n\r\n");
	assert_str(head.method, "POST");
	assert_str(head.target, "/a/b?c=d");
	assert_int_equal(head.minor, 1);
	assert_int_equal(head.count, 6);
	assert_str(head.host, "example.org:9000");
	assert_true(head.has_length && !head.chunked && head.keep_alive);
	assert_int_equal(head.length, 12);
	assert_str(head_get(&head, "X-TWICE"), "1");
	assert_int_equal(head_count(&head, "x-twice"), 2);
	assert_int_equal(head_count(&head, "x-none"), 0);
	assert_int_equal(head_get(&head, "x-empty").len, 0);
	assert_non_null(head_get(&head, "x-empty").p);
	assert_int_equal(head_get(&head, "x-blank").len, 0);
	assert_null(head_get(&head, "x-none").p);
}

static void test_what_follows_is_left(void **state)
{
	(void)state;
	assert_int_equal(parse_once(STR(GET HOST "\r\n\0\n\rGET / HTTP/9")), sizeof(GET HOST "\r\n") - 1);
	assert_int_equal(parse(STR("")), 0);
	assert_int_equal(parse(STR("\r\n\r\n")), 0);
	assert_parsed("\r\n\r\n" GET HOST "\r\n");
	assert_str(head.method, "GET");
}

static void test_every_prefix_is_unfinished(void **state)
{
	struct str text = STR("\r\nPUT /x HTTP/1.1\r\nHost: [::1]:80\r\nTransfer-Encoding: chunked\r\n\r\n");

	(void)state;
	for (size_t len = 0; len < text.len; len++)
		assert_int_equal(parse_once((struct str){ text.p, len }), 0);
	assert_int_equal(parse(text), text.len);
}

static void test_methods(void **state)
{
	(void)state;
	assert_parsed("get / HTTP/1.1\r\n" HOST "\r\n");
	assert_str(head.method, "get");
	assert_parsed("!#$%&'*+-.^_`|~09 / HTTP/1.1\r\n" HOST "\r\n");
	assert_refused("G@T / HTTP/1.1\r\n" HOST "\r\n", HEAD_BAD);
	assert_refused("GET: / HTTP/1.1\r\n" HOST "\r\n", HEAD_BAD);
	assert_refused(" GET / HTTP/1.1\r\n" HOST "\r\n", HEAD_BAD);
	assert_refused("GET\t/ HTTP/1.1\r\n" HOST "\r\n", HEAD_BAD);
	assert_refused("G\xc3\x89T / HTTP/1.1\r\n" HOST "\r\n", HEAD_BAD);
	assert_refused("(GET) / HTTP/1.1\r\n" HOST "\r\n", HEAD_BAD);
}

static void test_targets(void **state)
{
	(void)state;
	assert_parsed("OPTIONS * HTTP/1.1\r\n" HOST "\r\n");
	assert_str(head.target, "*");
	assert_parsed("GET http://a/b HTTP/1.1\r\n" HOST "\r\n");
	assert_parsed("GET //files//list HTTP/1.1\r\n" HOST "\r\n");
	assert_parsed("GET !~ HTTP/1.1\r\n" HOST "\r\n");
	assert_refused("GET  / HTTP/1.1\r\n" HOST "\r\n", HEAD_BAD);
	assert_refused("GET /  HTTP/1.1\r\n" HOST "\r\n", HEAD_BAD);
	assert_refused("GET / x HTTP/1.1\r\n" HOST "\r\n", HEAD_BAD);
	assert_refused("GET /a#b HTTP/1.1\r\n" HOST "\r\n", HEAD_BAD);
	assert_refused("GET /\xc3\xa9 HTTP/1.1\r\n" HOST "\r\n", HEAD_BAD);
	assert_refused("GET /\xff HTTP/1.1\r\n" HOST "\r\n", HEAD_BAD);
	assert_refused("GET /\x7f HTTP/1.1\r\n" HOST "\r\n", HEAD_BAD);
	assert_refused("GET /\t HTTP/1.1\r\n" HOST "\r\n", HEAD_BAD);
	assert_refused("GET /\x01 HTTP/1.1\r\n" HOST "\r\n", HEAD_BAD);
	assert_refused("GET HTTP/1.1\r\n" HOST "\r\n", HEAD_BAD);
}

static void test_versions(void **state)
{
	(void)state;
	assert_parsed("GET / HTTP/1.0\r\n\r\n");
	assert_int_equal(head.minor, 0);
	assert_int_equal(head.host.len, 0);
	assert_refused("GET /\r\n", HEAD_BAD);
	assert_refused("GET\r\n", HEAD_BAD);
	assert_refused("GET / \r\n", HEAD_BAD);
	assert_refused("GET / HTTP/1.1 \r\n" HOST "\r\n", HEAD_BAD);
	assert_refused("GET / HTTP/1.10\r\n" HOST "\r\n", HEAD_BAD);
	assert_refused("GET / http/1.1\r\n" HOST "\r\n", HEAD_BAD);
	assert_refused("GET / HTTP/1,1\r\n" HOST "\r\n", HEAD_BAD);
	assert_refused("GET / HTTP/x.1\r\n" HOST "\r\n", HEAD_BAD);
	assert_refused("GET / HTTP/1\r\n" HOST "\r\n", HEAD_BAD);
	assert_refused("GET / HTTPS/1.1\r\n" HOST "\r\n", HEAD_BAD);
	assert_refused("GET / HTTP/0.9\r\n", HEAD_VERSION);
	assert_refused("GET / HTTP/1.2\r\n" HOST "\r\n", HEAD_VERSION);
	assert_refused("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", HEAD_VERSION);
	assert_refused("\x16\x03\x01\x02", HEAD_BAD);
}

static void test_line_ends(void **state)
{
	(void)state;
	assert_refused("GET / HTTP/1.1\n", HEAD_BAD);
	assert_refused("\n" GET HOST "\r\n", HEAD_BAD);
	assert_refused(GET "Host: a\nX: b\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "\n", HEAD_BAD);
	assert_refused(GET HOST "X: a\rb\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "X: a\r\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "\rX: a\r\n\r\n", HEAD_BAD);
	assert_refused("GET / HTTP/1.1\r" HOST "\r\n", HEAD_BAD);
	assert_refused("\r\rGET / HTTP/1.1\r\n", HEAD_BAD);
}

static void test_control_bytes(void **state)
{
	char text[] = GET HOST "X-Long-Name: some value\r\n\r\n";
	size_t at = (size_t)(strstr(text, "value") - text);

	(void)state;
	for (int c = 0; c < 256; c++) {
		bool bad = (c < ' ' && c != '\t') || c == 0x7f;

		text[at] = (char)c;
		assert_int_equal(parse((struct str){ text, sizeof text - 1 }), bad ? -HEAD_BAD : (int)sizeof text - 1);
		/* It is refused where it stands, before the head is whole. */
		if (bad && c != '\r')
			assert_int_equal(parse((struct str){ text, at + 1 }), -HEAD_BAD);
	}
	assert_refused("GET / \0", HEAD_BAD);
	assert_refused(GET "Host: a\0", HEAD_BAD);
	assert_refused(GET "Ho\0", HEAD_BAD);
	assert_refused(GET "X: \t\t\t\t\t\t\t\t\t\t\x01", HEAD_BAD);
}

static void test_field_names(void **state)
{
	(void)state;
	assert_refused(GET "Host : a\r\n\r\n", HEAD_BAD);
	assert_refused(GET "Host\t: a\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST ": a\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "X\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "X Y: a\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "X\xff: a\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "X\"Y: a\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST " folded\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "\tfolded", HEAD_BAD);
	assert_refused(GET " " HOST "\r\n", HEAD_BAD);
	assert_refused(GET HOST " \r\n\r\n", HEAD_BAD);
}

static void test_lengths(void **state)
{
	(void)state;
	assert_parsed(GET HOST "Content-Length: 0\r\n\r\n");
	assert_true(head.has_length && head.length == 0);
	assert_parsed(GET HOST "Content-Length: 999999999999999999\r\n\r\n");
	assert_true(head.length == 999999999999999999u);
	assert_parsed(GET HOST "Content-Length: 007\r\n\r\n");
	assert_int_equal(head.length, 7);
	assert_parsed(GET HOST "Content-Lengt: x\r\nContent-Length2: x\r\nContent_Length: x\r\n\r\n");
	assert_false(head.has_length);
	assert_refused(GET HOST "Content-Length: 1000000000000000000\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "Content-Length: 0000000000000000005\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "Content-Length:\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "Content-Length: +5\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "Content-Length: -5\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "Content-Length: 5 5\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "Content-Length: 5, 5\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "Content-Length: 5,\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "Content-Length: 0x5\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "Content-Length: 5.0\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "Content-Length: 5;a\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "Content-Length: \"5\"\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "Content-Length: 5\r\nContent-Length: 5\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "content-length: 5\r\nCONTENT-LENGTH: 6\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "Content-Length: 5\r\n 6\r\n\r\n", HEAD_BAD);
}

static void test_codings(void **state)
{
	(void)state;
	assert_parsed(GET HOST "Transfer-Encoding: chunked\r\n\r\n");
	assert_true(head.chunked && !head.has_length);
	assert_parsed(GET HOST "tRANSFER-eNCODING:\tChUnKeD \r\n\r\n");
	assert_true(head.chunked);
	assert_refused(GET HOST "Transfer-Encoding: gzip, chunked\r\n\r\n", HEAD_NOT_IMPLEMENTED);
	assert_refused(GET HOST "Transfer-Encoding: chunked, gzip\r\n\r\n", HEAD_NOT_IMPLEMENTED);
	assert_refused(GET HOST "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n", HEAD_NOT_IMPLEMENTED);
	assert_refused(GET HOST "Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n\r\n", HEAD_NOT_IMPLEMENTED);
	assert_refused(GET HOST "Transfer-Encoding: identity\r\n\r\n", HEAD_NOT_IMPLEMENTED);
	assert_refused(GET HOST "Transfer-Encoding: xchunked\r\n\r\n", HEAD_NOT_IMPLEMENTED);
	assert_refused(GET HOST "Transfer-Encoding: chunked;a=b\r\n\r\n", HEAD_NOT_IMPLEMENTED);
	assert_refused(GET HOST "Transfer-Encoding: chunked, chunked\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "Transfer-Encoding:\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "Transfer-Encoding: ,chunked\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "Transfer-Encoding: chunked,\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "Transfer-Encoding: \"chunked\"\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "Transfer-Encoding: \x0b"
				"chunked\r\n\r\n",
		HEAD_BAD);
	assert_refused(GET HOST "Transfer-Encoding : chunked\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "Transfer-Encoding: chunked\xa0\r\n\r\n", HEAD_BAD);
	assert_refused("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST "Content-Length: 5\r\nTransfer-Encoding: gzip\r\n\r\n", HEAD_BAD);
}

static void test_hosts(void **state)
{
	static const char *const good[] = { "", "a", "localhost:9000", "127.0.0.1", "127.0.0.1:80", "[::1]",
		"[::1]:9000", "[::ffff:1.2.3.4]:1", "a-b.c_d~e", "a%20b", "a!$&'()*+,;=b", "h:", "h:65535" };
	static const char *const bad[] = { "a b", "a/b", "a@b", "a:b", "a:123456", "a:1:2", "[::1", "::1]", "[]",
		"[::1]x", "[g]", "a%2", "a%zz", "a\"b", "a<b", "a\\b", "a#b", "a?b", "a\xc3\xa9", "http://a", "[::1]:x",
		"a\tb" };
	char text[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		int len = snprintf(text, sizeof text, GET "Host: %s\r\n\r\n", good[i]);

		assert_int_equal(parse((struct str){ text, (size_t)len }), len);
		assert_true(str_is(head.host, good[i]));
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		int len = snprintf(text, sizeof text, GET "Host: %s\r\n\r\n", bad[i]);

		assert_int_equal(parse((struct str){ text, (size_t)len }), -HEAD_BAD);
	}
	assert_refused(GET "\r\n", HEAD_BAD);
	assert_refused(GET "Hosts: a\r\n\r\n", HEAD_BAD);
	assert_refused(GET HOST HOST "\r\n", HEAD_BAD);
	assert_refused(GET "Host:\r\nHost:\r\n\r\n", HEAD_BAD);
	assert_refused("GET / HTTP/1.0\r\n" HOST HOST "\r\n", HEAD_BAD);
}

static void test_connection(void **state)
{
	(void)state;
	assert_parsed(GET HOST "Connection: Close\r\n\r\n");
	assert_true(!head.keep_alive && head.closes);
	assert_parsed(GET HOST "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\n");
	assert_true(head.keep_alive && head.wants_upgrade);
	assert_parsed(GET HOST "Connection: x\r\nConnection: ,close , keep-alive\r\n\r\n");
	assert_false(head.keep_alive);
	assert_parsed(GET HOST "Connection: closed, not-close, xupgrade\r\n\r\n");
	assert_true(head.keep_alive && !head.wants_upgrade);
	assert_parsed("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n");
	assert_true(head.keep_alive);
	assert_parsed("GET / HTTP/1.0\r\nConnection: close, keep-alive\r\n\r\n");
	assert_false(head.keep_alive);
	assert_parsed("GET / HTTP/1.0\r\n\r\n");
	assert_false(head.keep_alive);
}

static void test_expect(void **state)
{
	(void)state;
	assert_parsed(GET HOST "Expect: 100-Continue\r\n\r\n");
	assert_true(head.expects_continue && !head.expects_unknown);
	assert_parsed(GET HOST "Expect: 100-continue, teapot\r\n\r\n");
	assert_true(head.expects_continue && head.expects_unknown);
	assert_parsed(GET HOST "Expect: 100-continue;x=y\r\n\r\n");
	assert_true(!head.expects_continue && head.expects_unknown);
	assert_parsed("GET / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n");
	assert_true(!head.expects_continue && !head.expects_unknown);
	assert_parsed(GET HOST "\r\n");
	assert_true(!head.expects_continue && !head.expects_unknown && !head.wants_upgrade);
}

static void test_lists(void **state)
{
	(void)state;
	assert_parsed(GET HOST "X: a, b;q=1 ,, \"c, d\",e\r\nX: f\r\nY: \"open, g\r\n\r\n");
	assert_true(head_has_token(&head, "x", "A"));
	assert_true(head_has_token(&head, "X", "b"));
	assert_true(head_has_token(&head, "x", "e"));
	assert_true(head_has_token(&head, "x", "f"));
	assert_false(head_has_token(&head, "x", "d\""));
	assert_false(head_has_token(&head, "x", "d"));
	assert_false(head_has_token(&head, "x", ""));
	assert_false(head_has_token(&head, "y", "g"));
	assert_false(head_has_token(&head, "z", "a"));
	assert_parsed(GET HOST "X: \"\\\", no\", yes\r\n\r\n");
	assert_true(head_has_token(&head, "x", "yes"));
	assert_false(head_has_token(&head, "x", "no\""));
}

static char *filled(const char *before, size_t count, const char *after, size_t *ret_len)
{
	size_t before_len = strlen(before), after_len = strlen(after);
	char *text = malloc(before_len + count + after_len);

	memcpy(text, before, before_len);
	memset(text + before_len, 'a', count);
	memcpy(text + before_len + count, after, after_len);
	*ret_len = before_len + count + after_len;
	return text;
}

static ssize_t parse_filled(const char *before, size_t count, const char *after)
{
	AUTOFREE char *text = NULL;
	size_t len;

	text = filled(before, count, after, &len);
	return parse((struct str){ text, len });
}

static void test_lines_of_one_name_are_one_value(void **state)
{
	struct arena arena;
	struct str value;

	(void)state;
	arena_init(&arena, 4096);
	assert_parsed(GET HOST "Accept: a/b\r\nX: y\r\nACCEPT:\r\naccept: c/d, e/f \r\nEmpty:\r\n\r\n");
	assert_int_equal(head_join(&arena, &head, "accept", &value), 0);
	assert_true(str_is(value, "a/b, , c/d, e/f"));
	assert_int_equal(head_join(&arena, &head, "x", &value), 0);
	assert_true(str_is(value, "y"));
	assert_int_equal(head_join(&arena, &head, "empty", &value), 0);
	assert_true(value.p && value.len == 0);
	assert_int_equal(head_join(&arena, &head, "none", &value), 0);
	assert_null(value.p);
	arena_free(&arena);
	arena_init(&arena, 0);
	assert_int_equal(head_join(&arena, &head, "accept", &value), -ENOMEM);
	arena_free(&arena);
}

static void test_what_came_of_a_refused_head(void **state)
{
	(void)state;
	assert_true(str_is(
		head_peek(STR("GET /\x01 HTTP/1.1\r\nno field\r\norigin:  a b \r\nOrigin: c\r\n"), "origin"), "a b"));
	assert_true(str_is(head_peek(STR("\x16\x03\nOrigin:x\n"), "origin"), "x"));
	assert_null(head_peek(STR("GET / HTTP/1.1\r\nOrigin: cut"), "origin").p);
	assert_null(head_peek(STR("Origin: in the first line\r\n"), "origin").p);
	assert_null(head_peek(STR("GET / HTTP/1.1\r\n\r\nOrigin: behind the head\r\n"), "origin").p);
	assert_null(head_peek(STR(""), "origin").p);
}

static void test_line_limit(void **state)
{
	size_t fixed = sizeof("GET / HTTP/1.1") - 1, most = HEAD_LINE_MAX - fixed;

	(void)state;
	assert_true(parse_filled("GET /", most, " HTTP/1.1\r\n" HOST "\r\n") > HEAD_LINE_MAX);
	assert_int_equal(parse_filled("GET /", most + 1, " HTTP/1.1\r\n" HOST "\r\n"), -HEAD_LINE_TOO_LONG);
	assert_int_equal(parse_filled("GET /", 100 * 1024, ""), -HEAD_LINE_TOO_LONG);
	assert_int_equal(parse_filled("GET /", HEAD_LINE_MAX - 5, ""), 0);
	/* What comes first decides, also when all is there at once. */
	assert_int_equal(parse_filled("GET /\x01", 100 * 1024, ""), -HEAD_BAD);
	assert_int_equal(parse_filled("GET /", 100 * 1024, "\x01"), -HEAD_LINE_TOO_LONG);
}

static void test_empty_lines_are_bounded(void **state)
{
	(void)state;
	assert_parsed("\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n" GET HOST "\r\n");
	assert_refused("\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n" GET HOST "\r\n", HEAD_BAD);
	assert_int_equal(parse_filled("\r\nGET /", HEAD_LINE_MAX - 2 - 14, " HTTP/1.1\r\n" HOST "\r\n") > 0, true);
	assert_int_equal(
		parse_filled("\r\nGET /", HEAD_LINE_MAX - 2 - 13, " HTTP/1.1\r\n" HOST "\r\n"), -HEAD_LINE_TOO_LONG);
}

static void test_fields_limit(void **state)
{
	size_t fixed = sizeof(HOST "X: \r\n") - 1, most = HEAD_FIELDS_MAX - fixed;

	(void)state;
	assert_true(parse_filled(GET HOST "X: ", most, "\r\n\r\n") > HEAD_FIELDS_MAX);
	assert_int_equal(parse_filled(GET HOST "X: ", most + 1, "\r\n\r\n"), -HEAD_FIELDS_TOO_LARGE);
	assert_int_equal(parse_filled(GET HOST "X: ", most + 3, "\r\n\r\n"), -HEAD_FIELDS_TOO_LARGE);
	assert_int_equal(parse_filled(GET HOST "X: ", 100 * 1024, ""), -HEAD_FIELDS_TOO_LARGE);
	assert_int_equal(parse_filled(GET HOST "X: ", most, ""), 0);
	assert_int_equal(parse_filled(GET HOST, 100 * 1024, ""), -HEAD_FIELDS_TOO_LARGE);
}

static ssize_t parse_lines(size_t count, const char *end)
{
	char text[1024] = GET HOST;
	size_t len = strlen(text);

	for (size_t i = 1; i < count; i++)
		len += (size_t)snprintf(text + len, sizeof text - len, "a:\r\n");
	snprintf(text + len, sizeof text - len, "%s", end);
	return parse(str_of(text));
}

static void test_count_limit(void **state)
{
	(void)state;
	assert_true(parse_lines(HEAD_FIELDS_COUNT, "\r\n") > 0);
	assert_int_equal(head.count, HEAD_FIELDS_COUNT);
	assert_int_equal(parse_lines(HEAD_FIELDS_COUNT + 1, "\r\n"), -HEAD_FIELDS_TOO_LARGE);
	assert_int_equal(parse_lines(HEAD_FIELDS_COUNT, "a"), -HEAD_FIELDS_TOO_LARGE);
	assert_int_equal(parse_lines(HEAD_FIELDS_COUNT, " "), -HEAD_BAD);
}

static void test_from_is_ready_for_the_next_head(void **state)
{
	struct str two = STR(GET HOST "\r\n" GET HOST "\r\n");
	size_t from = 0, half = two.len / 2;

	(void)state;
	assert_int_equal(head_parse((struct str){ two.p, 5 }, &from, &head), 0);
	assert_int_equal(from, 5);
	assert_int_equal(head_parse(two, &from, &head), half);
	assert_int_equal(from, 0);
	assert_int_equal(head_parse((struct str){ two.p + half, half }, &from, &head), half);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_what_follows_is_left),
		cmocka_unit_test(test_every_prefix_is_unfinished),
		cmocka_unit_test(test_methods),
		cmocka_unit_test(test_targets),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_line_ends),
		cmocka_unit_test(test_control_bytes),
		cmocka_unit_test(test_field_names),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_codings),
		cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_connection),
		cmocka_unit_test(test_expect),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_lines_of_one_name_are_one_value),
		cmocka_unit_test(test_what_came_of_a_refused_head),
		cmocka_unit_test(test_line_limit),
		cmocka_unit_test(test_empty_lines_are_bounded),
		cmocka_unit_test(test_fields_limit),
		cmocka_unit_test(test_count_limit),
		cmocka_unit_test(test_from_is_ready_for_the_next_head),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
