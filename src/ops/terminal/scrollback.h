/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output of a terminal, kept for those who come later.
 *
 * A journal whose newest `keep` bytes are what a replay shows.  While somebody reads slowly it
 * holds more, up to SCROLLBACK_RING bytes behind the end (R30).  Modes are followed at both
 * ends: a replay begins between sequences, characters and lines, and the modes that were on
 * there are known (R31); it ends between sequences too.
 */
#pragma once

#include "journal/journal.h"
#include "wire/modes.h"

enum { SCROLLBACK_RING = 4 * 1024 * 1024 };

struct scrollback {
	struct journal *journal;
	size_t keep;
	struct modes head, tail; /* behind the newest byte; at some place before the oldest that is kept */
	int64_t last_ns;         /* when the newest byte came */
};

struct replay {
	uint64_t begin, end; /* what to show */
	uint64_t live;       /* where the rest goes on; more than end when an unfinished sequence is left out */
	struct modes modes;  /* in force at begin */
};

void scrollback_init(struct scrollback *s, size_t keep);
void scrollback_free(struct scrollback *s);

/* slowest: the smallest offset that a reader still wants; UINT64_MAX when there is none. */
void scrollback_append(struct scrollback *s, struct str bytes, uint64_t slowest);
void scrollback_replay(struct scrollback *s, struct replay *ret_replay);

/* The last place between sequences, for a reader that is skipped to the end. */
uint64_t scrollback_skip_to(const struct scrollback *s);
