/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaches wire/chunked.c: both directions.
 * Properties: pieces of any size give the body, the end and the verdict of the whole; a body
 * that was accepted, written again in chunks of another size, reads back the same.
 */
#include "wire/chunked.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BODY_MAX = 1 << 20 };

static ssize_t feed(struct chunked *c, struct str bytes, struct buf *body)
{
	size_t taken = 0;

	while (taken < bytes.len && !chunked_done(c)) {
		struct str data = { 0 };
		ssize_t r = chunked_read(c, (struct str){ bytes.p + taken, bytes.len - taken }, &data);

		if (r < 0)
			return r;
		assert(r > 0 && (size_t)r <= bytes.len - taken);
		buf_add(body, data.p, data.len);
		taken += (size_t)r;
	}
	return (ssize_t)taken;
}

static ssize_t read_pieces(struct str bytes, size_t step, struct chunked *c, struct buf *body)
{
	size_t at = 0;

	chunked_init(c);
	while (at < bytes.len && !chunked_done(c)) {
		size_t piece = MIN(step, bytes.len - at);
		char *copy = malloc(piece);
		ssize_t r;

		memcpy(copy, bytes.p + at, piece);
		r = feed(c, (struct str){ copy, piece }, body);
		free(copy);
		if (r < 0)
			return r;
		at += (size_t)r;
	}
	return (ssize_t)at;
}

static void check_written(struct str body, size_t step)
{
	AUTOBUF struct buf text = { .limit = BODY_MAX }, again = { .limit = BODY_MAX };
	struct chunked c;

	for (size_t at = 0; at < body.len; at += step) {
		size_t len = MIN(step, body.len - at);
		char head[CHUNKED_HEAD_MAX];

		buf_add(&text, head, chunked_head(head, len));
		buf_add(&text, body.p + at, len);
		buf_adds(&text, CHUNKED_TAIL);
	}
	buf_adds(&text, CHUNKED_END);
	assert(read_pieces(buf_str(&text), 7, &c, &again) == (ssize_t)text.len);
	assert(chunked_done(&c) && str_eq(buf_str(&again), body));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTOBUF struct buf whole = { .limit = BODY_MAX }, pieces = { .limit = BODY_MAX };
	struct str bytes = { (const char *)data + 1, size - 1 };
	struct chunked a, b;
	ssize_t taken;

	if (size < 2)
		return 0;
	taken = read_pieces(bytes, bytes.len, &a, &whole);
	assert(read_pieces(bytes, (size_t)data[0] % 16 + 1, &b, &pieces) == taken);
	assert(chunked_done(&a) == chunked_done(&b));
	assert(str_eq(buf_str(&whole), buf_str(&pieces)));
	if (chunked_done(&a))
		check_written(buf_str(&whole), (size_t)data[0] + 1);
	return 0;
}
