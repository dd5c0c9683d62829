/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/terminal/scrollback.h"

#include "base/clock.h"

enum {
	PIECE = 16 * 1024,
	LINE_SEARCH_MAX = 64 *
			  1024, /* without an end of line in so many bytes the replay begins between two sequences */
};

/* A sequence that is not complete after so long was left so; before that its rest is on its way. */
#define SEQUENCE_NS (200 * NS_PER_MS)

void scrollback_init(struct scrollback *s, size_t keep)
{
	*s = (struct scrollback){ .keep = keep };
	s->journal = journal_new(MAX(keep, (size_t)SCROLLBACK_RING), NULL, NULL);
}

void scrollback_free(struct scrollback *s)
{
	journal_free(take_ptr(s->journal));
}

/* Whether there is output at *at; moves *at to the oldest when it is gone. */
static bool piece_at(struct scrollback *s, uint64_t *at, size_t max, struct str *ret_bytes)
{
	struct journal_reader reader;
	struct journal_record record;
	uint64_t dropped;
	bool found;

	journal_attach(s->journal, &reader, *at, false, NULL);
	found = journal_peek(&reader, MIN(max, (size_t)PIECE), &record, &dropped);
	*at = reader.next;
	journal_detach(&reader);
	if (found)
		*ret_bytes = record.bytes;
	return found;
}

/* What the journal dropped by itself, for want of memory, was never seen: the modes stay as they were. */
static void skip_hole(struct modes *m, uint64_t start)
{
	if (m->fed < start) {
		m->state = 0;
		m->fed = m->boundary = start;
		m->after_newline = false;
	}
}

static void follow_to(struct scrollback *s, struct modes *m, uint64_t until)
{
	struct str bytes;
	uint64_t at;

	skip_hole(m, journal_start(s->journal));
	while ((at = m->fed) < until && piece_at(s, &at, (size_t)MIN(until - m->fed, (uint64_t)PIECE), &bytes))
		modes_feed(m, bytes);
}

void scrollback_append(struct scrollback *s, struct str bytes, uint64_t slowest)
{
	uint64_t end = journal_end(s->journal) + bytes.len, keep = s->keep;

	if (slowest < end)
		keep = MAX(keep, MIN(end - slowest, (uint64_t)SCROLLBACK_RING));
	if (end > keep) {
		uint64_t start = MIN(end - keep, journal_end(s->journal));

		follow_to(s, &s->tail, start);
		journal_trim(s->journal, start);
	}
	modes_feed(&s->head, bytes);
	s->last_ns = clock_now_ns();
	journal_append(s->journal, JOURNAL_STDOUT, bytes);
}

/* Moves m on to the next place that fits: false when there is none in the next max bytes. */
static bool find_place(struct scrollback *s, struct modes *m, bool line, size_t max)
{
	uint64_t last = m->fed + max, at;
	bool found = modes_at_boundary(m) && (!line || m->after_newline);
	struct str bytes;

	while (!found && (at = m->fed) < last && piece_at(s, &at, (size_t)(last - m->fed), &bytes))
		modes_feed_until(m, bytes, line, &found);
	return found;
}

static void find_begin(struct scrollback *s, struct modes *m)
{
	uint64_t end = journal_end(s->journal), start = journal_start(s->journal);
	struct modes first;

	*m = s->tail;
	if (end - start > s->keep)
		start = end - s->keep;
	follow_to(s, m, start);
	if (start == 0)
		return;
	first = *m;
	if (!find_place(s, m, true, LINE_SEARCH_MAX) || m->fed == end) {
		*m = first;
		find_place(s, m, false, (size_t)(end - m->fed));
	}
}

uint64_t scrollback_skip_to(const struct scrollback *s)
{
	return MAX(s->head.boundary, journal_start(s->journal));
}

void scrollback_replay(struct scrollback *s, struct replay *ret_replay)
{
	uint64_t end = journal_end(s->journal);
	bool is_fresh = clock_now_ns() - s->last_ns < SEQUENCE_NS;

	find_begin(s, &ret_replay->modes);
	ret_replay->begin = MIN(ret_replay->modes.fed, end);
	ret_replay->end = MAX(s->head.boundary, ret_replay->begin);
	ret_replay->live = is_fresh ? ret_replay->end : end;
}
