/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The replay of a terminal, without what asks: sequences that a terminal answers (its attributes,
 * where the cursor is, its colours) were answered when they came first, and a second answer would
 * be typed into whatever runs by now.  All else goes through byte by byte, cut anywhere.
 *
 * A zeroed struct is the beginning.  A sequence is held back until it is known what it is, or
 * too long to ask for anything.
 */
#pragma once

#include "base/buf.h"

enum { REPLAY_HELD_MAX = 1024 };

struct replay {
	enum {
		REPLAY_GROUND,
		REPLAY_ESCAPE,
		REPLAY_CSI,
		REPLAY_STRING,
		REPLAY_STRING_ESCAPE,
		REPLAY_LONG,
		REPLAY_LONG_ESCAPE
	} state;
	char held[REPLAY_HELD_MAX];
	size_t len;
};

/* Appends what is to be shown. */
void replay_feed(struct replay *r, struct str bytes, struct buf *to);

/* The end of the replay: what was held back belongs to what comes after it. */
void replay_end(struct replay *r, struct buf *to);
