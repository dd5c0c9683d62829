/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chunked coding: every body is read whole, in pieces of each size, and cut in two at
 * every place; what is malformed is refused at the byte that makes it so.
 */
#include "wire/chunked.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { BODY_MAX = 1 << 20 };

struct result {
	ssize_t taken; /* or -EINVAL */
	bool done;
};

static ssize_t feed(struct chunked *c, struct str bytes, struct buf *body)
{
	size_t taken = 0;

	while (taken < bytes.len && !chunked_done(c)) {
		struct str data = { 0 };
		ssize_t r = chunked_read(c, (struct str){ bytes.p + taken, bytes.len - taken }, &data);

		if (r < 0)
			return r;
		assert_true(r > 0 && (size_t)r <= bytes.len - taken);
		buf_add(body, data.p, data.len);
		taken += (size_t)r;
	}
	return (ssize_t)taken;
}

static struct result read_pieces(struct str bytes, size_t first, size_t step, struct buf *body)
{
	struct chunked c;
	size_t at = 0;

	buf_init(body, BODY_MAX);
	chunked_init(&c);
	for (size_t len = first; at < bytes.len && !chunked_done(&c); len = step) {
		size_t piece = MIN(len, bytes.len - at);
		char *copy = malloc(piece + !piece);
		ssize_t r;

		memcpy(copy, bytes.p + at, piece);
		r = feed(&c, (struct str){ copy, piece }, body);
		free(copy);
		if (r < 0)
			return (struct result){ r, false };
		at += (size_t)r;
	}
	return (struct result){ (ssize_t)at, chunked_done(&c) };
}

static struct result read_all(struct str bytes, struct buf *ret_body)
{
	struct result whole = read_pieces(bytes, bytes.len, bytes.len, ret_body);

	for (size_t i = 0; i <= bytes.len && bytes.len < 512; i++) {
		AUTOBUF struct buf cut = { 0 }, steps = { 0 };
		struct result a = read_pieces(bytes, i, bytes.len, &cut);
		struct result b = read_pieces(bytes, i + 1, i + 1, &steps);

		assert_true(a.taken == whole.taken && a.done == whole.done);
		assert_true(b.taken == whole.taken && b.done == whole.done);
		assert_true(str_eq(buf_str(&cut), buf_str(ret_body)) && str_eq(buf_str(&steps), buf_str(ret_body)));
	}
	return whole;
}

static void check_body(struct str bytes, struct str body, size_t left)
{
	AUTOBUF struct buf got = { 0 };
	struct result r = read_all(bytes, &got);

	assert_int_equal(r.taken, bytes.len - left);
	assert_true(r.done);
	assert_true(str_eq(buf_str(&got), body));
}

static void check_refused(struct str bytes)
{
	AUTOBUF struct buf got = { 0 };

	assert_int_equal(read_all(bytes, &got).taken, -EINVAL);
}

static void check_unfinished(struct str bytes)
{
	AUTOBUF struct buf got = { 0 };
	struct result r = read_all(bytes, &got);

	assert_int_equal(r.taken, bytes.len);
	assert_false(r.done);
}

#define assert_body(text, body) check_body(STR(text), STR(body), 0)
#define assert_refused(text) check_refused(STR(text))

static void test_bodies(void **state)
{
	(void)state;
	assert_body("0\r\n\r\n", "");
	assert_body("5\r\nhello\r\n0\r\n\r\n", "hello");
	assert_body("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", "hello world");
	assert_body("a\r\n0123456789\r\nA\r\n0123456789\r\n000\r\n\r\n", "01234567890123456789");
	assert_body("4\r\n\r\n\r\n\r\n0\r\n\r\n", "\r\n\r\n");
	assert_body("5\r\n0\r\n\r\n\r\n0\r\n\r\n", "0\r\n\r\n");
	assert_body("000000000000001\r\nx\r\n000000000000000\r\n\r\n", "x");
	check_body(STR("1\r\nx\r\n0\r\n\r\nGET / HTTP"), STR("x"), 10);
}

static void test_sizes(void **state)
{
	AUTOBUF struct buf many = { .limit = BODY_MAX };

	(void)state;
	assert_refused("FFFFFFFFFFFFFFFF\r\nx");
	assert_refused("8000000000000000\r\nx");
	assert_refused("0000000000000001\r\nx\r\n0\r\n\r\n");
	assert_refused("-1\r\nx");
	assert_refused("+1\r\nx");
	assert_refused("0x1\r\nx");
	assert_refused(" 1\r\nx");
	assert_refused("1 \r\nx");
	assert_refused("1\t;a\r\nx");
	assert_refused("\r\n");
	assert_refused("\r\n0\r\n\r\n");
	assert_refused(";a\r\n");
	assert_refused("g\r\n");
	assert_refused("1,\r\n");
	assert_refused("1\0\r\n");
	for (size_t i = 0; i < 5000; i++)
		buf_addc(&many, '1');
	check_refused(buf_str(&many));
	check_unfinished(STR("fffffffffffffff\r\nx"));
}

static void test_line_ends(void **state)
{
	(void)state;
	assert_refused("5\nhello\n0\n\n");
	assert_refused("5\r\nhello\n0\r\n\r\n");
	assert_refused("5\r\nhello0\r\n\r\n");
	assert_refused("5\r\nhello!\r\n0\r\n\r\n");
	assert_refused("5\r\nhell\r\n0\r\n\r\n");
	assert_refused("5\r\nhello\r0\r\n\r\n");
	assert_refused("5\rhello\r\n0\r\n\r\n");
	assert_refused("0\r\n\n");
	assert_refused("0\r\n\r\r\n");
	assert_refused("0\n\r\n");
}

static void check_extension(size_t len, bool good)
{
	AUTOBUF struct buf text = { .limit = 2 * BODY_MAX };

	buf_adds(&text, "1;");
	for (size_t i = 1; i < len; i++)
		buf_addc(&text, 'e');
	buf_adds(&text, "\r\nx\r\n0;z\r\n\r\n");
	if (good)
		check_body(buf_str(&text), STR("x"), 0);
	else
		check_refused(buf_str(&text));
}

static void test_extensions(void **state)
{
	(void)state;
	assert_body("1;a=\"b;\t c\"\r\nx\r\n0;y\r\n\r\n", "x");
	assert_refused("1;a\nx\r\n0\r\n\r\n");
	assert_refused("1;a\rb\r\nx\r\n0\r\n\r\n");
	assert_refused("1;\0\r\nx\r\n0\r\n\r\n");
	assert_refused("1;\x7f\r\nx\r\n0\r\n\r\n");
	check_extension(1, true);
	check_extension(1024, true);
	check_extension(1025, false);
	check_extension(1 << 20, false);
}

static void check_trailers(size_t count, bool good)
{
	AUTOBUF struct buf text = { .limit = BODY_MAX };

	buf_adds(&text, "1\r\nx\r\n0;this does not count\r\n");
	for (size_t i = 0; i < count; i++)
		buf_adds(&text, "a: 45\r\n"); /* 7 bytes */
	buf_adds(&text, "\r\n");
	if (good)
		check_body(buf_str(&text), STR("x"), 0);
	else
		check_refused(buf_str(&text));
}

static void test_trailers(void **state)
{
	(void)state;
	assert_body("1\r\nx\r\n0\r\nA: b\r\nContent-Length: 7\r\n\r\n", "x");
	assert_body("0\r\nA:\r\n\r\n", "");
	assert_refused("0\r\nA\r\n\r\n");
	assert_refused("0\r\n: b\r\n\r\n");
	assert_refused("0\r\nA : b\r\n\r\n");
	assert_refused("0\r\nA: b\r\n c\r\n\r\n");
	assert_refused("0\r\nA: b\n\r\n");
	assert_refused("0\r\nA: b\rc\r\n\r\n");
	assert_refused("0\r\nA: \0\r\n\r\n");
	check_trailers(4096 / 7, true);
	check_trailers(4096 / 7 + 1, false);
	check_trailers(10000, false);
}

static void test_truncated(void **state)
{
	struct str text = STR("5;x\r\nhello\r\n0\r\nA: b\r\n\r\n");

	(void)state;
	for (size_t len = 0; len < text.len; len++)
		check_unfinished((struct str){ text.p, len });
}

static void test_a_broken_one_stays_broken(void **state)
{
	struct chunked c;
	struct str data = { 0 };

	(void)state;
	chunked_init(&c);
	assert_int_equal(chunked_read(&c, STR("x"), &data), -EINVAL);
	assert_int_equal(chunked_read(&c, STR("0\r\n\r\n"), &data), -EINVAL);
	assert_false(chunked_done(&c));
}

static void test_a_done_one_takes_no_more(void **state)
{
	struct chunked c;
	struct str data = { 0 };

	(void)state;
	chunked_init(&c);
	assert_int_equal(chunked_read(&c, STR(CHUNKED_END), &data), CHUNKED_END_LEN);
	assert_true(chunked_done(&c));
	assert_int_equal(chunked_read(&c, STR("GET"), &data), 0);
	assert_int_equal(data.len, 0);
}

static void test_heads(void **state)
{
	static const struct {
		size_t len;
		const char *text;
	} rows[] = { { 1, "1\r\n" }, { 15, "f\r\n" }, { 16, "10\r\n" }, { 0xabcdef, "abcdef\r\n" },
		{ SIZE_MAX, "ffffffffffffffff\r\n" } };
	char to[CHUNKED_HEAD_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t len = chunked_head(to, rows[i].len);

		assert_true(str_is((struct str){ to, len }, rows[i].text));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bodies),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_line_ends),
		cmocka_unit_test(test_extensions),
		cmocka_unit_test(test_trailers),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_a_broken_one_stays_broken),
		cmocka_unit_test(test_a_done_one_takes_no_more),
		cmocka_unit_test(test_heads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
