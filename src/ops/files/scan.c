/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/scan.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	BUFFER_SIZE = 256 * 1024,
	WINDOW = 64 * 1024,
	OVERLAP = 4096,
	SLICE = 1024,             /* places where a match may begin, between two looks at the clock */
	LINES_BETWEEN_LOOKS = 16, /* an expression may take a tenth of a second for one */
};

void scan_init(struct scan *s, struct matcher *matcher, const struct scan_events *events, void *user)
{
	*s = (struct scan){ .matcher = matcher, .events = events, .user = user, .buffer = mem_alloc(BUFFER_SIZE) };
}

void scan_done(struct scan *s)
{
	free(s->buffer);
	s->buffer = NULL;
}

/* Not inside a character. */
static size_t align(struct str text, size_t at)
{
	for (unsigned i = 0; i < 3 && at < text.len && ((unsigned char)text.p[at] & 0xc0) == 0x80; i++)
		at++;
	return at;
}

/* A scan_result: SCAN_DONE with *ret_found. */
static int find_in_window(
	struct scan *s, const struct matcher_text *in, bool *ret_found, size_t *ret_start, size_t *ret_end)
{
	size_t from = 0, until;

	*ret_found = false;
	do {
		enum matcher_result result;

		until = in->text.len <= OVERLAP ? in->text.len : align(in->text, MIN(from + SLICE, in->text.len));
		result = matcher_find(s->matcher, in, from, until, ret_start, ret_end);
		if (result == MATCHER_LIMIT)
			return SCAN_LIMIT;
		*ret_found = result == MATCHER_FOUND;
		if (*ret_found)
			return SCAN_DONE;
		from = until;
	} while (until < in->text.len && !s->events->is_stopped(s->user));
	return until < in->text.len ? SCAN_STOPPED : SCAN_DONE;
}

/* A line, or as much of it as is there. */
static int find(struct scan *s, const struct matcher_text *in, bool *ret_found, size_t *ret_start, size_t *ret_end)
{
	struct matcher_text window = *in;
	int status = SCAN_DONE;

	if (in->text.len <= WINDOW || matcher_literal(s->matcher).p)
		return find_in_window(s, in, ret_found, ret_start, ret_end);
	for (size_t at = 0; status == SCAN_DONE; at = align(in->text, at + WINDOW - OVERLAP)) {
		size_t len = MIN(in->text.len - at, (size_t)WINDOW);

		window.text = (struct str){ in->text.p + at, len };
		window.begin_cut = in->begin_cut || at > 0;
		window.end_cut = in->end_cut || at + len < in->text.len;
		status = find_in_window(s, &window, ret_found, ret_start, ret_end);
		if (*ret_found) {
			*ret_start += at;
			*ret_end += at;
		}
		if (*ret_found || at + len == in->text.len)
			return status;
	}
	return status;
}

/* At most SCAN_TEXT_MAX bytes of the line, with the match in them. */
static struct str around(struct str line, size_t start, size_t end)
{
	size_t match = MIN(end - start, (size_t)SCAN_TEXT_MAX), lead = MIN(start, (SCAN_TEXT_MAX - match) / 2), from,
	       len;

	from = start - lead;
	if (line.len - from < SCAN_TEXT_MAX)
		from = line.len > SCAN_TEXT_MAX ? line.len - SCAN_TEXT_MAX : 0;
	from = align(line, from);
	line = (struct str){ line.p + from, line.len - from };
	len = utf8_cut(line, SCAN_TEXT_MAX);
	return (struct str){ line.p, len };
}

/* 1: the line is told. */
static int look_at(struct scan *s, const struct matcher_text *in, bool *ret_found)
{
	size_t start = 0, end = 0;
	int status = find(s, in, ret_found, &start, &end);
	struct scan_match match;

	if (status != SCAN_DONE || !*ret_found)
		return status;
	match = (struct scan_match){ .line = s->line, .column = s->line_offset + start + 1, .text = in->text };
	match.cut = in->begin_cut || in->end_cut || in->text.len > SCAN_TEXT_MAX;
	if (in->text.len > SCAN_TEXT_MAX)
		match.text = around(in->text, start, end);
	return s->events->match(s->user, &match) ? SCAN_DONE : SCAN_STOPPED;
}

static bool tell_line(struct scan *s, struct str line)
{
	size_t len = line.len > SCAN_TEXT_MAX ? utf8_cut(line, SCAN_TEXT_MAX) : line.len;

	return !s->events->line || s->events->line(s->user, s->line, (struct str){ line.p, len });
}

/* One complete line; its beginning may be gone already. */
static int take_line(struct scan *s, struct str line)
{
	struct matcher_text in = { .text = line, .begin_cut = s->line_offset > 0 };
	int status = SCAN_DONE;
	bool found;

	if (!s->skips)
		status = look_at(s, &in, &found);
	if (status == SCAN_DONE && !tell_line(s, line))
		status = SCAN_STOPPED;
	s->line++;
	s->line_offset = 0;
	s->skips = false;
	return status;
}

static size_t count_newlines(const char *from, const char *to)
{
	size_t count = 0;

	while ((from = from < to ? memchr(from, '\n', (size_t)(to - from)) : NULL)) {
		count++;
		from++;
	}
	return count;
}

/* Goes to the line of the next place where the fixed text stands; the lines before it are only counted. */
static struct str skip_to_literal(struct scan *s, struct str lines)
{
	struct str wanted = matcher_literal(s->matcher);
	const char *at, *start, *end = lines.p + lines.len;

	if (!wanted.p || s->events->line || s->line_offset)
		return lines;
	at = memmem(lines.p, lines.len, wanted.p, wanted.len);
	start = at && at > lines.p ? memrchr(lines.p, '\n', (size_t)(at - lines.p)) : NULL;
	start = at ? (start ? start + 1 : lines.p) : end;
	s->line += count_newlines(lines.p, start);
	return (struct str){ start, (size_t)(end - start) };
}

/* Lines with their newlines; only the last one of the file may lack it. */
static int take_lines(struct scan *s, struct str lines)
{
	int status = SCAN_DONE;

	for (unsigned count = 1; status == SCAN_DONE && lines.len; count++) {
		lines = skip_to_literal(s, lines);
		if (!lines.len)
			return SCAN_DONE;
		if (count % LINES_BETWEEN_LOOKS == 0 && s->events->is_stopped(s->user))
			return SCAN_STOPPED;
		status = take_line(s, str_cut(&lines, '\n'));
	}
	return status;
}

/* The buffer is full and holds no newline: a part of a long line, of which the end stays. */
static int take_part(struct scan *s)
{
	struct matcher_text in = { { s->buffer, s->len }, .begin_cut = s->line_offset > 0, .end_cut = true };
	size_t gone = s->len - OVERLAP;
	int status = SCAN_DONE;
	bool found = false;

	if (!s->skips)
		status = look_at(s, &in, &found);
	s->skips = s->skips || found;
	s->line_offset += gone;
	memmove(s->buffer, s->buffer + gone, OVERLAP);
	s->len = OVERLAP;
	return status;
}

static int take_buffer(struct scan *s, bool at_end)
{
	const char *last = s->len ? memrchr(s->buffer, '\n', s->len) : NULL;
	size_t complete = at_end ? s->len : last ? (size_t)(last + 1 - s->buffer) : 0;
	int status;

	if (!complete && s->len == BUFFER_SIZE)
		return take_part(s);
	status = take_lines(s, (struct str){ s->buffer, complete });
	memmove(s->buffer, s->buffer + complete, s->len - complete);
	s->len -= complete;
	return status;
}

int scan_file(struct scan *s, int fd)
{
	int status = SCAN_DONE;
	bool at_end = false;

	s->len = 0;
	s->line = 1;
	s->line_offset = 0;
	s->skips = false;
	while (status == SCAN_DONE && !at_end) {
		size_t before = s->len;

		while (s->len < BUFFER_SIZE && !at_end) {
			ssize_t len = read(fd, s->buffer + s->len, BUFFER_SIZE - s->len);

			if (len < 0)
				return -errno;
			s->len += (size_t)len;
			at_end = len == 0;
		}
		if (memchr(s->buffer + before, '\0', s->len - before))
			return SCAN_BINARY;
		if (s->events->is_stopped(s->user))
			return SCAN_STOPPED;
		status = take_buffer(s, at_end);
	}
	return status;
}
