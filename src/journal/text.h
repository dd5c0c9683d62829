/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of one stream made into text, piece by piece, for a reader of a journal.
 *
 * A character that is not complete yet is held back (at most 3 bytes) until its rest comes,
 * so pieces never split one.  What is not UTF-8 becomes U+FFFD, one for each maximal
 * ill-formed part, the same however the bytes were cut; `lossy` tells of it (R04).
 * One struct per stream; a zeroed one is ready.
 */
#pragma once

#include "base/buf.h"

enum { TEXT_HELD_MAX = 3 };

struct text {
	char held[TEXT_HELD_MAX];
	size_t held_len; /* bytes read and not given yet: the offset of the text's end lies so far back (R21) */
	bool lossy;      /* something was replaced; the reader resets it */
};

/* Appends all complete characters to out. */
void text_add(struct text *t, struct str bytes, struct buf *out);

/* No more comes: what is held is no character and is replaced. */
void text_end(struct text *t, struct buf *out);

/* A limit cuts here: the character that it would split is dropped whole. */
void text_drop(struct text *t);
