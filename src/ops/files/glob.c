/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/glob.h"

#include "base/utf8.h"

/* The character at the front as a number, which is moved behind it; a byte that is no UTF-8 is its own, apart from all others. */
static unsigned take_char(struct str *text)
{
	static const unsigned char masks[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	const unsigned char *p = (const unsigned char *)text->p;
	size_t len = utf8_char_len(*text);
	unsigned value;

	if (len == 0) {
		text->p++;
		text->len--;
		return 0x110000U + p[0];
	}
	value = p[0] & masks[len];
	for (size_t i = 1; i < len; i++)
		value = value << 6 | (p[i] & 0x3fU);
	text->p += len;
	text->len -= len;
	return value;
}

static unsigned take_class_char(struct str *glob)
{
	if (glob->p[0] == '\\' && glob->len > 1) {
		glob->p++;
		glob->len--;
	}
	return take_char(glob);
}

/* Behind "[": whether c is in the class, and *glob behind its "]".  -1: there is no "]", so it is no class. */
static int class_has(struct str *glob, unsigned c)
{
	struct str at = *glob;
	bool negated = at.len && (at.p[0] == '!' || at.p[0] == '^'), found = false, first = true;

	if (negated)
		take_char(&at);
	for (; at.len && (first || at.p[0] != ']'); first = false) {
		unsigned low = take_class_char(&at), high = low;

		if (at.len > 1 && at.p[0] == '-' && at.p[1] != ']') {
			take_char(&at);
			high = take_class_char(&at);
		}
		found = found || (c >= low && c <= high);
	}
	if (!at.len)
		return -1;
	take_char(&at);
	*glob = at;
	return found != negated;
}

/* One step of both that is no star: false when they differ. */
static bool step(struct str *glob, struct str *name)
{
	struct str inside;
	unsigned c;
	int in_class;

	if (!glob->len)
		return false;
	if (glob->p[0] == '?') {
		take_char(glob);
		take_char(name);
		return true;
	}
	if (glob->p[0] == '[') {
		inside = (struct str){ glob->p + 1, glob->len - 1 };
		c = take_char(name);
		in_class = class_has(&inside, c);
		if (in_class >= 0)
			*glob = inside;
		else
			take_char(glob);
		return in_class >= 0 ? in_class : c == '[';
	}
	c = take_class_char(glob);
	return c == take_char(name);
}

bool glob_matches_name(struct str glob, struct str name)
{
	struct str star = { 0 }, star_name = { 0 };

	while (name.len) {
		if (glob.len && glob.p[0] == '*') {
			take_char(&glob);
			star = glob;
			star_name = name;
			if (!star.p)
				star.p = "";
			continue;
		}
		if (step(&glob, &name))
			continue;
		if (!star.p)
			return false;
		take_char(&star_name); /* the last star takes one more */
		glob = star;
		name = star_name;
	}
	while (glob.len && glob.p[0] == '*')
		take_char(&glob);
	return glob.len == 0;
}

/* The next part of a path, which is moved behind it; false at the end. */
static bool next_part(struct str *path, struct str *ret_part)
{
	while (path->len && path->p[0] == '/') {
		path->p++;
		path->len--;
	}
	if (!path->len)
		return false;
	*ret_part = str_cut(path, '/');
	return true;
}

bool glob_matches_path(struct str glob, struct str path)
{
	struct str star = { 0 }, star_path = { 0 }, wanted, part;
	bool has_star = false;

	for (;;) {
		if (next_part(&glob, &wanted)) {
			if (str_is(wanted, "**")) {
				has_star = true;
				star = glob;
				star_path = path;
				if (!next_part(&glob, &wanted))
					return next_part(&path, &part);
				glob = star;
				continue;
			}
			if (!next_part(&path, &part))
				return false;
			if (glob_matches_name(wanted, part))
				continue;
		} else if (!next_part(&path, &part)) {
			return true;
		}
		if (!has_star || !next_part(&star_path, &part))
			return false;
		glob = star;
		path = star_path;
	}
}

bool glob_finds(struct str glob, struct str path)
{
	const char *slash = path.len ? memrchr(path.p, '/', path.len) : NULL;

	if (str_has(glob, '/'))
		return glob_matches_path(glob, path);
	if (slash)
		path = (struct str){ slash + 1, path.len - (size_t)(slash + 1 - path.p) };
	return glob_matches_name(glob, path);
}
