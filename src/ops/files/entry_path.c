/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/entry_path.h"

static const char *add_part(char *to, size_t *len, struct str part)
{
	if (part.len > ENTRY_NAME_MAX || *len + part.len + 2 > ENTRY_PATH_MAX)
		return "the name is too long";
	if (*len)
		to[(*len)++] = '/';
	memcpy(to + *len, part.p, part.len);
	*len += part.len;
	to[*len] = '\0';
	return NULL;
}

const char *entry_path(struct str name, int64_t strip, char to[static ENTRY_PATH_MAX])
{
	const char *reason = NULL;
	size_t len = 0;

	to[0] = '\0';
	if (!name.len)
		return "the name is empty";
	if (str_has(name, '\0'))
		return "the name holds a NUL";
	if (name.p[0] == '/')
		return "the name is absolute";
	while (name.len && !reason) {
		struct str part = str_cut(&name, '/');

		if (!part.len || str_is(part, "."))
			continue;
		if (str_is(part, ".."))
			reason = "the name climbs with '..'";
		else if (strip > 0)
			strip--;
		else
			reason = add_part(to, &len, part);
	}
	if (reason)
		to[0] = '\0';
	return reason;
}

unsigned entry_depth(const char *path)
{
	unsigned depth = 0;

	for (; *path; path++)
		depth += *path == '/';
	return depth;
}

bool entry_link_stays(const char *target, unsigned depth)
{
	struct str rest = str_of(target);
	bool went_down = false;

	if (!rest.len || rest.p[0] == '/')
		return false;
	while (rest.len) {
		struct str part = str_cut(&rest, '/');

		if (!part.len || str_is(part, "."))
			continue;
		if (!str_is(part, "..")) {
			went_down = true;
		} else {
			if (went_down || depth == 0)
				return false;
			depth--;
		}
	}
	return true;
}
