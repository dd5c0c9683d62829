/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/replay.h"

enum { ENQ = 0x05, BEL = 0x07, CAN = 0x18, SUB = 0x1a, ESC = 0x1b };

static bool begins(struct str text, const char *with)
{
	size_t len = strlen(with);

	return text.len >= len && memcmp(text.p, with, len) == 0;
}

static bool holds(struct str text, const char *part)
{
	return memmem(text.p, text.len, part, strlen(part)) != NULL;
}

/* Which control sequences ask: by their last byte, and what must stand before it ("" anything). */
static bool csi_asks(struct str text)
{
	static const struct {
		char final;
		const char *begin, *before;
	} rows[] = {
		{ 'c', "", "" },                    /* device attributes */
		{ 'n', "", "" },                    /* status, the cursor's place */
		{ 'x', "", "" },                    /* parameters; a checksum */
		{ 'y', "", "*" }, { 'p', "", "$" }, /* modes */
		{ 'w', "", "$" }, { 'u', "", "$" }, /* states */
		{ 'u', "?", "" }, { 'q', ">", "" }, /* the keyboard's protocol; name and version */
		{ 'S', "?", "" }, { 't', "", "" },  /* graphics; the window */
	};
	struct str inside = { text.p + 2, text.len - 3 };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (text.p[text.len - 1] == rows[i].final && begins(inside, rows[i].begin) &&
			holds(inside, rows[i].before))
			return true;
	}
	return false;
}

/* A string with its ESC and kind before it, and its end. */
static bool string_asks(struct str text)
{
	struct str inside = { text.p + 2, text.len - 2 };

	switch (text.p[1]) {
	case ']':
		return holds(inside, ";?") && !begins(inside, "8;"); /* a colour, the clipboard; not a link */
	case 'P':
		return holds(inside, "$q") || holds(inside, "+q");
	case '_':
		return true; /* graphics are acknowledged */
	default:
		return false;
	}
}

static void hold(struct replay *r, char c, struct buf *to)
{
	if (r->len == sizeof r->held) {
		buf_add(to, r->held, r->len);
		r->len = 0;
		r->state = r->state == REPLAY_CSI ? REPLAY_GROUND : REPLAY_LONG;
		buf_addc(to, c);
		return;
	}
	r->held[r->len++] = c;
}

static void let_go(struct replay *r, bool asks, struct buf *to)
{
	if (!asks)
		buf_add(to, r->held, r->len);
	r->len = 0;
	r->state = REPLAY_GROUND;
}

/* An ESC cuts off whatever was begun, for every terminal: what comes is a new one. */
static void begin_anew(struct replay *r, struct buf *to)
{
	let_go(r, false, to);
	hold(r, ESC, to);
	r->state = REPLAY_ESCAPE;
}

static void after_escape(struct replay *r, char c, struct buf *to)
{
	if (c == ESC) {
		begin_anew(r, to);
		return;
	}
	hold(r, c, to);
	if (c == '[')
		r->state = REPLAY_CSI;
	else if (strchr("]PX^_", c) && c)
		r->state = REPLAY_STRING;
	else
		let_go(r, c == 'Z', to);
}

static void in_csi(struct replay *r, char c, struct buf *to)
{
	hold(r, c, to);
	if (r->len && c >= 0x40 && c <= 0x7e)
		let_go(r, csi_asks((struct str){ r->held, r->len }), to);
}

static void in_string(struct replay *r, char c, struct buf *to)
{
	bool is_escaped = r->state == REPLAY_STRING_ESCAPE, ends = c == BEL || (is_escaped && c == '\\');

	/* Within one for devices it may be passed on, doubled. */
	if (is_escaped && c != '\\' && r->held[1] != 'P') {
		r->len--;
		begin_anew(r, to);
		after_escape(r, c, to);
		return;
	}
	r->state = c == ESC ? REPLAY_STRING_ESCAPE : REPLAY_STRING;
	hold(r, c, to);
	if (r->len && ends)
		let_go(r, string_asks((struct str){ r->held, r->len }), to);
}

/* Too long to ask: up to its end as it is. */
static void in_long(struct replay *r, char c, struct buf *to)
{
	bool ends = c == BEL || (r->state == REPLAY_LONG_ESCAPE && c == '\\');

	buf_addc(to, c);
	r->state = ends ? REPLAY_GROUND : c == ESC ? REPLAY_LONG_ESCAPE : REPLAY_LONG;
}

static void feed_one(struct replay *r, char c, struct buf *to)
{
	if (c == CAN || c == SUB) {
		hold(r, c, to);
		let_go(r, false, to);
		return;
	}
	switch (r->state) {
	case REPLAY_GROUND:
		if (c == ESC) {
			hold(r, c, to);
			r->state = REPLAY_ESCAPE;
		} else if (c != ENQ) {
			buf_addc(to, c);
		}
		return;
	case REPLAY_ESCAPE:
		after_escape(r, c, to);
		return;
	case REPLAY_CSI:
		if (c == ESC)
			begin_anew(r, to);
		else
			in_csi(r, c, to);
		return;
	case REPLAY_STRING:
	case REPLAY_STRING_ESCAPE:
		in_string(r, c, to);
		return;
	case REPLAY_LONG:
	case REPLAY_LONG_ESCAPE:
		in_long(r, c, to);
		return;
	}
}

void replay_feed(struct replay *r, struct str bytes, struct buf *to)
{
	for (size_t i = 0; i < bytes.len; i++)
		feed_one(r, bytes.p[i], to);
}

void replay_end(struct replay *r, struct buf *to)
{
	let_go(r, false, to);
}
