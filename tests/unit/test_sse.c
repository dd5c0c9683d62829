/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Server-Sent Events: what is written, and that the reader gives the same events however the
 * stream is cut.  A story is one "event|id|data;" per event.
 */
#include "wire/sse.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { LIMIT = 64 * 1024 };

static int feed(struct sse_reader *r, struct str bytes, struct buf *story)
{
	while (bytes.len) {
		size_t taken = 0;
		int told = sse_reader_feed(r, bytes, &taken);

		if (told < 0)
			return told;
		assert_true(taken > 0 && taken <= bytes.len && (told || taken == bytes.len));
		bytes.p += taken;
		bytes.len -= taken;
		if (told) {
			buf_add(story, r->event.data, r->event.len);
			buf_adds(story, "|");
			buf_add(story, r->id.data, r->id.len);
			buf_adds(story, "|");
			buf_add(story, r->data.data, r->data.len);
			buf_adds(story, ";");
		}
	}
	return 0;
}

static int read_pieces(struct str bytes, size_t first, size_t steps, struct buf *story)
{
	struct sse_reader r;
	size_t piece;
	int result = 0;

	buf_init(story, 2 * LIMIT);
	sse_reader_init(&r, LIMIT);
	for (size_t at = 0; at < bytes.len && result == 0; at += piece) {
		char *copy;

		piece = MIN(at == 0 && first ? first : steps, bytes.len - at);
		copy = malloc(piece);
		memcpy(copy, bytes.p + at, piece);
		result = feed(&r, (struct str){ copy, piece }, story);
		free(copy);
	}
	sse_reader_free(&r);
	return result;
}

static void check_story(struct str bytes, struct str want)
{
	for (size_t i = 0; i <= bytes.len; i++) {
		AUTOBUF struct buf cut = { 0 }, steps = { 0 };

		assert_int_equal(read_pieces(bytes, i, bytes.len, &cut), 0);
		assert_int_equal(read_pieces(bytes, 0, i + 1, &steps), 0);
		assert_true(str_eq(buf_str(&cut), want));
		assert_true(str_eq(buf_str(&steps), want));
	}
}

#define assert_story(text, want) check_story(STR(text), STR(want))

static void test_events(void **state)
{
	(void)state;
	assert_story("event: start\ndata: {\"pid\":1}\n\n", "start||{\"pid\":1};");
	assert_story("data: a\n\ndata: b\n\n", "||a;||b;");
	assert_story("data:a\n\n", "||a;");
	assert_story("data:  a \n\n", "|| a ;");
	assert_story("data\n\n", "||;");
	assert_story("data:\n\n", "||;");
	assert_story("data: a\ndata: b\ndata\n\n", "||a\nb\n;");
	assert_story("event: x\n\ndata: a\n\n", "||a;");
	assert_story("event: x\nevent: y\ndata: a\n\ndata: b\n\n", "y||a;||b;");
	assert_story("data: a:b: c\n\n", "||a:b: c;");
}

static void test_what_is_no_event(void **state)
{
	(void)state;
	assert_story("", "");
	assert_story("\n\n\n", "");
	assert_story(": comment\n\n: \n\n", "");
	assert_story("data: cut", "");
	assert_story("data: cut\n", "");
	assert_story("retry: 10\nfoo: bar\nDATA: x\n data: y\ndata : z\n\n", "");
	assert_story("data: a\n: between\ndata: b\n\n", "||a\nb;");
}

static void test_ids(void **state)
{
	(void)state;
	assert_story("id: 5\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", "|5|a;|5|b;||c;");
	assert_story("id: 5\n\ndata: b\n\n", "|5|b;");
	assert_story("id: 5\nid: 6\0\ndata: a\n\n", "|5|a;");
}

static void test_line_ends(void **state)
{
	(void)state;
	assert_story("data: a\r\n\r\n", "||a;");
	assert_story("data: a\r\r", "||a;");
	assert_story("data: a\r\n\rdata: b\n\r\n", "||a;||b;");
	assert_story("data: a\rdata: b\ndata: c\r\n\n", "||a\nb\nc;");
	assert_story("data: a\n\r\r\ndata: b\r\r\n", "||a;||b;");
	assert_story("\r\n\r\ndata: a\r\n\r\n", "||a;");
}

static void test_only_line_ends_end_a_line(void **state)
{
	(void)state;
	assert_story("data: x\xe2\x80\xa8y\xc2\x85z\vw\fv\x1cu\x1dt\x1es\xe2\x80\xa9r\0q\n\n",
		"||x\xe2\x80\xa8y\xc2\x85z\vw\fv\x1cu\x1dt\x1es\xe2\x80\xa9r\0q;");
}

static void test_byte_order_mark(void **state)
{
	(void)state;
	assert_story("\xef\xbb\xbf"
		     "data: a\n\n",
		"||a;");
	assert_story("\xef\xbb\xbf\n\xef\xbb\xbf"
		     "data: a\n\ndata: b\n\n",
		"||b;");
	assert_story("\xef\xbb\xbf\xef\xbb\xbf"
		     "data: a\n\n",
		"");
	assert_story("data: \xef\xbb\xbf\n\n", "||\xef\xbb\xbf;");
}

static void check_limit(size_t len, size_t lines, int want)
{
	AUTOBUF struct buf text = { .limit = 8 * LIMIT }, story = { 0 };

	for (size_t line = 0; line < lines; line++) {
		buf_adds(&text, "data:");
		for (size_t i = 0; i < len; i++)
			buf_addc(&text, 'a');
		buf_adds(&text, "\n");
	}
	buf_adds(&text, "\n");
	assert_int_equal(read_pieces(buf_str(&text), 0, text.len, &story), want);
	buf_free(&story);
	assert_int_equal(read_pieces(buf_str(&text), 0, 1000, &story), want);
}

static void test_limits(void **state)
{
	(void)state;
	check_limit(LIMIT - strlen("data:"), 1, 0);
	check_limit(LIMIT - strlen("data:") + 1, 1, -EMSGSIZE);
	check_limit(LIMIT / 2 - 1, 2, 0);
	check_limit(LIMIT / 2, 2, -EMSGSIZE);
	check_limit(0, LIMIT, 0);
	check_limit(0, LIMIT + 1, -EMSGSIZE);
}

static void test_writing(void **state)
{
	AUTOBUF struct buf out = { .limit = LIMIT };

	(void)state;
	sse_begin(&out, "stdout", NULL);
	buf_adds(&out, "{}");
	sse_end(&out);
	assert_string_equal(out.data, "event: stdout\ndata: {}\n\n");
	buf_truncate(&out, 0);
	sse_begin(&out, "chunk", "17");
	buf_adds(&out, "{\"a\":1}");
	sse_end(&out);
	assert_string_equal(out.data, "event: chunk\nid: 17\ndata: {\"a\":1}\n\n");
	buf_adds(&out, SSE_COMMENT);
	sse_begin(&out, "exit", NULL);
	sse_end(&out);
	check_story(buf_str(&out), STR("chunk|17|{\"a\":1};exit|17|;"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_what_is_no_event),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_line_ends),
		cmocka_unit_test(test_only_line_ends_end_a_line),
		cmocka_unit_test(test_byte_order_mark),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_writing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
