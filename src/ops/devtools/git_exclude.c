/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/devtools/git_exclude.h"

#include "policy/pattern.h"

#include <stdio.h>

enum { PATTERN_MAX = 4096 };

static void give(const char *rest, void (*fn)(void *user, const char *pathspec), void *user)
{
	AUTOBUF struct buf text;

	buf_init(&text, PATTERN_MAX * 2);
	buf_adds(&text, ":(top,exclude,glob)");
	for (; *rest; rest++) {
		/* Special to git, plain to us. */
		if (*rest == '[' || *rest == ']' || *rest == '\\')
			buf_addc(&text, '\\');
		buf_addc(&text, *rest);
	}
	if (buf_failed(&text))
		return;
	fn(user, text.data);
	buf_adds(&text, "/**");
	fn(user, text.data);
}

/* Whether the parts in front match the root itself, and not one of the folders above it. */
static bool is_exactly(const char *front, const char *top)
{
	char above[PATTERN_MAX];
	const char *slash = strrchr(top, '/');

	snprintf(above, sizeof above, "%.*s", (int)(slash - top), top);
	return pattern_covers(front, top) && !(above[0] && pattern_covers(front, above));
}

void git_exclude(const char *pattern, const char *top, void (*fn)(void *user, const char *pathspec), void *user)
{
	char front[PATTERN_MAX];

	/* Wherever the root may end inside of the pattern: what is left of it counts from there. */
	for (const char *rest = pattern; *rest; rest += strcspn(rest, "/")) {
		bool any;

		while (*rest == '/')
			rest++;
		if (!*rest)
			break;
		snprintf(front, sizeof front, "%.*s", (int)(rest - pattern), pattern);
		any = strncmp(rest, "**", 2) == 0 && (rest[2] == '/' || !rest[2]);
		if (front[0] == '\0' || strcmp(front, "/") == 0) {
			if (any || strcmp(top, "/") == 0)
				give(rest, fn, user);
		} else if (any ? pattern_covers(front, top) : is_exactly(front, top)) {
			give(rest, fn, user);
		}
	}
}
