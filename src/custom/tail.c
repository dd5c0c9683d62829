/* SPDX-License-Identifier: Apache-2.0 */
#include "custom/tail.h"

void tail_add(struct tail *t, struct str bytes)
{
	t->total += bytes.len;
	if (bytes.len > TAIL_SIZE) {
		bytes.p += bytes.len - TAIL_SIZE;
		bytes.len = TAIL_SIZE;
	}
	for (size_t i = 0; i < bytes.len; i++)
		t->bytes[(t->total - bytes.len + i) % TAIL_SIZE] = bytes.p[i];
}

static bool continues_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

struct str tail_since(const struct tail *t, uint64_t from, char to[static TAIL_SIZE])
{
	bool cut = t->total > TAIL_SIZE && from < t->total - TAIL_SIZE;
	uint64_t at = cut ? t->total - TAIL_SIZE : MIN(from, t->total);
	size_t len = (size_t)(t->total - at), skip = 0;

	for (size_t i = 0; i < len; i++)
		to[i] = t->bytes[(at + i) % TAIL_SIZE];
	while (cut && skip < len && skip < 3 && continues_character(to[skip]))
		skip++;
	return (struct str){ to + skip, len - skip };
}
