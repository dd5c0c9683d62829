/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A boundary is CRLF "--" boundary and then "--", or blanks and CRLF.  What looks like one at
 * first is held as a count of matched bytes: all but the blanks are known, and these are kept
 * behind the boundary in m->held, so that the bytes can be given back as content.
 */
#include "wire/multipart.h"

#include "wire/head.h"

#include <errno.h>

enum { HEADER_MAX = 8 * 1024, CRLF_LEN = 2 };

enum state {
	PREAMBLE, /* before the first boundary */
	HEADER,
	CONTENT,
	LAST,     /* the final boundary was read, not yet told */
	LAST_END, /* the byte behind it */
	EPILOGUE,
	BROKEN,
};

static bool is_boundary_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr("'()+_,-./:=? ", c));
}

static bool is_boundary(struct str text)
{
	if (text.len == 0 || text.len > MULTIPART_BOUNDARY_MAX || text.p[text.len - 1] == ' ')
		return false;
	for (size_t i = 0; i < text.len; i++)
		if (!is_boundary_char(text.p[i]))
			return false;
	return true;
}

static void skip(struct str *text, size_t len)
{
	text->p += len;
	text->len -= len;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

struct param {
	struct str name, value; /* a quoted value is without its quotes, but keeps its escapes */
	bool quoted;
};

/* Senders escape a quote and a backslash, or nothing; a lone backslash is part of the name. */
static bool is_escape(struct str text, size_t at)
{
	return text.p[at] == '\\' && at + 1 < text.len && (text.p[at + 1] == '"' || text.p[at + 1] == '\\');
}

static int take_quoted(struct str *rest, struct param *ret_param)
{
	for (size_t i = 1; i < rest->len; i++) {
		if (rest->p[i] == '"') {
			ret_param->value = (struct str){ rest->p + 1, i - 1 };
			ret_param->quoted = true;
			skip(rest, i + 1);
			return 1;
		}
		i += is_escape(*rest, i);
	}
	return -EINVAL;
}

/* The next ";name=value" of a field: 1, 0 at the end, -EINVAL. */
static int take_param(struct str *rest, struct param *ret_param)
{
	bool parted = false;
	size_t len = 0;

	for (; rest->len && (is_blank(rest->p[0]) || rest->p[0] == ';'); skip(rest, 1))
		parted |= rest->p[0] == ';';
	if (rest->len == 0)
		return 0;
	while (len < rest->len && head_is_token_char(rest->p[len]))
		len++;
	if (!parted || len == 0 || len == rest->len || rest->p[len] != '=')
		return -EINVAL;
	*ret_param = (struct param){ .name = { rest->p, len } };
	skip(rest, len + 1);
	if (rest->len && rest->p[0] == '"')
		return take_quoted(rest, ret_param);
	for (len = 0; len < rest->len && rest->p[len] != ';'; len++)
		;
	ret_param->value = str_trim((struct str){ rest->p, len });
	skip(rest, len);
	return 1;
}

/* Takes "name", up to the parameters. */
static bool take_type(struct str *field, const char *name)
{
	size_t len = 0;

	while (len < field->len && field->p[len] != ';')
		len++;
	if (!str_is_nocase(str_trim((struct str){ field->p, len }), name))
		return false;
	skip(field, len);
	return true;
}

int multipart_init(struct multipart *m, struct str content_type)
{
	struct str boundary = { 0 };
	struct param param;
	int r;

	if (!take_type(&content_type, "multipart/form-data"))
		return -EINVAL;
	while ((r = take_param(&content_type, &param)) > 0) {
		if (!str_is_nocase(param.name, "boundary"))
			continue;
		if (boundary.p)
			return -EINVAL;
		boundary = param.value;
	}
	if (r < 0 || !is_boundary(boundary))
		return -EINVAL;
	*m = (struct multipart){ .state = PREAMBLE, .boundary_len = boundary.len + CRLF_LEN + 2 };
	memcpy(m->held, "\r\n--", CRLF_LEN + 2);
	memcpy(m->held + CRLF_LEN + 2, boundary.p, boundary.len);
	/* The first boundary has no CRLF before it. */
	m->matched = m->implied = CRLF_LEN;
	buf_init(&m->header, HEADER_MAX);
	return 0;
}

void multipart_free(struct multipart *m)
{
	buf_free(&m->header);
}

bool multipart_done(const struct multipart *m)
{
	return m->state == LAST || m->state == LAST_END || m->state == EPILOGUE;
}

/* What browsers write for the three bytes that they do not send in a name: 0 for anything else. */
static char browser_escape(struct str text, size_t at)
{
	struct str rest = { text.p + at, text.len - at };

	if (str_starts(rest, "%22"))
		return '"';
	if (str_starts(rest, "%0D"))
		return '\r';
	return str_starts(rest, "%0A") ? '\n' : 0;
}

static int keep_filename(struct multipart *m, const struct param *param)
{
	struct str text = param->value;

	m->filename_len = 0;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.p[i], browser = param->quoted ? browser_escape(text, i) : 0;

		if (browser) {
			c = browser;
			i += 2;
		} else if (param->quoted && is_escape(text, i)) {
			c = text.p[++i];
		}
		if (m->filename_len == sizeof m->filename)
			return -EINVAL;
		m->filename[m->filename_len++] = c;
	}
	return 0;
}

struct part {
	bool has_disposition, has_filename;
};

static int on_disposition(struct multipart *m, struct str value, struct part *part)
{
	bool is_extended = false;
	struct param param;
	int r;

	if (part->has_disposition || !take_type(&value, "form-data"))
		return -EINVAL;
	part->has_disposition = true;
	while ((r = take_param(&value, &param)) > 0) {
		is_extended |= str_is_nocase(param.name, "filename*");
		if (!str_is_nocase(param.name, "filename"))
			continue;
		if (part->has_filename || keep_filename(m, &param) < 0)
			return -EINVAL;
		part->has_filename = true;
	}
	/* A form has none of that (RFC 7578, 4.2).  Where nothing else is the name, a file would be lost as a field. */
	return is_extended && !part->has_filename ? -EINVAL : r;
}

/* Content that would have to be decoded must not be stored as it is. */
static bool is_identity(struct str encoding)
{
	return str_is_nocase(encoding, "7bit") || str_is_nocase(encoding, "8bit") || str_is_nocase(encoding, "binary");
}

static int on_header_line(struct multipart *m, struct str line, struct part *part)
{
	struct str name = str_cut(&line, ':'), value = str_trim(line);

	if (name.len == 0 || name.p + name.len == line.p)
		return -EINVAL;
	for (size_t i = 0; i < name.len; i++)
		if (!head_is_token_char(name.p[i]))
			return -EINVAL;
	for (size_t i = 0; i < value.len; i++)
		if (((unsigned char)value.p[i] < ' ' && value.p[i] != '\t') || value.p[i] == 0x7f)
			return -EINVAL;
	if (str_is_nocase(name, "content-disposition"))
		return on_disposition(m, value, part);
	if (str_is_nocase(name, "content-transfer-encoding"))
		return is_identity(value) ? 0 : -EINVAL;
	return 0;
}

static int on_header_end(struct multipart *m, enum multipart_event *ret_event)
{
	struct str rest = buf_str(&m->header);
	struct part part = { 0 };

	m->filename_len = 0;
	rest.len -= CRLF_LEN;
	while (rest.len) {
		struct str line = str_cut(&rest, '\n');
		int r;

		line.len--; /* the CR */
		r = on_header_line(m, line, &part);
		if (r < 0)
			return r;
	}
	m->state = CONTENT;
	m->in_part = true;
	/* A part without content may end with the CRLF that ends its header (RFC 2046, 5.1.1). */
	m->matched = m->implied = CRLF_LEN;
	*ret_event = part.has_filename ? MULTIPART_PART : MULTIPART_FIELD;
	return 1;
}

static int on_header(struct multipart *m, struct str *bytes, enum multipart_event *ret_event)
{
	const char *lf = memchr(bytes->p, '\n', bytes->len);
	size_t len = lf ? (size_t)(lf + 1 - bytes->p) : bytes->len;
	struct str held;

	buf_add(&m->header, bytes->p, len);
	if (buf_failed(&m->header))
		return -EINVAL;
	skip(bytes, len);
	held = buf_str(&m->header);
	if (!lf)
		return 0;
	if (held.len < CRLF_LEN || held.p[held.len - 2] != '\r')
		return -EINVAL;
	if (held.len == CRLF_LEN || held.p[held.len - 3] == '\n')
		return on_header_end(m, ret_event);
	return 0;
}

/* Whether c goes on with the boundary of which m->matched bytes were seen. */
static bool goes_on(const struct multipart *m, char c)
{
	char last = m->held[m->matched - (m->matched > 0)];

	if (m->matched < m->boundary_len)
		return c == m->held[m->matched];
	if (m->matched == m->boundary_len)
		return c == '-' || c == '\r' || is_blank(c);
	if (last == '-')
		return c == '-';
	if (last == '\r')
		return c == '\n';
	return c == '\r' || (is_blank(c) && m->matched < m->boundary_len + MULTIPART_PADDING_MAX);
}

static bool is_complete(const struct multipart *m)
{
	size_t behind = m->matched - MIN(m->matched, m->boundary_len);

	return behind >= 2 && (m->held[m->matched - 1] == '\n' || m->held[m->matched - 1] == '-');
}

static int on_boundary(struct multipart *m, enum multipart_event *ret_event)
{
	bool in_part = m->in_part;

	m->state = m->held[m->matched - 1] == '-' ? LAST : HEADER;
	m->matched = m->implied = 0;
	m->in_part = false;
	buf_truncate(&m->header, 0);
	*ret_event = MULTIPART_END;
	return in_part;
}

/* Tells content; that before the first boundary is nobody's. */
static int on_data(struct multipart *m, struct str data, enum multipart_event *ret_event, struct str *ret_data)
{
	if (!m->in_part || data.len == 0)
		return 0;
	*ret_event = MULTIPART_DATA;
	*ret_data = data;
	return 1;
}

static int on_candidate(struct multipart *m, struct str *bytes, enum multipart_event *ret_event, struct str *ret_data)
{
	for (; bytes->len && goes_on(m, bytes->p[0]); skip(bytes, 1)) {
		m->held[m->matched++] = bytes->p[0];
		if (is_complete(m)) {
			skip(bytes, 1);
			return on_boundary(m, ret_event);
		}
	}
	if (bytes->len) {
		struct str data = { m->held + m->implied, m->matched - m->implied };

		m->matched = m->implied = 0;
		return on_data(m, data, ret_event, ret_data);
	}
	return 0;
}

/* How many bytes stand before the first place where a boundary may begin. */
static size_t plain_len(const struct multipart *m, struct str bytes)
{
	const char *at = bytes.p, *end = bytes.p + bytes.len;

	while (at < end) {
		at = memchr(at, '\r', (size_t)(end - at));
		if (!at)
			return bytes.len;
		if (memcmp(at, m->held, MIN((size_t)(end - at), m->boundary_len)) == 0)
			return (size_t)(at - bytes.p);
		at++;
	}
	return bytes.len;
}

static int on_content(struct multipart *m, struct str *bytes, enum multipart_event *ret_event, struct str *ret_data)
{
	struct str data = { bytes->p, m->matched ? 0 : plain_len(m, *bytes) };

	skip(bytes, data.len);
	return data.len ? on_data(m, data, ret_event, ret_data) : on_candidate(m, bytes, ret_event, ret_data);
}

static int on_last_end(struct multipart *m, struct str *bytes)
{
	/* Anything else would be a line of content that only begins like the end. */
	if (bytes->p[0] != '\r' && !is_blank(bytes->p[0]))
		return -EINVAL;
	m->state = EPILOGUE;
	return 0;
}

/* 1 when there is an event, 0 when it goes on, -EINVAL. */
static int step(struct multipart *m, struct str *bytes, enum multipart_event *ret_event, struct str *ret_data)
{
	switch (m->state) {
	case PREAMBLE:
	case CONTENT:
		return on_content(m, bytes, ret_event, ret_data);
	case HEADER:
		return on_header(m, bytes, ret_event);
	case LAST_END:
		return on_last_end(m, bytes);
	case EPILOGUE:
		skip(bytes, bytes->len);
		return 0;
	default:
		return -EINVAL;
	}
}

int multipart_next(struct multipart *m, struct str *bytes, enum multipart_event *ret_event, struct str *ret_data)
{
	int r = 0;

	while (r == 0 && bytes->len && m->state != LAST)
		r = step(m, bytes, ret_event, ret_data);
	if (r < 0) {
		m->state = BROKEN;
		return r;
	}
	if (r == 0)
		*ret_event = m->state == LAST ? MULTIPART_DONE : MULTIPART_MORE;
	if (r == 0 && m->state == LAST)
		m->state = LAST_END;
	return 0;
}
