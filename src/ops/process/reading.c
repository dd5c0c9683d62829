/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/process/reading.h"

enum {
	CHUNKS_MAX = 4096, /* in one reading; streams that alternate byte by byte would make millions */
	CHARACTER_MAX = 4, /* a reading has room for one, or nobody would get on */
	TEXT_GROWTH = 3,   /* U+FFFD for a byte */
	CONTINUED_MAX = 3,
	WIDER = 128 * 1024, /* where to look for the rest of a character in which the other stream wrote */
};

/* One pass over the journal. */
struct pass {
	struct reading *r;
	const struct read_request *what;
	struct journal_reader reader;
	struct text texts[JOURNAL_STREAMS];
	uint64_t held_at[JOURNAL_STREAMS]; /* where the character begins that texts hold back */
	uint64_t begin;
	size_t taken; /* bytes of the streams that are wanted */
};

static struct chunk *last_chunk(struct reading *r)
{
	return r->chunks.len ? (struct chunk *)(r->chunks.data + r->chunks.len) - 1 : NULL;
}

size_t reading_cut_head(struct str bytes)
{
	size_t count = 0;

	while (count < bytes.len && count < CONTINUED_MAX && ((unsigned char)bytes.p[count] & 0xc0) == 0x80)
		count++;
	return count;
}

static void add_chunk(struct pass *p, enum journal_stream stream, uint64_t offset, uint64_t from)
{
	struct chunk chunk = { .stream = stream, .offset = offset, .from = from, .end = offset, .at = p->r->data.len };

	buf_add(&p->r->chunks, &chunk, sizeof chunk);
}

/* The chunk that a record goes on with, or a new one. */
static struct chunk *chunk_for(struct pass *p, const struct journal_record *record)
{
	struct chunk *last = last_chunk(p->r);
	bool held = p->texts[record->stream].held_len > 0;

	if (!last || last->stream != record->stream || last->end != record->offset)
		add_chunk(p, record->stream, record->offset, held ? p->held_at[record->stream] : record->offset);
	return last_chunk(p->r);
}

static void take_text(struct pass *p, const struct journal_record *record, struct chunk *chunk)
{
	struct text *text = &p->texts[record->stream];
	size_t len = record->bytes.len;

	text_add(text, record->bytes, &p->r->data);
	chunk->lossy |= text->lossy;
	text->lossy = false;
	/* Held back for longer than this record: it began before it. */
	if (text->held_len > 0 && text->held_len <= len)
		p->held_at[record->stream] = record->offset + len - text->held_len;
}

static void take_record(struct pass *p, const struct journal_record *record)
{
	struct chunk *chunk = chunk_for(p, record);

	if (!chunk)
		return;
	if (p->what->as_text)
		take_text(p, record, chunk);
	else
		buf_add(&p->r->data, record->bytes.p, record->bytes.len);
	chunk->end = record->offset + record->bytes.len;
	chunk->len = p->r->data.len - chunk->at;
}

/* Behind a gap: the beginning of its first character is gone. */
static bool starts_cut(const struct pass *p, const struct journal_record *record)
{
	return p->what->as_text && p->r->dropped && record->offset == p->begin && reading_cut_head(record->bytes);
}

static void skip_cut_head(struct pass *p, const struct journal_record *record)
{
	size_t cut = reading_cut_head(record->bytes);

	p->r->dropped += cut;
	p->begin += cut;
	journal_advance(&p->reader, cut);
}

/* What there is, up to the wanted number of bytes. */
static void take_all(struct pass *p)
{
	size_t left = p->what->as_text ? MAX(p->what->max, CHARACTER_MAX) : p->what->max;
	struct journal_record record;
	uint64_t dropped;

	while (left > 0 && reading_count(p->r) < CHUNKS_MAX && journal_peek(&p->reader, left, &record, &dropped)) {
		bool wanted = reading_wants(p->what->streams, record.stream);

		if (wanted && starts_cut(p, &record)) {
			skip_cut_head(p, &record);
			continue;
		}
		if (wanted) {
			take_record(p, &record);
			left -= record.bytes.len;
			p->taken += record.bytes.len;
		}
		journal_advance(&p->reader, record.bytes.len);
	}
}

/* No more comes for it, or nobody would get on: what is held is no character. */
static void give_held(struct pass *p)
{
	for (int stream = 0; stream < JOURNAL_STREAMS; stream++) {
		struct text *text = &p->texts[stream];
		struct chunk *last;

		if (text->held_len == 0)
			continue;
		last = last_chunk(p->r);
		if (!last || last->stream != (enum journal_stream)stream)
			add_chunk(p, stream, p->held_at[stream], p->held_at[stream]);
		last = last_chunk(p->r);
		text_end(text, &p->r->data);
		if (!last)
			return;
		last->lossy = true;
		last->len = p->r->data.len - last->at;
	}
}

static uint64_t first_held(const struct pass *p)
{
	uint64_t at = p->reader.next;

	for (int stream = 0; stream < JOURNAL_STREAMS; stream++) {
		if (p->texts[stream].held_len)
			at = MIN(at, p->held_at[stream]);
	}
	return at;
}

/* Ends the reading in front of a character that is not complete, without what other chunks have behind it. */
static void cut_back(struct pass *p)
{
	uint64_t cut = first_held(p);

	for (struct chunk *last; (last = last_chunk(p->r)) && last->offset >= cut;) {
		cut = MIN(cut, last->from);
		buf_truncate(&p->r->data, last->at);
		buf_truncate(&p->r->chunks, p->r->chunks.len - sizeof *last);
	}
	p->r->next = cut;
}

static size_t held_bytes(const struct pass *p)
{
	return p->texts[JOURNAL_STDOUT].held_len + p->texts[JOURNAL_STDERR].held_len;
}

enum pass_end { PASS_DONE, PASS_STUCK /* half a character kept all behind it from being given */, PASS_STUCK_AT_END };

static enum pass_end do_pass(struct reading *r, struct journal *j, const struct read_request *what, bool gets_on)
{
	struct pass p = { .r = r, .what = what };
	uint64_t start = journal_start(j);
	bool stuck;

	buf_truncate(&r->data, 0);
	buf_truncate(&r->chunks, 0);
	r->dropped = what->since < start ? start - what->since : 0;
	journal_attach(j, &p.reader, what->since, false, NULL);
	p.begin = p.reader.next;
	take_all(&p);
	r->next = p.reader.next;
	r->eof = journal_closed(j) && r->next == journal_end(j);
	if (gets_on || r->eof)
		give_held(&p);
	else
		cut_back(&p);
	stuck = r->chunks.len == 0 && r->next == p.begin && p.taken > held_bytes(&p);
	journal_detach(&p.reader);
	if (!stuck)
		return PASS_DONE;
	return p.reader.next == journal_end(j) ? PASS_STUCK_AT_END : PASS_STUCK;
}

void reading_do(struct reading *r, struct journal *j, const struct read_request *what)
{
	struct read_request wider = *what;
	enum pass_end end;

	wider.max = WIDER;
	*r = (struct reading){ .next = what->since };
	buf_init_budgeted(&r->data, TEXT_GROWTH * MAX(what->max, WIDER));
	buf_init_budgeted(&r->chunks, (CHUNKS_MAX + JOURNAL_STREAMS) * sizeof(struct chunk));
	end = do_pass(r, j, what, false);
	if (end == PASS_STUCK && what->max < WIDER)
		end = do_pass(r, j, &wider, false);
	r->stuck = end == PASS_STUCK_AT_END && !what->settled;
	if (end != PASS_DONE && !r->stuck)
		do_pass(r, j, what, true);
	r->failed = buf_failed(&r->data) || buf_failed(&r->chunks);
}

void reading_free(struct reading *r)
{
	buf_free(&r->data);
	buf_free(&r->chunks);
}
