/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a terminal's output has switched on, followed byte by byte and without drawing anything.
 *
 * Two questions are answered at each byte: is an escape sequence or a character in the middle
 * here, and which of the modes are on that somebody who comes later has to be told of: the
 * alternate screen, cursor keys, a hidden cursor, mouse, focus, bracketed paste.  Every piece of
 * output must be fed, in order, cut anywhere.  A zeroed struct is a fresh terminal.
 */
#pragma once

#include "base/buf.h"

enum { MODES_PARAMS_MAX = 16 };

struct modes {
	uint32_t on;                        /* a bit per row of the table in modes.c */
	uint8_t state;                      /* enum state there; 0 is between sequences */
	uint8_t left;                       /* bytes that the character still needs */
	bool is_private, is_soft, is_other; /* the CSI begins with '?', has '!', has what no tracked one has */
	uint8_t count;                      /* of params; more are ignored */
	uint16_t params[MODES_PARAMS_MAX];
	bool after_newline; /* the last byte ended a line */
	uint64_t fed;       /* bytes so far */
	uint64_t boundary;  /* of these, up to the last place where nothing was in the middle */
};

void modes_feed(struct modes *m, struct str bytes);

/* Feeds until nothing is in the middle (and, if wanted, a line has just ended): bytes used; *ret_found says whether it came to that. */
size_t modes_feed_until(struct modes *m, struct str bytes, bool line, bool *ret_found);

static inline bool modes_at_boundary(const struct modes *m)
{
	return m->boundary == m->fed;
}

/* The sequences that switch on what is on; with `off` also those that switch off what is not. */
void modes_write(const struct modes *m, bool off, struct buf *out);

/* Ends what is in the middle, and switches off what is on: for who is shown no more of the output. */
void modes_leave(const struct modes *m, struct buf *out);
