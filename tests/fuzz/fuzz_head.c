/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaches wire/head.c: lines, fields, the fields with a meaning, lists, and the look-ups.
 * Property: cut into pieces of any size, a head gets the verdict it gets whole, a shorter
 * beginning is never whole, and all that was found lies inside the bytes given.
 */
#include "wire/head.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_inside(struct str bytes, struct str part)
{
	assert(!part.p || (part.p >= bytes.p && part.p + part.len <= bytes.p + bytes.len));
}

static void check_head(struct str bytes, const struct head *head)
{
	assert(head->method.len && head->target.len && head->count <= HEAD_FIELDS_COUNT);
	assert(!(head->has_length && head->chunked));
	assert(head->minor == 0 || head->host.p);
	assert(head_count(head, "host") <= 1 && head_count(head, "content-length") == head->has_length);
	assert(!head_has_token(head, "connection", "close") || !head->keep_alive);
	check_inside(bytes, head->method);
	check_inside(bytes, head->target);
	for (size_t i = 0; i < head->count; i++) {
		check_inside(bytes, head->fields[i].name);
		check_inside(bytes, head->fields[i].value);
		assert(head->fields[i].name.len && !str_has(head->fields[i].value, '\n'));
	}
}

static ssize_t parse_pieces(struct str bytes, size_t step, struct head *head)
{
	size_t from = 0, len = 0;
	ssize_t r = 0;

	while (r == 0 && len < bytes.len) {
		char *copy;

		len = MIN(len + step, bytes.len);
		copy = malloc(len);
		memcpy(copy, bytes.p, len);
		r = head_parse((struct str){ copy, len }, &from, head);
		free(copy);
	}
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct head head;
	struct str bytes = { (const char *)data + 1, size - 1 };
	size_t from = 0;
	ssize_t whole;

	if (size < 2)
		return 0;
	check_inside(bytes, head_peek(bytes, "origin"));
	whole = head_parse(bytes, &from, &head);
	assert((whole < 0) == (head.reason != NULL));
	if (whole > 0)
		check_head((struct str){ bytes.p, (size_t)whole }, &head);
	assert(parse_pieces(bytes, (size_t)data[0] % 32 + 1, &head) == whole);
	if (whole > 0)
		assert(parse_pieces((struct str){ bytes.p, (size_t)whole - 1 }, (size_t)data[0] + 1, &head) == 0);
	return 0;
}
