/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/url.h"

#include "base/buf.h"

#include <errno.h>
#include <strings.h>

/* The byte that the escape at `at` stands for, which is never 0; -EINVAL when it is a bad one. */
static int escaped_byte(struct str text, size_t at)
{
	int high, low;

	if (text.len - at < 3)
		return -EINVAL;
	high = str_hex_digit(text.p[at + 1]);
	low = str_hex_digit(text.p[at + 2]);
	return high < 0 || low < 0 || high + low == 0 ? -EINVAL : high * 16 + low;
}

static int check_escapes(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.p[i] == '\0' || (text.p[i] == '%' && escaped_byte(text, i) < 0))
			return -EINVAL;
	return 0;
}

/* Text without anything to decode is lent, not copied. */
static int decode(struct arena *arena, struct str text, bool plus_is_blank, struct str *ret_text)
{
	size_t len = 0;
	char *to;

	if (check_escapes(text) < 0)
		return -EINVAL;
	if (!str_has(text, '%') && !(plus_is_blank && str_has(text, '+'))) {
		*ret_text = text;
		return 0;
	}
	to = arena_alloc(arena, text.len + 1);
	if (!to)
		return -ENOMEM;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.p[i];

		if (c == '%') {
			c = (char)escaped_byte(text, i);
			i += 2;
		} else if (c == '+' && plus_is_blank) {
			c = ' ';
		}
		to[len++] = c;
	}
	*ret_text = (struct str){ to, len };
	return 0;
}

static int parse_path(struct arena *arena, struct str path, struct url *url)
{
	while (path.len) {
		struct str segment = str_cut(&path, '/');
		int r;

		if (segment.len == 0)
			continue;
		if (url->count == URL_SEGMENTS_MAX) {
			url->too_deep = true;
			r = check_escapes(segment);
		} else {
			r = decode(arena, segment, false, &url->segments[url->count]);
			url->count++;
		}
		if (r < 0)
			return r;
	}
	return 0;
}

static bool skip_scheme(struct str *target, const char *scheme)
{
	size_t len = strlen(scheme);

	if (target->len < len || strncasecmp(target->p, scheme, len) != 0)
		return false;
	target->p += len;
	target->len -= len;
	return true;
}

/* A user in front of the host could make one name look like another. */
static int take_authority(struct str *target, struct str *ret_authority)
{
	struct str authority = { target->p, 0 };

	while (authority.len < target->len && target->p[authority.len] != '/' && target->p[authority.len] != '?')
		authority.len++;
	if (authority.len == 0 || str_has(authority, '@'))
		return -EINVAL;
	target->p += authority.len;
	target->len -= authority.len;
	*ret_authority = authority;
	return 0;
}

int url_parse(struct arena *arena, struct str target, struct url *ret_url, struct str *ret_authority)
{
	struct str authority = { 0 };
	struct url url = { 0 };
	int r = 0;

	if (target.len == 0 || str_has(target, '#'))
		return -EINVAL;
	if (skip_scheme(&target, "http://") || skip_scheme(&target, "https://"))
		r = take_authority(&target, &authority);
	else if (target.p[0] != '/' && !str_is(target, "*"))
		r = -EINVAL;
	if (r == 0 && !str_is(target, "*")) {
		struct str path = str_cut(&target, '?');

		url.query = target;
		r = parse_path(arena, path, &url);
	}
	if (r < 0)
		return r;
	*ret_url = url;
	*ret_authority = authority;
	return 0;
}

int url_query_next(struct arena *arena, struct str *query, struct url_pair *ret_pair)
{
	struct url_pair pair = { 0 };
	struct str text = { 0 }, name;
	int r;

	while (query->len && text.len == 0)
		text = str_cut(query, '&');
	if (text.len == 0)
		return 0;
	pair.has_value = str_has(text, '=');
	name = str_cut(&text, '=');
	r = decode(arena, name, true, &pair.name);
	if (r == 0)
		r = decode(arena, text, true, &pair.value);
	if (r < 0)
		return r;
	*ret_pair = pair;
	return 1;
}

static bool is_unreserved(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
	       c == '_' || c == '~';
}

void url_encode(struct buf *out, struct str bytes, bool keep_slash)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < bytes.len; i++) {
		unsigned char c = (unsigned char)bytes.p[i];

		if (is_unreserved(bytes.p[i]) || (keep_slash && c == '/'))
			buf_addc(out, bytes.p[i]);
		else
			buf_add(out, (char[]){ '%', digits[c / 16], digits[c % 16] }, 3);
	}
}
