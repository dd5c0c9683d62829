/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names in one folder, read at once so that the folder need not stay open.  Memory is
 * the process's budget; only the first `most` of them by byte order may be asked for, and
 * then no more than twice that many are held while reading.
 */
#pragma once

#include "base/buf.h"

struct names {
	struct buf text; /* one after the other: type (DT_…), name, NUL */
	size_t *at;      /* where each begins; only when sorted */
	size_t count, cap;
	bool more; /* there were more than `most` */
};

/* Leaves "." and ".." out.  0 or a negative errno (-ENOMEM: the budget); fd is at its end then. */
int names_read(struct names *n, int dir_fd) MUST_CHECK;
int names_read_sorted(struct names *n, int dir_fd, size_t most, bool hidden) MUST_CHECK;
void names_free(struct names *n);

static inline const char *names_get(const struct names *n, size_t i)
{
	return n->text.data + n->at[i] + 1;
}

/* One after the other: *offset begins at 0; NULL at the end. */
const char *names_next(const struct names *n, size_t *offset, unsigned char *ret_type);
