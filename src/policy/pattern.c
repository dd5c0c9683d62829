/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/pattern.h"

#include "base/str.h"

/* The next part of a path, which is moved behind it; false at the end. */
static bool next_part(const char **path, struct str *ret_part)
{
	const char *at = *path;

	while (*at == '/')
		at++;
	if (!*at)
		return false;
	*ret_part = (struct str){ at, strcspn(at, "/") };
	*path = at + ret_part->len;
	return true;
}

/* The usual two pointers: on a mismatch the last star takes one byte more. */
static bool part_matches(struct str pattern, struct str name)
{
	size_t p = 0, n = 0, star = SIZE_MAX, star_n = 0;

	while (n < name.len) {
		if (p < pattern.len && pattern.p[p] == '*') {
			star = p++;
			star_n = n;
		} else if (p < pattern.len && (pattern.p[p] == '?' || pattern.p[p] == name.p[n])) {
			p++;
			n++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			n = ++star_n;
		} else {
			return false;
		}
	}
	while (p < pattern.len && pattern.p[p] == '*')
		p++;
	return p == pattern.len;
}

/* The same over parts, with "**" as the star.  reaches: the path may end before the pattern does. */
static bool matches(const char *pattern, const char *path, bool reaches)
{
	const char *star = NULL, *star_path = NULL;

	for (;;) {
		struct str wanted = { 0 }, part = { 0 };

		if (!next_part(&pattern, &wanted))
			return true; /* what is left of the path lies below */
		if (str_is(wanted, "**")) {
			if (reaches)
				return true;
			star = pattern;
			star_path = path;
			continue;
		}
		if (!next_part(&path, &part))
			return reaches;
		if (part_matches(wanted, part))
			continue;
		if (!star)
			return false;
		path = star_path;
		if (!next_part(&path, &part))
			return false;
		star_path = path;
		pattern = star;
	}
}

bool pattern_covers(const char *pattern, const char *path)
{
	return matches(pattern, path, false);
}

bool pattern_reaches(const char *pattern, const char *path)
{
	return matches(pattern, path, true);
}
