/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaches json_parse() with its keys, numbers and unescaping, json_tree() both ways and
 * json_escape().  What is accepted is written, read and written again: the second text is the
 * first.  Whatever the bytes are, they come out of json_text() as strict JSON.
 */
#include "base/budget.h"
#include "base/json_write.h"
#include "base/utf8.h"

#include <stdlib.h>

enum { ARENA_MAX = 64 * 1024 * 1024, TEXT_MAX = 64 * 1024 * 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void write_tree(struct buf *out, const struct json *value, bool sorted)
{
	struct json_writer w;

	buf_init(out, TEXT_MAX);
	json_write_init(&w, out);
	json_tree(&w, value, sorted);
	require(!buf_failed(out));
	require(utf8_valid(buf_str(out)));
}

static void round_trip(struct arena *arena, const struct json *value, bool sorted)
{
	AUTOBUF struct buf first, text, second;
	struct json *again;
	struct json_error error;

	write_tree(&first, value, sorted);
	buf_init(&text, TEXT_MAX);
	buf_add(&text, first.data, first.len);
	require(json_parse(arena, text.data, text.len, &again, &error) == 0);
	write_tree(&second, again, sorted);
	require(str_eq(buf_str(&first), buf_str(&second)));
}

/* An array of one string with these bytes. */
static void as_text(struct arena *arena, struct str bytes)
{
	AUTOBUF struct buf out;
	struct json_writer w;
	struct json *value;
	struct json_error error;

	buf_init(&out, TEXT_MAX);
	json_write_init(&w, &out);
	json_array_begin(&w);
	json_text(&w, bytes);
	json_array_end(&w);
	for (size_t i = 0; i < out.len; i++)
		require((unsigned char)out.data[i] >= 0x20 && out.data[i] != 0x7f);
	require(json_parse(arena, out.data, out.len, &value, &error) == 0);
	if (utf8_valid(bytes))
		require(str_eq(value->first->text, bytes));
}

static void parse(struct arena *arena, char *text, size_t len)
{
	struct json_error error = { .reason = NULL };
	struct json *value;

	if (json_parse(arena, text, len, &value, &error) < 0) {
		require(error.line >= 1 && error.column >= 1 && error.column <= len + 1 && error.reason);
		return;
	}
	round_trip(arena, value, false);
	round_trip(arena, value, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena;
	/* Of the exact size, so that reading behind it is seen. */
	AUTOFREE char *text = malloc(size + !size);

	if (size)
		memcpy(text, data, size);
	arena_init(&arena, ARENA_MAX);
	as_text(&arena, (struct str){ (const char *)data, size });
	parse(&arena, text, size);
	arena_free(&arena);
	require(budget_used() == 0);
	return 0;
}
