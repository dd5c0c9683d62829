/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one store of output: an append-only, bounded ring of (stream, offset, bytes).
 *
 * Offsets count the bytes of all streams together since the start, in 64 bits, and are never
 * reused.  Readers are cursors: reading consumes nothing.  When the ring is full the oldest
 * bytes go, and a reader that comes too late is told how many are gone — unless a lossless
 * reader has not read them yet: then journal_room() shrinks to 0, the producer waits, and
 * on_room is called when there is room again.
 *
 * Bytes are stored as they came; characters are cut by readers (text.h), never here.  What a
 * record is was not stored: it is the longest run of one stream.  A bit per byte tells the
 * stream, so a byte costs 9/8 of one in any mix, and an offset is found at once.
 *
 * One thread: the loop's.  Memory is taken from the process's budget (budget.h): when it is
 * used up (but for a quarter, which is left to work that cannot do with less) the ring drops
 * its oldest bytes early, and a lossless reader makes the producer wait.  One chunk is granted in any case, so that nobody waits for ever.
 */
#pragma once

#include "base/str.h"

enum journal_stream { JOURNAL_STDOUT, JOURNAL_STDERR, JOURNAL_STREAMS };

_Static_assert(JOURNAL_STREAMS == 2, "the stream of a byte is one bit");

struct journal;
struct journal_reader;

typedef void journal_wake_fn(struct journal_reader *r);

struct journal_reader {
	struct journal *journal; /* NULL when detached */
	uint64_t next;           /* offset of the next byte to read */
	bool lossless;
	journal_wake_fn *
		wake; /* there is more, or the end; called from the appender's stack: it may read and detach, not append or free the journal */
	struct journal_reader *prev_reader, *next_reader;
};

struct journal_record {
	enum journal_stream stream;
	uint64_t offset;
	struct str bytes; /* valid until the journal is appended to or freed */
};

/* May be called from within journal_append(), when a reader reads at once: only resume the producer there. */
typedef void journal_room_fn(void *user);

struct journal *journal_new(size_t limit_bytes, journal_room_fn *on_room, void *user);
void journal_free(struct journal *j); /* detaches the readers */

/* What may be appended now without hurting a lossless reader; without one SIZE_MAX.  After 0 comes on_room. */
size_t journal_room(struct journal *j);
void journal_append(struct journal *j, enum journal_stream stream, struct str bytes);
void journal_trim(struct journal *j, uint64_t from); /* forgets what stands before from, as the limit would */
void journal_close(struct journal *j);               /* no more will come; gives spare memory back, wakes all */

void journal_discard(struct journal *j); /* forgets what it keeps: readers are told of a gap */

bool journal_closed(const struct journal *j);
uint64_t journal_start(const struct journal *j); /* offset of the oldest byte kept */
uint64_t journal_end(const struct journal *j);   /* offset behind the newest */
uint64_t journal_total(const struct journal *j, enum journal_stream stream);

/* From the given offset on (the oldest kept when that is gone; the end when it is larger). */
void journal_attach(struct journal *j, struct journal_reader *r, uint64_t from, bool lossless, journal_wake_fn *wake);
void journal_detach(struct journal_reader *r);

/*
 * The record at r->next, or a part of it of at most max bytes, without moving: true, or false when there is none (yet).
 * *ret_dropped: bytes between r->next and the oldest byte kept; when it is not 0, r->next was moved.
 */
bool journal_peek(
	struct journal_reader *r, size_t max, struct journal_record *ret_record, uint64_t *ret_dropped) MUST_CHECK;
void journal_advance(struct journal_reader *r, size_t len);
