/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaches wire/sse.c: the reader with every kind of line end and the limits, and the writer.
 * Properties: pieces of any size give the events of the whole; data that was read, written
 * again line by line, is read as the same data.
 */
#include "wire/sse.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STORY_MAX = 1 << 20, LIMIT = 512 };

static void check_written(struct str data)
{
	AUTOBUF struct buf out = { .limit = STORY_MAX };
	struct sse_reader r;
	struct str rest = data;
	size_t taken = 0, lines = 1;

	sse_begin(&out, "name", "id");
	for (size_t i = 0; i < data.len; i++)
		lines += data.p[i] == '\n';
	while (lines--) {
		struct str line = str_cut(&rest, '\n');

		buf_add(&out, line.p, line.len);
		buf_adds(&out, lines ? "\ndata: " : "");
	}
	sse_end(&out);
	sse_reader_init(&r, STORY_MAX);
	assert(sse_reader_feed(&r, buf_str(&out), &taken) == 1 && taken == out.len);
	assert(str_eq(buf_str(&r.data), data));
	assert(str_is(buf_str(&r.event), "name") && str_is(buf_str(&r.id), "id"));
	sse_reader_free(&r);
}

static void tell(const struct sse_reader *r, struct buf *story)
{
	const struct buf *parts[] = { &r->event, &r->id, &r->data };

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		buf_add(story, &parts[i]->len, sizeof parts[i]->len);
		buf_add(story, parts[i]->data, parts[i]->len);
	}
	check_written(buf_str(&r->data));
}

static int read_pieces(struct str bytes, size_t step, struct buf *story)
{
	struct sse_reader r;
	size_t at = 0;
	int told = 0;

	sse_reader_init(&r, LIMIT);
	while (at < bytes.len && told >= 0) {
		size_t piece = MIN(step - at % step, bytes.len - at), taken = 0;
		char *copy = malloc(piece);

		memcpy(copy, bytes.p + at, piece);
		told = sse_reader_feed(&r, (struct str){ copy, piece }, &taken);
		free(copy);
		assert(told != 0 || taken == piece);
		if (told == 1)
			tell(&r, story);
		at += taken;
	}
	sse_reader_free(&r);
	return told < 0 ? told : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTOBUF struct buf whole = { .limit = STORY_MAX }, pieces = { .limit = STORY_MAX };
	struct str bytes = { (const char *)data + 1, size - 1 };
	int r;

	if (size < 2)
		return 0;
	r = read_pieces(bytes, bytes.len, &whole);
	assert(read_pieces(bytes, (size_t)data[0] % 16 + 1, &pieces) == r);
	assert(str_eq(buf_str(&whole), buf_str(&pieces)));
	return 0;
}
