/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/sse.h"

#include <errno.h>

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

void sse_begin(struct buf *out, const char *event, const char *id)
{
	buf_adds(out, "event: ");
	buf_adds(out, event);
	if (id) {
		buf_adds(out, "\nid: ");
		buf_adds(out, id);
	}
	buf_adds(out, "\ndata: ");
}

void sse_end(struct buf *out)
{
	buf_adds(out, "\n\n");
}

void sse_reader_init(struct sse_reader *r, size_t limit)
{
	*r = (struct sse_reader){ 0 };
	buf_init(&r->line, limit);
	buf_init(&r->data, limit);
	buf_init(&r->event, limit);
	buf_init(&r->id, limit);
}

void sse_reader_free(struct sse_reader *r)
{
	buf_free(&r->line);
	buf_free(&r->data);
	buf_free(&r->event);
	buf_free(&r->id);
}

static void set(struct buf *b, struct str value)
{
	buf_truncate(b, 0);
	buf_add(b, value.p, value.len);
}

/* The end of an event: whether there is one to tell. */
static bool on_empty_line(struct sse_reader *r)
{
	if (r->data.len == 0) {
		buf_truncate(&r->event, 0);
		return false;
	}
	buf_truncate(&r->data, r->data.len - 1);
	r->told = true;
	return true;
}

static void on_field(struct sse_reader *r, struct str name, struct str value)
{
	if (str_is(name, "data")) {
		buf_add(&r->data, value.p, value.len);
		buf_addc(&r->data, '\n');
	} else if (str_is(name, "event")) {
		set(&r->event, value);
	} else if (str_is(name, "id") && !str_has(value, '\0')) {
		set(&r->id, value);
	}
}

static bool on_line(struct sse_reader *r, struct str line)
{
	struct str name;

	if (!r->started && str_starts(line, BYTE_ORDER_MARK)) {
		line.p += strlen(BYTE_ORDER_MARK);
		line.len -= strlen(BYTE_ORDER_MARK);
	}
	r->started = true;
	if (line.len == 0)
		return on_empty_line(r);
	/* A comment is a field without a name. */
	name = str_cut(&line, ':');
	if (line.len && line.p[0] == ' ') {
		line.p++;
		line.len--;
	}
	on_field(r, name, line);
	return false;
}

static size_t line_len(struct str bytes)
{
	size_t len = 0;

	while (len < bytes.len && bytes.p[len] != '\n' && bytes.p[len] != '\r')
		len++;
	return len;
}

static bool has_failed(const struct sse_reader *r)
{
	return buf_failed(&r->line) || buf_failed(&r->data) || buf_failed(&r->event) || buf_failed(&r->id);
}

/* The byte at the front ends a line, or is the second half of a CRLF that did. */
static bool on_line_end(struct sse_reader *r, char byte)
{
	bool second_half = r->after_cr && byte == '\n', told = false;

	r->after_cr = byte == '\r';
	if (!second_half) {
		told = on_line(r, buf_str(&r->line));
		buf_truncate(&r->line, 0);
	}
	return told;
}

int sse_reader_feed(struct sse_reader *r, struct str bytes, size_t *ret_taken)
{
	size_t at = 0;
	bool told = false;

	if (r->told) {
		buf_truncate(&r->data, 0);
		buf_truncate(&r->event, 0);
		r->told = false;
	}
	while (at < bytes.len && !told) {
		size_t len = line_len((struct str){ bytes.p + at, bytes.len - at });

		if (len) {
			buf_add(&r->line, bytes.p + at, len);
			r->after_cr = false;
		}
		at += len;
		if (at < bytes.len)
			told = on_line_end(r, bytes.p[at++]);
		if (has_failed(r))
			return -EMSGSIZE;
	}
	*ret_taken = at;
	return told;
}
