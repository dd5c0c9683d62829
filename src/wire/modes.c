/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/modes.h"

enum state {
	GROUND,
	CHARACTER,    /* inside a UTF-8 character */
	ESCAPE,       /* after ESC */
	INTERMEDIATE, /* after ESC and a byte that wants another */
	CSI,
	OSC,        /* this and all behind it are strings; it ends with BEL or ST */
	STRING,     /* DCS, SOS, PM, APC: ends with ST */
	STRING_ESC, /* ESC inside one of these: perhaps the ST */
};

enum { BEL = 0x07, CAN = 0x18, SUB = 0x1a, ESC = 0x1b };

/* Setting one of a group replaces the others, resetting one switches them all off. */
enum mode_group { ALONE, SCREEN, MOUSE };

static const struct row {
	uint16_t number; /* of DECSET and DECRST */
	enum mode_group group;
	bool usual; /* on in a fresh terminal: the bit says that it is off */
} rows[] = {
	{ 47, SCREEN, false }, { 1047, SCREEN, false }, { 1049, SCREEN, false },
	{ 1, ALONE, false }, /* cursor keys send application codes */
	{ 25, ALONE, true }, /* the cursor is seen */
	{ 1000, MOUSE, false }, { 1002, MOUSE, false }, { 1003, MOUSE, false },
	{ 1006, ALONE, false }, /* mouse reports in SGR form */
	{ 1004, ALONE, false }, /* focus reports */
	{ 2004, ALONE, false }, /* bracketed paste */
};

static void set_mode(struct modes *m, unsigned number, bool on)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (rows[i].number != number)
			continue;
		for (size_t j = 0; j < ARRAY_LEN(rows); j++) {
			if (j == i || (rows[i].group != ALONE && rows[j].group == rows[i].group))
				m->on &= ~(1U << j);
		}
		if (on != rows[i].usual)
			m->on |= 1U << i;
	}
}

static void dispatch_csi(struct modes *m, char final)
{
	if (m->is_soft && final == 'p') { /* DECSTR */
		set_mode(m, 1, false);
		set_mode(m, 25, true);
	}
	if (!m->is_private || m->is_other || (final != 'h' && final != 'l'))
		return;
	for (size_t i = 0; i <= m->count && i < MODES_PARAMS_MAX; i++)
		set_mode(m, m->params[i], final == 'h');
}

static enum state begin_csi(struct modes *m)
{
	m->is_private = m->is_soft = m->is_other = false;
	m->count = 0;
	memset(m->params, 0, sizeof m->params);
	return CSI;
}

static void csi_parameter(struct modes *m, unsigned char c)
{
	if (c >= '0' && c <= '9') {
		if (m->count < MODES_PARAMS_MAX)
			m->params[m->count] = (uint16_t)MIN(m->params[m->count] * 10 + (c - '0'), 9999);
	} else if (c == ';') {
		m->count = (uint8_t)MIN(m->count + 1, MODES_PARAMS_MAX);
	} else if (c == '?') {
		m->is_private = true;
	} else if (c == '!') {
		m->is_soft = true;
	} else {
		m->is_other = true;
	}
}

static enum state in_csi(struct modes *m, unsigned char c)
{
	if (c >= 0x40 && c <= 0x7e) {
		dispatch_csi(m, (char)c);
		return GROUND;
	}
	if (c >= 0x80)
		return GROUND;
	if (c >= 0x20)
		csi_parameter(m, c);
	return CSI; /* control characters act inside of it */
}

static enum state after_escape(struct modes *m, unsigned char c)
{
	switch (c) {
	case '[':
		return begin_csi(m);
	case ']':
		return OSC;
	case 'P':
	case 'X':
	case '^':
	case '_':
		return STRING;
	case 'c': /* RIS */
		m->on = 0;
		return GROUND;
	default:
		if (c < 0x20)
			return ESCAPE;
		return c < 0x30 ? INTERMEDIATE : GROUND;
	}
}

static enum state in_ground(struct modes *m, unsigned char c)
{
	if (c < 0xc2 || c > 0xf4)
		return GROUND;
	m->left = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
	return CHARACTER;
}

static enum state in_intermediate(struct modes *m, unsigned char c)
{
	(void)m;
	return c < 0x30 ? INTERMEDIATE : GROUND;
}

static enum state in_osc(struct modes *m, unsigned char c)
{
	(void)m;
	return c == BEL ? GROUND : OSC;
}

static enum state in_string(struct modes *m, unsigned char c)
{
	(void)m;
	(void)c;
	return STRING;
}

static enum state after_string_escape(struct modes *m, unsigned char c)
{
	return c == '\\' ? GROUND : after_escape(m, c);
}

static enum state next_state(struct modes *m, unsigned char c)
{
	static enum state (*const steps[])(struct modes * m, unsigned char c) = {
		[GROUND] = in_ground,
		[ESCAPE] = after_escape,
		[INTERMEDIATE] = in_intermediate,
		[CSI] = in_csi,
		[OSC] = in_osc,
		[STRING] = in_string,
		[STRING_ESC] = after_string_escape,
	};

	if (m->state == CHARACTER) {
		if ((c & 0xc0) == 0x80)
			return --m->left ? CHARACTER : GROUND;
		m->state = GROUND; /* it was none */
	}
	if (c == CAN || c == SUB)
		return GROUND;
	if (c == ESC)
		return m->state >= OSC ? STRING_ESC : ESCAPE;
	return steps[m->state](m, c);
}

static void feed_one(struct modes *m, unsigned char c)
{
	m->state = next_state(m, c);
	m->fed++;
	if (m->state == GROUND)
		m->boundary = m->fed;
	m->after_newline = c == '\n' && m->state == GROUND;
}

/* Plain text in the ground state is most of all output: it changes nothing. */
static size_t plain_length(struct str bytes)
{
	size_t len = 0;

	while (len < bytes.len && bytes.p[len] >= 0x20 && bytes.p[len] < 0x7f)
		len++;
	return len;
}

void modes_feed(struct modes *m, struct str bytes)
{
	while (bytes.len) {
		size_t len = m->state == GROUND ? plain_length(bytes) : 0;

		if (len) {
			m->fed += len;
			m->boundary = m->fed;
			m->after_newline = false;
		} else {
			feed_one(m, (unsigned char)bytes.p[0]);
			len = 1;
		}
		bytes.p += len;
		bytes.len -= len;
	}
}

size_t modes_feed_until(struct modes *m, struct str bytes, bool line, bool *ret_found)
{
	size_t used = 0;

	while (!(*ret_found = modes_at_boundary(m) && (!line || m->after_newline)) && used < bytes.len)
		feed_one(m, (unsigned char)bytes.p[used++]);
	return used;
}

void modes_write(const struct modes *m, bool off, struct buf *out)
{
	bool has[] = { [ALONE] = true, [SCREEN] = false, [MOUSE] = false };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		bool differs = m->on & 1U << i;

		has[rows[i].group] |= differs;
		if (differs || (off && rows[i].group == ALONE))
			buf_addf(out, "\033[?%u%c", rows[i].number, differs != rows[i].usual ? 'h' : 'l');
	}
	/* One of a group speaks for all; of the screens that which moves no cursor when it changes nothing. */
	if (off && !has[SCREEN])
		buf_adds(out, "\033[?1047l");
	if (off && !has[MOUSE])
		buf_adds(out, "\033[?1000l");
}

void modes_leave(const struct modes *m, struct buf *out)
{
	if (!modes_at_boundary(m) && m->state != CHARACTER)
		buf_adds(out, "\030"); /* CAN */
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (m->on & 1U << i)
			buf_addf(out, "\033[?%u%c", rows[i].number, rows[i].usual ? 'h' : 'l');
	}
}
