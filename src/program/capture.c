/* SPDX-License-Identifier: Apache-2.0 */
#include "program/capture.h"

#include "base/budget.h"
#include "base/utf8.h"

#include <stdlib.h>

enum { FIRST_SIZE = 4 * 1024 };

void capture_init(struct capture *c, size_t max)
{
	*c = (struct capture){ .max = max };
}

/* The first bytes are granted in any case, so that a short answer is whole also when memory is used up. */
static size_t budgeted(size_t size)
{
	return size > FIRST_SIZE ? size - FIRST_SIZE : 0;
}

/* Room for `needed` bytes, or as many as there may be. */
static void grow(struct capture *c, size_t needed)
{
	size_t size = c->size ? c->size : FIRST_SIZE, more;
	char *data;

	while (size < needed)
		size *= 2;
	size = MIN(size, c->max);
	more = budgeted(size) - budgeted(c->size);
	if (size <= c->size || (more && !budget_take_spare(more)))
		return;
	data = realloc(c->data, size);
	if (!data) {
		budget_give(more);
		return;
	}
	c->data = data;
	c->size = size;
}

void capture_add(struct capture *c, struct str bytes)
{
	size_t len = bytes.len;

	c->total += len;
	if (c->full)
		return;
	if (c->len + len > c->size)
		grow(c, c->len + len);
	if (len > c->size - c->len) {
		len = c->size - c->len;
		c->full = true; /* what comes later must not fill a hole */
	}
	if (len)
		memcpy(c->data + c->len, bytes.p, len);
	c->len += len;
}

void capture_free(struct capture *c)
{
	free(c->data);
	budget_give(budgeted(c->size));
	*c = (struct capture){ 0 };
}

struct str capture_bytes(const struct capture *c, bool as_text)
{
	struct str bytes = { c->data ? c->data : "", c->len };

	if (as_text && capture_truncated(c))
		bytes.len -= utf8_incomplete_tail(bytes);
	return bytes;
}
