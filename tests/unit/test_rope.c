/* SPDX-License-Identifier: Apache-2.0 */
/* Large strings that are not copied: the same bytes, whatever the room. */
#include "base/budget.h"
#include "base/rope.h"

#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { LARGE = 10 * 1024 * 1024, MEDIUM = 20000, TEXT_LIMIT = 1 << 20 };

/* Everything that escaping changes, and characters of every length. */
static char *mixed(size_t len)
{
	static const char *const pieces[] = { "plain text ", "\"", "\\", "\n", "\x01", "\x7f", "\xc3\xa9",
		"\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xe2\x80\xa8", "\xff", "\xf0\x90\x80", "\xed\xa0\x80", "\xe2\x82",
		"\xc2" };
	char *text = malloc(len);
	size_t at = 0;
	unsigned random = 1;

	while (at < len) {
		const char *piece = pieces[((random = random * 1103515245 + 12345) >> 16) % ARRAY_LEN(pieces)];
		size_t n = MIN(strlen(piece), len - at);

		memcpy(text + at, piece, n);
		at += n;
	}
	return text;
}

static void write_direct(struct buf *out, struct str a, struct str b)
{
	struct json_writer w;

	json_write_init(&w, out);
	json_object_begin(&w);
	json_key(&w, "text");
	json_text(&w, a);
	json_key(&w, "n");
	json_int(&w, 7);
	json_key(&w, "bytes");
	json_base64(&w, b);
	json_key(&w, "more");
	json_array_begin(&w);
	json_text(&w, a);
	json_text(&w, STR("small"));
	json_base64(&w, b);
	json_array_end(&w);
	json_object_end(&w);
}

static void write_rope(struct rope *r, struct str a, struct str b)
{
	struct json_writer *w = &r->writer;

	json_object_begin(w);
	json_key(w, "text");
	rope_text(r, a);
	json_key(w, "n");
	json_int(w, 7);
	json_key(w, "bytes");
	rope_base64(r, b);
	json_key(w, "more");
	json_array_begin(w);
	rope_text(r, a);
	rope_text(r, STR("small"));
	rope_base64(r, b);
	json_array_end(w);
	json_object_end(w);
}

/* Reads with this room and compares with what a writer makes of the same values. */
static void same(size_t a_len, size_t b_len, size_t room)
{
	AUTOFREE char *text = mixed(a_len + b_len);
	struct str a = { text, a_len }, b = { text + a_len, b_len };
	AUTOBUF struct buf expected, window;
	struct arena arena;
	struct rope r;
	size_t done = 0;

	buf_init(&expected, (size_t)LARGE * 20);
	buf_init(&window, room + 16);
	write_direct(&expected, a, b);
	arena_init(&arena, 1 << 16);
	rope_init(&r, &arena, TEXT_LIMIT);
	write_rope(&r, a, b);
	assert_false(rope_failed(&r));
	assert_int_equal(rope_is_short(&r), a_len <= ROPE_INLINE_MAX && b_len <= ROPE_INLINE_MAX);
	while (rope_read(&r, &window, room)) {
		assert_true(window.len > 0 && window.len <= room + 16);
		assert_true(done + window.len <= expected.len);
		if (memcmp(window.data, expected.data + done, window.len) != 0)
			fail_msg("room %zu: other bytes near %zu", room, done);
		done += window.len;
		buf_truncate(&window, 0);
	}
	assert_false(buf_failed(&window));
	assert_int_equal(done, expected.len);
	assert_int_equal(window.len, 0);
	rope_free(&r);
	arena_free(&arena);
	assert_int_equal(budget_used(), 0);
}

static void small_values_are_written_at_once(void **state)
{
	(void)state;
	same(0, 0, 10);
	same(100, 100, 1);
	same(ROPE_INLINE_MAX, ROPE_INLINE_MAX, 1000);
}

static void any_room(void **state)
{
	(void)state;
	for (size_t room = 0; room < 70; room++)
		same(MEDIUM + room, MEDIUM + room % 4, room);
	same(ROPE_INLINE_MAX + 1, 10, 4096);
	same(10, ROPE_INLINE_MAX + 1, 4096);
}

static void ten_megabytes(void **state)
{
	(void)state;
	static const size_t rooms[] = { 7, 64, 4093, 65536, LARGE };

	for (size_t i = 0; i < ARRAY_LEN(rooms); i++)
		same(LARGE, LARGE, rooms[i]);
}

static void a_large_value_costs_a_window(void **state)
{
	(void)state;
	AUTOFREE char *text = mixed(LARGE);
	AUTOBUF struct buf window;
	struct arena arena;
	struct rope r;

	arena_init(&arena, 4096);
	rope_init(&r, &arena, 4096);
	buf_init(&window, 4096 + 16);
	rope_text(&r, (struct str){ text, LARGE });
	while (rope_read(&r, &window, 4096))
		buf_truncate(&window, 0);
	assert_false(buf_failed(&window));
	assert_true(r.text.cap <= 4097 && arena.used <= 4096);
	assert_false(rope_is_short(&r));
	rope_free(&r);
	arena_free(&arena);
}

static void limits_fail_it(void **state)
{
	(void)state;
	AUTOFREE char *text = mixed(LARGE);
	AUTOBUF struct buf out;
	struct arena arena;
	struct rope r;

	arena_init(&arena, 0);
	buf_init(&out, 100);
	rope_init(&r, &arena, TEXT_LIMIT);
	rope_text(&r, (struct str){ text, LARGE });
	assert_true(rope_failed(&r));
	assert_false(rope_read(&r, &out, 10));
	assert_int_equal(out.len, 0);
	rope_free(&r);
	rope_init(&r, &arena, 10);
	rope_text(&r, STR("more than ten bytes"));
	assert_true(rope_failed(&r));
	rope_free(&r);
	arena_free(&arena);
}

static void a_full_window_ends_reading(void **state)
{
	(void)state;
	AUTOFREE char *text = mixed(LARGE);
	AUTOBUF struct buf out;
	struct arena arena;
	struct rope r;

	arena_init(&arena, 4096);
	buf_init(&out, 10);
	rope_init(&r, &arena, TEXT_LIMIT);
	rope_text(&r, (struct str){ text, LARGE });
	assert_false(rope_read(&r, &out, 100));
	assert_true(buf_failed(&out));
	rope_free(&r);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_values_are_written_at_once),
		cmocka_unit_test(any_room),
		cmocka_unit_test(ten_megabytes),
		cmocka_unit_test(a_large_value_costs_a_window),
		cmocka_unit_test(limits_fail_it),
		cmocka_unit_test(a_full_window_ends_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
