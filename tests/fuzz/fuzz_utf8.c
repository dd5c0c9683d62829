/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaches all of utf8.h: the fast ways agree with going character by character, tails and cuts
 * split no character, and a text cut at any place into two reads escapes to the same JSON.
 */
#include "base/json_write.h"
#include "base/utf8.h"

#include <stdlib.h>

enum { TEXT_MAX = 16 * 1024 * 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static struct str from(struct str text, size_t at)
{
	return (struct str){ text.p + at, text.len - at };
}

static void prefix_is_of_characters(struct str text)
{
	size_t done = 0;
	size_t len;

	while ((len = utf8_char_len(from(text, done))) > 0)
		done += len;
	require(utf8_valid_prefix(text) == done);
	require(utf8_valid(text) == (done == text.len));
	if (done < text.len) {
		size_t bad = utf8_bad_len(from(text, done));

		require(bad >= 1 && bad <= 3 && bad <= text.len - done);
	}
}

static void cuts_split_nothing(struct str text, size_t max)
{
	size_t cut = utf8_cut(text, max);
	size_t tail = utf8_incomplete_tail((struct str){ text.p, max });

	require(cut <= max && max - cut <= 3);
	require(tail <= 3 && tail <= max);
	if (utf8_valid(text)) {
		require(utf8_valid((struct str){ text.p, cut }));
		require(cut == max - tail);
	}
}

/* As a reader of a stream does it: the tail of the first read belongs to the second. */
static void two_reads_are_one(struct str text, size_t split)
{
	AUTOBUF struct buf whole, parts;

	buf_init(&whole, TEXT_MAX);
	buf_init(&parts, TEXT_MAX);
	json_escape(&whole, text);
	split -= utf8_incomplete_tail((struct str){ text.p, split });
	json_escape(&parts, (struct str){ text.p, split });
	json_escape(&parts, from(text, split));
	require(str_eq(buf_str(&whole), buf_str(&parts)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTOFREE char *copy = malloc(size + !size);
	struct str text = { copy, size };

	if (size)
		memcpy(copy, data, size);
	prefix_is_of_characters(text);
	for (size_t at = 0; at <= size && at < 64; at++) {
		cuts_split_nothing(text, at);
		two_reads_are_one(text, at);
	}
	return 0;
}
