/* SPDX-License-Identifier: Apache-2.0 */
#include "custom/lines.h"

#include <errno.h>

void lines_init(struct lines *l, size_t line_max, lines_fn *fn)
{
	*l = (struct lines){ .fn = fn };
	buf_init_budgeted(&l->buf, line_max);
}

void lines_free(struct lines *l)
{
	buf_free(&l->buf);
}

static int add_part(struct lines *l, const char *bytes, size_t len)
{
	size_t head = MIN(len, LINES_HEAD - l->head_len);

	if (head)
		memcpy(l->head + l->head_len, bytes, head);
	l->head_len += head;
	if (l->is_lost)
		return 0;
	if (len > l->buf.limit - l->buf.len)
		return -EMSGSIZE;
	buf_add(&l->buf, bytes, len);
	l->is_lost = buf_failed(&l->buf);
	return 0;
}

/* The line is complete: false when the reader wants no more. */
static bool give(struct lines *l)
{
	bool goes_on = l->is_lost ? l->fn(l, l->head, l->head_len) : l->fn(l, l->buf.data, l->buf.len);

	if (l->is_lost)
		buf_free(&l->buf);
	buf_truncate(&l->buf, 0);
	l->is_lost = false;
	l->head_len = 0;
	return goes_on;
}

int lines_add(struct lines *l, struct str bytes)
{
	while (bytes.len) {
		const char *end = memchr(bytes.p, '\n', bytes.len);
		size_t len = end ? (size_t)(end - bytes.p) : bytes.len;

		if (add_part(l, bytes.p, len) < 0)
			return -EMSGSIZE;
		if (!end)
			return 0;
		bytes.p += len + 1;
		bytes.len -= len + 1;
		if (!give(l))
			return 0;
	}
	return 0;
}
