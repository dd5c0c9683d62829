/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include "base/budget.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_SIZE = 256 };

void buf_init(struct buf *b, size_t limit)
{
	*b = (struct buf){ .limit = limit };
}

void buf_init_budgeted(struct buf *b, size_t limit)
{
	*b = (struct buf){ .limit = limit, .budgeted = true };
}

static void release(struct buf *b)
{
	if (b->data)
		free(b->data - b->skipped);
	if (b->budgeted && b->cap)
		budget_give(b->cap);
	b->data = NULL;
	b->len = b->cap = b->skipped = 0;
}

void buf_free(struct buf *b)
{
	release(b);
	b->failed = false;
}

void buf_fail(struct buf *b)
{
	release(b);
	b->failed = true;
}

void buf_compact(struct buf *b)
{
	if (b->skipped) {
		memmove(b->data - b->skipped, b->data, b->len + 1);
		b->data -= b->skipped;
		b->skipped = 0;
	}
}

static bool grow(struct buf *b, size_t needed)
{
	size_t cap = b->cap ? b->cap : FIRST_SIZE;
	char *start;

	while (cap < needed)
		cap *= 2;
	/* The limit is a promise about memory too: do not double past it. */
	cap = MIN(cap, MAX(needed, b->limit < SIZE_MAX ? b->limit + 1 : SIZE_MAX));
	if (b->budgeted && !budget_take(cap - b->cap))
		return false;
	start = realloc(b->data ? b->data - b->skipped : NULL, cap);
	if (!start) {
		if (b->budgeted)
			budget_give(cap - b->cap);
		return false;
	}
	b->data = start + b->skipped;
	b->cap = cap;
	return true;
}

char *buf_reserve(struct buf *b, size_t len)
{
	if (b->failed)
		return NULL;
	/* The first condition keeps the sums below from wrapping, whatever the limit is. */
	if (len > SIZE_MAX / 4 || len > b->limit || b->len > b->limit - len) {
		buf_fail(b);
		return NULL;
	}
	if (b->skipped && (b->len == 0 || b->skipped + b->len + len + 1 > b->cap))
		buf_compact(b);
	if (b->cap - b->len <= len && !grow(b, b->len + len + 1)) {
		buf_fail(b);
		return NULL;
	}
	return b->data + b->len;
}

void buf_commit(struct buf *b, size_t len)
{
	assert(b->data && b->skipped + b->len + len < b->cap);
	b->len += len;
	b->data[b->len] = '\0';
}

void buf_add(struct buf *b, const void *bytes, size_t len)
{
	char *to = buf_reserve(b, len);

	if (!to)
		return;
	if (len)
		memcpy(to, bytes, len);
	buf_commit(b, len);
}

void buf_adds(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text));
}

void buf_addc(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

/* Into the room that is there; only what does not fit is formatted twice. */
void buf_addf(struct buf *b, const char *fmt, ...)
{
	size_t room = b->data ? b->cap - b->skipped - b->len : 0;
	va_list args;
	int len;
	char *to;

	va_start(args, fmt);
	len = vsnprintf(room ? b->data + b->len : NULL, room, fmt, args);
	va_end(args);
	assert(len >= 0);
	if ((size_t)len >= room || b->failed || (size_t)len > b->limit - b->len) {
		if (room)
			b->data[b->len] = '\0';
		to = buf_reserve(b, (size_t)len);
		if (!to)
			return;
		va_start(args, fmt);
		vsnprintf(to, (size_t)len + 1, fmt, args);
		va_end(args);
	}
	buf_commit(b, (size_t)len);
}

void buf_drop(struct buf *b, size_t len)
{
	assert(len <= b->len);
	if (len == 0)
		return;
	b->data += len;
	b->len -= len;
	b->skipped += len;
}

void buf_truncate(struct buf *b, size_t len)
{
	assert(len <= b->len);
	b->len = len;
	if (b->data)
		b->data[len] = '\0';
}

char *buf_take(struct buf *b, size_t *ret_len)
{
	char *bytes;

	assert(!b->budgeted);
	if (!buf_reserve(b, 0))
		return NULL;
	buf_commit(b, 0);
	buf_compact(b);
	bytes = b->data;
	if (ret_len)
		*ret_len = b->len;
	*b = (struct buf){ .limit = b->limit };
	return bytes;
}
