/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaches entry_path.c.  The input: a byte that says how many parts are stripped, then a name and behind
 * a newline a link's target.  What is held: a path that is taken has plain parts only, is no longer than
 * its name and comes out of itself unchanged, and a link that stays leads, by the folders named, nowhere above.
 */
#include "ops/files/entry_path.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_parts(const char *path)
{
	struct str rest = str_of(path);

	assert(path[0] != '/' && (rest.len == 0 || path[rest.len - 1] != '/'));
	while (rest.len) {
		struct str part = str_cut(&rest, '/');

		assert(part.len > 0 && part.len <= ENTRY_NAME_MAX);
		assert(!str_is(part, ".") && !str_is(part, ".."));
	}
}

static void check_target(const char *target, unsigned depth)
{
	struct str rest = str_of(target);
	long at = depth;

	assert(target[0] != '/' && target[0]);
	while (rest.len) {
		struct str part = str_cut(&rest, '/');

		if (part.len && !str_is(part, "."))
			at += str_is(part, "..") ? -1 : 1;
		assert(at >= 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[ENTRY_PATH_MAX], again[ENTRY_PATH_MAX];
	struct str target, name;
	char *text;

	if (!size)
		return 0;
	target = (struct str){ (const char *)data + 1, size - 1 };
	name = str_cut(&target, '\n');
	if (entry_path(name, data[0] % 4, path)) {
		assert(!path[0]);
		return 0;
	}
	check_parts(path);
	assert(strlen(path) <= name.len);
	if (path[0])
		assert(!entry_path(str_of(path), 0, again) && strcmp(path, again) == 0);
	text = calloc(1, target.len + 1);
	memcpy(text, target.p, target.len);
	if (entry_link_stays(text, entry_depth(path)))
		check_target(text, entry_depth(path));
	free(text);
	return 0;
}
