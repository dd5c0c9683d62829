/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaches gitignore.c and glob.c.  The first line is a path, the rest the rules.  What is held: a
 * rule of the path's own name, escaped, is always found, whatever stands before it; and the
 * text that a glob without special bytes matches is itself.
 */
#include "ops/files/gitignore.h"
#include "ops/files/glob.h"

#include <assert.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_plain(struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (strchr("*?[]\\/\r \t", text.p[i]))
			return false;
	}
	return text.len > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rules = { (const char *)data, MIN(size, (size_t)2048) };
	struct str path = str_cut(&rules, '\n');
	struct gitignore g;
	char text[8192];
	int len;

	if (gitignore_parse(&g, rules) == 0) {
		gitignore_ask(&g, path, false);
		gitignore_ask(&g, path, true);
	}
	gitignore_free(&g);
	glob_finds(rules, path);
	if (!is_plain(path))
		return 0;
	assert(glob_matches_name(path, path) && glob_matches_path(path, path));
	len = snprintf(text, sizeof text, "%.*s\n\\%.*s", (int)rules.len, rules.p, (int)path.len, path.p);
	if (memchr(data, '\0', size) || len >= (int)sizeof text)
		return 0;
	assert(gitignore_parse(&g, str_of(text)) == 0);
	assert(gitignore_ask(&g, path, false) == GITIGNORE_IGNORE);
	gitignore_free(&g);
	return 0;
}
