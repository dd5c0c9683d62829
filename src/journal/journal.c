/* SPDX-License-Identifier: Apache-2.0 */
#include "journal/journal.h"

#include "base/budget.h"

#include <assert.h>
#include <stdlib.h>

enum { CHUNK_SHIFT_MIN = 8, CHUNK_SHIFT_MAX = 14, SLOTS_MIN = 4, WORD_BITS = 64 };

/* Bytes [n << shift, (n + 1) << shift) of the whole output; which stream each is of stands before them. */
struct chunk {
	size_t budgeted; /* bytes taken from the budget */
	uint64_t data[]; /* a bit per byte, then the bytes */
};

struct journal {
	size_t limit;
	unsigned shift; /* log2 of the size of a chunk */
	uint64_t start, end;
	uint64_t totals[JOURNAL_STREAMS];
	struct chunk **slots; /* chunk n is in slots[n % slot_count], a power of two */
	size_t slot_count, chunk_count;
	uint64_t first_chunk; /* number of the oldest one held */
	bool closed, waking;
	bool starved; /* the producer was told 0 */
	journal_room_fn *on_room;
	void *user;
	struct journal_reader *readers;
	struct journal_reader *next_to_wake;
	size_t lossless_count;
};

static size_t chunk_size(const struct journal *j)
{
	return (size_t)1 << j->shift;
}

static size_t chunk_memory(const struct journal *j)
{
	return sizeof(struct chunk) + chunk_size(j) / 8 + chunk_size(j);
}

static struct chunk **slot_of(const struct journal *j, uint64_t number)
{
	return &j->slots[number & (j->slot_count - 1)];
}

static char *bytes_of(const struct journal *j, struct chunk *c)
{
	return (char *)(c->data + chunk_size(j) / WORD_BITS);
}

struct journal *journal_new(size_t limit_bytes, journal_room_fn *on_room, void *user)
{
	struct journal *j = mem_new(struct journal);

	j->limit = MAX(limit_bytes, 1);
	j->shift = CHUNK_SHIFT_MIN;
	while (j->shift < CHUNK_SHIFT_MAX && ((size_t)4 << j->shift) <= j->limit)
		j->shift++;
	j->on_room = on_room;
	j->user = user;
	j->slot_count = SLOTS_MIN;
	j->slots = mem_alloc(j->slot_count * sizeof *j->slots);
	return j;
}

static void free_chunk(struct chunk *c)
{
	budget_give(c->budgeted);
	free(c);
}

void journal_free(struct journal *j)
{
	if (!j)
		return;
	assert(!j->waking);
	while (j->readers)
		journal_detach(j->readers);
	for (size_t i = 0; i < j->chunk_count; i++)
		free_chunk(*slot_of(j, j->first_chunk + i));
	free(j->slots);
	free(j);
}

/* The oldest offset that a lossless reader still wants; the end when there is none. */
static uint64_t wanted_from(const struct journal *j)
{
	uint64_t from = j->end;

	if (j->lossless_count == 0)
		return from;
	for (struct journal_reader *r = j->readers; r; r = r->next_reader) {
		if (r->lossless)
			from = MIN(from, MAX(r->next, j->start));
	}
	return from;
}

static uint64_t chunks_end(const struct journal *j)
{
	return (j->first_chunk + j->chunk_count) << j->shift;
}

/* How many chunks at the front nobody has to have any more. */
static size_t spare_chunks(const struct journal *j, uint64_t from)
{
	uint64_t number = from >> j->shift;

	return number > j->first_chunk ? MIN((size_t)(number - j->first_chunk), j->chunk_count) : 0;
}

static size_t room_in_memory(const struct journal *j, uint64_t from)
{
	size_t tail = (size_t)(chunks_end(j) - j->end);
	size_t chunks = spare_chunks(j, from);
	size_t left = budget_left(chunk_memory(j));

	if (j->chunk_count == 0)
		tail = chunk_size(j);
	if (left == SIZE_MAX)
		return SIZE_MAX;
	chunks += left / chunk_memory(j);
	return tail + (chunks << j->shift);
}

static size_t room(const struct journal *j)
{
	uint64_t from = wanted_from(j);
	size_t unread = (size_t)(j->end - from);

	if (j->lossless_count == 0)
		return SIZE_MAX;
	return unread < j->limit ? MIN(j->limit - unread, room_in_memory(j, from)) : 0;
}

size_t journal_room(struct journal *j)
{
	size_t now = room(j);

	j->starved = now == 0;
	return now;
}

static void tell_room(struct journal *j)
{
	if (!j->starved || room(j) == 0)
		return;
	j->starved = false;
	if (j->on_room)
		j->on_room(j->user);
}

static void grow_slots(struct journal *j)
{
	size_t count = j->slot_count * 2;
	struct chunk **slots = mem_alloc(count * sizeof *slots);

	for (size_t i = 0; i < j->chunk_count; i++) {
		uint64_t number = j->first_chunk + i;

		slots[number & (count - 1)] = *slot_of(j, number);
	}
	free(j->slots);
	j->slots = slots;
	j->slot_count = count;
}

static struct chunk *take_first(struct journal *j)
{
	struct chunk *c = take_ptr(*slot_of(j, j->first_chunk));

	j->first_chunk++;
	j->chunk_count--;
	j->start = MAX(j->start, j->first_chunk << j->shift);
	return c;
}

/* Rings that can do with less leave the last quarter of the budget to work that cannot. */
static bool take_memory(const struct journal *j, size_t size)
{
	return j->lossless_count > 0 ? budget_take(size) : budget_take_spare(size);
}

/*
 * A new chunk from the budget; when that is used up the oldest of our own; over the budget
 * only for the first one, and for what a lossless reader was promised.
 */
static struct chunk *get_chunk(struct journal *j, uint64_t from)
{
	size_t size = chunk_memory(j);
	bool granted = take_memory(j, size);
	struct chunk *c;

	if (!granted && j->chunk_count > 0 && (j->lossless_count == 0 || spare_chunks(j, from) > 0))
		return take_first(j);
	c = malloc(size);
	if (!c)
		abort();
	c->budgeted = granted ? size : 0;
	memset(c->data, 0, chunk_size(j) / 8);
	return c;
}

static void add_chunk(struct journal *j)
{
	struct chunk *c = get_chunk(j, wanted_from(j));

	if (j->chunk_count == j->slot_count)
		grow_slots(j);
	if (j->chunk_count == 0)
		j->first_chunk = j->end >> j->shift;
	*slot_of(j, j->first_chunk + j->chunk_count) = c;
	j->chunk_count++;
}

/* Sets the bits [at, at + len) to one stream. */
static void mark(uint64_t *bits, size_t at, size_t len, enum journal_stream stream)
{
	while (len > 0) {
		size_t shift = at % WORD_BITS;
		size_t count = MIN(len, WORD_BITS - shift);
		uint64_t mask = (count == WORD_BITS ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1) << shift;

		if (stream)
			bits[at / WORD_BITS] |= mask;
		else
			bits[at / WORD_BITS] &= ~mask;
		at += count;
		len -= count;
	}
}

/* How many bytes from `at` on, at most len, are of the same stream as the first. */
static size_t run_length(const uint64_t *bits, size_t at, size_t len)
{
	bool stream = bits[at / WORD_BITS] >> at % WORD_BITS & 1;
	size_t run = 0;

	while (run < len) {
		size_t shift = (at + run) % WORD_BITS;
		uint64_t word = bits[(at + run) / WORD_BITS];
		uint64_t other = (stream ? ~word : word) >> shift;
		size_t same = other ? (size_t)__builtin_ctzll(other) : WORD_BITS - shift;

		run += same;
		if (other)
			break;
	}
	return MIN(run, len);
}

void journal_trim(struct journal *j, uint64_t from)
{
	j->start = MIN(MAX(j->start, from), j->end);
	while (j->chunk_count > 1 && (j->first_chunk + 1) << j->shift <= j->start)
		free_chunk(take_first(j));
}

static void drop_to_limit(struct journal *j)
{
	if (j->end - j->start > j->limit)
		journal_trim(j, j->end - j->limit);
}

static void wake_all(struct journal *j)
{
	j->waking = true;
	for (struct journal_reader *r = j->readers; r; r = j->next_to_wake) {
		j->next_to_wake = r->next_reader;
		if (r->wake)
			r->wake(r);
	}
	j->next_to_wake = NULL;
	j->waking = false;
}

void journal_append(struct journal *j, enum journal_stream stream, struct str bytes)
{
	assert(!j->closed && !j->waking);
	if (bytes.len == 0)
		return;
	j->totals[stream] += bytes.len;
	while (bytes.len > 0) {
		struct chunk *c;
		size_t at = (size_t)j->end & (chunk_size(j) - 1);
		size_t count = MIN(bytes.len, chunk_size(j) - at);

		if (j->chunk_count == 0 || j->end == chunks_end(j))
			add_chunk(j);
		c = *slot_of(j, j->end >> j->shift);
		memcpy(bytes_of(j, c) + at, bytes.p, count);
		mark(c->data, at, count, stream);
		j->end += count;
		bytes.p += count;
		bytes.len -= count;
		drop_to_limit(j);
	}
	wake_all(j);
}

/* A finished process may be kept for an hour: what it will not use is given back. */
static void shrink_last(struct journal *j)
{
	struct chunk **slot = slot_of(j, j->end >> j->shift);
	size_t used = (size_t)j->end & (chunk_size(j) - 1);
	size_t size = sizeof **slot + chunk_size(j) / 8 + used;
	struct chunk *smaller;

	if (j->chunk_count == 0 || j->end == chunks_end(j))
		return;
	smaller = realloc(*slot, size);
	if (!smaller)
		return;
	*slot = smaller;
	if (smaller->budgeted) {
		budget_give(smaller->budgeted - size);
		smaller->budgeted = size;
	}
}

void journal_close(struct journal *j)
{
	assert(!j->waking);
	if (j->closed)
		return;
	j->closed = true;
	shrink_last(j);
	wake_all(j);
}

void journal_discard(struct journal *j)
{
	assert(!j->waking);
	while (j->chunk_count > 0)
		free_chunk(take_first(j));
	j->start = j->end;
}

bool journal_closed(const struct journal *j)
{
	return j->closed;
}

uint64_t journal_start(const struct journal *j)
{
	return j->start;
}

uint64_t journal_end(const struct journal *j)
{
	return j->end;
}

uint64_t journal_total(const struct journal *j, enum journal_stream stream)
{
	return j->totals[stream];
}

void journal_attach(struct journal *j, struct journal_reader *r, uint64_t from, bool lossless, journal_wake_fn *wake)
{
	*r = (struct journal_reader){
		.journal = j,
		.next = MIN(MAX(from, j->start), j->end),
		.lossless = lossless,
		.wake = wake,
		.next_reader = j->readers,
	};
	if (j->readers)
		j->readers->prev_reader = r;
	j->readers = r;
	j->lossless_count += lossless;
}

void journal_detach(struct journal_reader *r)
{
	struct journal *j = take_ptr(r->journal);

	if (!j)
		return;
	if (j->next_to_wake == r)
		j->next_to_wake = r->next_reader;
	if (r->next_reader)
		r->next_reader->prev_reader = r->prev_reader;
	if (r->prev_reader)
		r->prev_reader->next_reader = r->next_reader;
	else
		j->readers = r->next_reader;
	j->lossless_count -= r->lossless;
	tell_room(j);
}

bool journal_peek(struct journal_reader *r, size_t max, struct journal_record *ret_record, uint64_t *ret_dropped)
{
	struct journal *j = r->journal;
	struct chunk *c;
	size_t at, len;

	*ret_dropped = 0;
	if (r->next < j->start) {
		*ret_dropped = j->start - r->next;
		r->next = j->start;
	}
	if (r->next == j->end || max == 0)
		return false;
	c = *slot_of(j, r->next >> j->shift);
	at = (size_t)r->next & (chunk_size(j) - 1);
	len = MIN(chunk_size(j) - at, max);
	if (len > j->end - r->next)
		len = (size_t)(j->end - r->next);
	ret_record->stream = c->data[at / WORD_BITS] >> at % WORD_BITS & 1 ? JOURNAL_STDERR : JOURNAL_STDOUT;
	ret_record->offset = r->next;
	ret_record->bytes = (struct str){ bytes_of(j, c) + at, run_length(c->data, at, len) };
	return true;
}

void journal_advance(struct journal_reader *r, size_t len)
{
	assert(len <= r->journal->end - r->next);
	r->next += len;
	if (r->lossless)
		tell_room(r->journal);
}
