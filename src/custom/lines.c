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

int lines_add(struct lines *l, struct str bytes)
{
	while (bytes.len) {
		const char *end = memchr(bytes.p, '\n', bytes.len);
		size_t len = end ? (size_t)(end - bytes.p) : bytes.len;
		bool goes_on;

		buf_add(&l->buf, bytes.p, len);
		if (buf_failed(&l->buf))
			return -EMSGSIZE;
		if (!end)
			return 0;
		bytes.p += len + 1;
		bytes.len -= len + 1;
		goes_on = l->fn(l, l->buf.data, l->buf.len);
		buf_truncate(&l->buf, 0);
		if (!goes_on)
			return 0;
	}
	return 0;
}
