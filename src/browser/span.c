/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/span.h"

#include "base/json_scan.h"

#include <stdlib.h>

enum { ESCAPE_LEN = 6, NUMBER_MAX = 64 }; /* "\uXXXX" */

static const struct str nothing;

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_blanks(struct str *rest)
{
	while (rest->len && is_blank(*rest->p)) {
		rest->p++;
		rest->len--;
	}
}

/* The length of the string at the front, with its quotes; 0 when it does not end. */
static size_t string_len(struct str text)
{
	size_t at = 1;

	while (at < text.len) {
		at += json_plain_len(text.p + at, text.len - at);
		if (at < text.len && text.p[at] == '"')
			return at + 1;
		at += at < text.len && text.p[at] == '\\' ? 2 : 1;
	}
	return 0;
}

static size_t literal_len(struct str text)
{
	size_t len = 0;

	while (len < text.len && !is_blank(text.p[len]) && !strchr(",:]}[{\"", text.p[len]))
		len++;
	return len;
}

/* The length of the array or object at the front; 0 when it does not end. */
static size_t nested_len(struct str text, unsigned *ret_depth)
{
	unsigned depth = 0;

	for (size_t at = 0; at < text.len;) {
		char c = text.p[at];
		size_t len = c == '"' ? string_len((struct str){ text.p + at, text.len - at }) : 1;

		if (len == 0)
			return 0;
		at += len;
		depth += c == '{' || c == '[';
		*ret_depth = MAX(*ret_depth, depth);
		if ((c == '}' || c == ']') && --depth == 0)
			return at;
	}
	return 0;
}

struct str span_cut(struct str *rest)
{
	struct str value;
	unsigned depth = 0;

	skip_blanks(rest);
	if (rest->len == 0)
		return nothing;
	value.p = rest->p;
	if (*rest->p == '"')
		value.len = string_len(*rest);
	else if (*rest->p == '{' || *rest->p == '[')
		value.len = nested_len(*rest, &depth);
	else
		value.len = literal_len(*rest);
	if (value.len == 0)
		return nothing;
	rest->p += value.len;
	rest->len -= value.len;
	return value;
}

static bool take(struct str *rest, char c)
{
	skip_blanks(rest);
	if (rest->len == 0 || *rest->p != c)
		return false;
	rest->p++;
	rest->len--;
	return true;
}

struct str span_get(struct str object, const char *key)
{
	size_t len = strlen(key);

	if (!take(&object, '{'))
		return nothing;
	while (object.len) {
		struct str name = span_cut(&object), value;

		if (!name.p || !take(&object, ':'))
			return nothing;
		value = span_cut(&object);
		if (name.len == len + 2 && memcmp(name.p + 1, key, len) == 0)
			return value;
		if (!value.p || !take(&object, ','))
			return nothing;
	}
	return nothing;
}

struct str span_at(struct str object, const char *path)
{
	char key[NUMBER_MAX];

	while (*path && object.p) {
		size_t len = strcspn(path, ".");

		if (len >= sizeof key)
			return nothing;
		memcpy(key, path, len);
		key[len] = '\0';
		object = span_get(object, key);
		path += len + (path[len] == '.');
	}
	return object;
}

struct str span_next(struct str *rest)
{
	if (!take(rest, '[') && !take(rest, ','))
		return nothing;
	return span_cut(rest);
}

bool span_is(struct str value, const char *text)
{
	if (value.len >= 2 && *value.p == '"')
		value = (struct str){ value.p + 1, value.len - 2 };
	return value.p && str_is(value, text);
}

double span_number(struct str value, double otherwise)
{
	char text[NUMBER_MAX], *end;
	double number;

	if (!value.p || value.len >= sizeof text)
		return otherwise;
	memcpy(text, value.p, value.len);
	text[value.len] = '\0';
	number = strtod(text, &end);
	return end == text || *end ? otherwise : number;
}

int64_t span_integer(struct str value, int64_t otherwise)
{
	double number = span_number(value, (double)otherwise);

	/* Written so that what is no number is refused too. */
	return number >= -9e15 && number <= 9e15 ? (int64_t)number : otherwise;
}

/* The four digits of an escape, or -1. */
static int escaped(const char *p, const char *end)
{
	int code = 0;

	if (end - p < ESCAPE_LEN || p[0] != '\\' || p[1] != 'u')
		return -1;
	for (size_t i = 2; i < ESCAPE_LEN; i++) {
		int digit = str_hex_digit(p[i]);

		if (digit < 0)
			return -1;
		code = code * 16 + digit;
	}
	return code;
}

static bool is_high(int code)
{
	return code >= 0xd800 && code < 0xdc00;
}

static bool is_low(int code)
{
	return code >= 0xdc00 && code < 0xe000;
}

static char *put_utf8(char *to, unsigned code)
{
	if (code < 0x80) {
		*to++ = (char)code;
		return to;
	}
	if (code < 0x800) {
		*to++ = (char)(0xc0 | code >> 6);
	} else {
		if (code < 0x10000) {
			*to++ = (char)(0xe0 | code >> 12);
		} else {
			*to++ = (char)(0xf0 | code >> 18);
			*to++ = (char)(0x80 | (code >> 12 & 0x3f));
		}
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
	}
	*to++ = (char)(0x80 | (code & 0x3f));
	return to;
}

/* One escape at *from, which begins with a backslash; never writes more than it reads. */
static char *put_escape(char *to, const char **from, const char *end)
{
	static const char names[] = "nrtbf\"\\/", means[] = "\n\r\t\b\f\"\\/";
	int code = escaped(*from, end);
	const char *name;

	if (code >= 0) {
		int low = is_high(code) ? escaped(*from + ESCAPE_LEN, end) : -1;

		*from += ESCAPE_LEN;
		if (is_low(low)) {
			*from += ESCAPE_LEN;
			return put_utf8(to, 0x10000 + ((unsigned)(code - 0xd800) << 10) + (unsigned)(low - 0xdc00));
		}
		return put_utf8(to, is_high(code) || is_low(code) ? 0xfffd : (unsigned)code);
	}
	name = end - *from > 1 ? strchr(names, (*from)[1]) : NULL;
	if (!name || !*name) {
		(*from)++;
		return to;
	}
	*from += 2;
	*to++ = means[name - names];
	return to;
}

struct str span_text(char *text, struct str string)
{
	const char *from, *end;
	char *to, *start;

	if (string.len < 2 || *string.p != '"')
		return nothing;
	start = to = text + (string.p + 1 - text);
	from = start;
	end = start + string.len - 2;
	while (from < end) {
		const char *escape = memchr(from, '\\', (size_t)(end - from));
		size_t plain = (size_t)((escape ? escape : end) - from);

		if (to != from)
			memmove(to, from, plain);
		to += plain;
		from += plain;
		if (escape)
			to = put_escape(to, &from, end);
	}
	return (struct str){ start, (size_t)(to - start) };
}

void span_mend(char *text, struct str value)
{
	char *at = text + (value.p - text), *end = at + value.len;

	while ((at = memchr(at, '\\', (size_t)(end - at)))) {
		int code = escaped(at, end);

		if (is_high(code) && is_low(escaped(at + ESCAPE_LEN, end))) {
			at += 2 * ESCAPE_LEN;
			continue;
		}
		if (is_high(code) || is_low(code))
			memcpy(at + 2, "fffd", ESCAPE_LEN - 2);
		at += MIN(code < 0 ? 2 : ESCAPE_LEN, end - at);
	}
}

unsigned span_depth(struct str value)
{
	unsigned depth = 0;

	if (value.len && (*value.p == '{' || *value.p == '[') && nested_len(value, &depth) == 0)
		return 0;
	return depth;
}
