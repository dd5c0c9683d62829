/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact edits of a text: each names bytes and what stands there afterwards.  An edit sees what
 * those before it made.
 */
#pragma once

#include "base/buf.h"

struct edit {
	struct str old, new;
	int64_t count; /* how often old has to be there; 0: as often as it is, at least once */
};

/* How often old is there, not overlapping. */
size_t edit_count(struct str text, struct str old);

/* Replaces all of them; ask buf_failed(out). */
void edit_replace(struct buf *out, struct str text, const struct edit *edit);

/*
 * The line of the text that is most like the first line of `old` (blanks at both ends do not
 * count), and its number from 1; number 0 when none is like it at all.
 */
struct str edit_nearest(struct str text, struct str old, size_t *ret_number);
