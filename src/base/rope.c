/* SPDX-License-Identifier: Apache-2.0 */
#include "base/rope.h"

#include "base/base64.h"
#include "base/utf8.h"

/* A character becomes at most "\u0000". */
enum { ESCAPED_MAX = 6 };

void rope_init(struct rope *r, struct arena *arena, size_t text_limit)
{
	*r = (struct rope){ .arena = arena };
	buf_init_budgeted(&r->text, text_limit);
	json_write_init(&r->writer, &r->text);
	r->last = &r->first;
	r->reading = &r->first;
}

void rope_free(struct rope *r)
{
	buf_free(&r->text);
	r->first = NULL;
	r->last = &r->first;
	r->reading = &r->first;
	r->text_done = r->part_done = 0;
}

/* An empty string in the text, into which the part goes when it is read. */
static void refer(struct rope *r, struct str bytes, enum rope_encoding encoding)
{
	struct rope_part *part = arena_new(r->arena, struct rope_part);

	json_raw(&r->writer, STR("\"\""));
	if (!part)
		buf_fail(&r->text);
	if (buf_failed(&r->text))
		return;
	*part = (struct rope_part){ .at = r->text.len - 1, .bytes = bytes, .encoding = encoding };
	*r->last = part;
	r->last = &part->next;
}

void rope_text(struct rope *r, struct str text)
{
	if (text.len <= ROPE_INLINE_MAX)
		json_text(&r->writer, text);
	else
		refer(r, text, ROPE_TEXT);
}

void rope_base64(struct rope *r, struct str bytes)
{
	if (bytes.len <= ROPE_INLINE_MAX)
		json_base64(&r->writer, bytes);
	else
		refer(r, bytes, ROPE_BASE64);
}

bool rope_failed(const struct rope *r)
{
	return buf_failed(&r->text);
}

bool rope_is_short(const struct rope *r)
{
	return r->first == NULL;
}

/* At most room of the text up to the end or the next part. */
static void read_text(struct rope *r, struct buf *out, size_t end, size_t room)
{
	size_t len = MIN(end - r->text_done, MAX(room, (size_t)1));

	buf_add(out, r->text.data + r->text_done, len);
	r->text_done += len;
}

/* How much of text to escape at once: whole characters and whole bad parts only. */
static size_t text_step(struct str text, size_t room)
{
	size_t len = MIN(text.len, room / ESCAPED_MAX);

	if (len < text.len)
		len -= utf8_incomplete_tail((struct str){ text.p, len });
	if (len == 0)
		len = utf8_char_len(text);
	return len ? len : utf8_bad_len(text);
}

static void read_part(struct rope *r, struct buf *out, size_t room)
{
	const struct rope_part *part = *r->reading;
	struct str rest = { part->bytes.p + r->part_done, part->bytes.len - r->part_done };

	if (part->encoding == ROPE_TEXT) {
		rest.len = text_step(rest, room);
		json_escape(out, rest);
	} else {
		rest.len = MIN(rest.len, MAX(room / 4, (size_t)1) * 3);
		base64_encode(out, rest);
	}
	r->part_done += rest.len;
	if (r->part_done == part->bytes.len) {
		r->reading = &(*r->reading)->next;
		r->part_done = 0;
	}
}

static bool read_step(struct rope *r, struct buf *out, size_t room)
{
	const struct rope_part *part = *r->reading;
	size_t end = part ? part->at : r->text.len;

	if (r->text_done < end)
		read_text(r, out, end, room);
	else if (part)
		read_part(r, out, room);
	else
		return false;
	return true;
}

bool rope_read(struct rope *r, struct buf *out, size_t room)
{
	size_t start = out->len;
	bool more;

	if (rope_failed(r))
		return false;
	do {
		size_t done = out->len - start;

		more = read_step(r, out, room > done ? room - done : 0);
	} while (more && !buf_failed(out) && out->len - start < room);
	return out->len > start && !buf_failed(out);
}
