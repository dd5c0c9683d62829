/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes that grow up to a limit given at birth.
 *
 * A failed append (limit or budget) marks the buffer and drops what it held; every
 * later append is then a no-op.  So a writer appends freely and asks once, at the
 * end, with buf_failed().  The bytes are followed by a NUL.
 *
 * A budgeted buffer takes what it allocates from the process's budget (budget.h).
 * Bytes dropped from the front are only skipped, and stay where they are until the next
 * append; buf_compact() moves the rest down.
 */
#pragma once

#include "base/str.h"

struct buf {
	char *data;        /* first byte still held; may be NULL when empty */
	size_t len;        /* bytes held */
	size_t cap, limit; /* bytes allocated; most that may be held */
	size_t skipped;    /* allocated bytes in front of data */
	bool failed, budgeted;
};

void buf_init(struct buf *b, size_t limit);
void buf_init_budgeted(struct buf *b, size_t limit);
void buf_free(struct buf *b); /* back to empty with the same limit */

void buf_add(struct buf *b, const void *bytes, size_t len);
void buf_adds(struct buf *b, const char *text);
void buf_addc(struct buf *b, char c);
void buf_addf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Room for at least len bytes behind the held ones, or NULL; buf_commit() says how many were written. */
char *buf_reserve(struct buf *b, size_t len) MUST_CHECK;
void buf_commit(struct buf *b, size_t len);

/* What a failed append does, for a writer that fails in another way. */
void buf_fail(struct buf *b);

void buf_drop(struct buf *b, size_t len); /* from the front */
void buf_truncate(struct buf *b, size_t len);
void buf_compact(struct buf *b);

static inline bool buf_failed(const struct buf *b)
{
	return b->failed;
}

static inline struct str buf_str(const struct buf *b)
{
	return (struct str){ b->data, b->len };
}

/* The bytes, terminated, to be freed by the caller; NULL if the buffer failed.  Not for budgeted buffers. */
char *buf_take(struct buf *b, size_t *ret_len);

static inline void cleanup_buf(struct buf *b)
{
	buf_free(b);
}
#define AUTOBUF CLEANUP(cleanup_buf)
