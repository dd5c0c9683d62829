/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaches cli/response.c: status line, fields, framing, and the look-ups.
 * Property: a whole head lies inside the bytes given with all that was found in it, says at
 * most one length of its body, and a shorter beginning of it is unfinished, never another head.
 */
#include "cli/response.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_inside(struct str bytes, struct str part)
{
	assert(part.p >= bytes.p && part.p + part.len <= bytes.p + bytes.len);
}

static void check_head(struct str bytes, const struct response *r)
{
	assert(r->status >= 100 && r->status <= 999 && r->count <= RESPONSE_FIELDS_MAX);
	assert(!(r->has_length && r->chunked));
	for (size_t i = 0; i < r->count; i++) {
		check_inside(bytes, r->fields[i].name);
		check_inside(bytes, r->fields[i].value);
		assert(r->fields[i].name.len && !str_has(r->fields[i].value, '\n') &&
			!str_has(r->fields[i].value, '\0'));
	}
	response_is_type(r, "text/event-stream");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = { (const char *)data, size };
	struct response whole, part;
	ssize_t len = response_parse(bytes, &whole);

	assert((whole.reason != NULL) == (len < 0));
	if (len <= 0)
		return 0;
	assert((size_t)len <= size);
	check_head((struct str){ bytes.p, (size_t)len }, &whole);
	for (ssize_t cut = 0; cut < len; cut += 1 + len / 16)
		assert(response_parse((struct str){ bytes.p, (size_t)cut }, &part) == 0);
	assert(response_parse((struct str){ bytes.p, (size_t)len }, &part) == len && part.count == whole.count);
	return 0;
}
