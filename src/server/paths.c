/* SPDX-License-Identifier: Apache-2.0 */
#include "server/paths.h"

#include "policy/place.h"
#include "spawn/failure.h"

#include <errno.h>
#include <fcntl.h>

/* Those of a row that policy resolves. */
static struct path_arg *paths_of(const struct field *field, void *params, size_t *ret_count)
{
	char *at = (char *)params + field->offset;

	*ret_count = 0;
	if (field->flags & F_UNRESOLVED)
		return NULL;
	if (field->type == FIELD_PATH) {
		*ret_count = 1;
		return (struct path_arg *)at;
	}
	if (field->type == FIELD_ARRAY && field->item_type == FIELD_PATH) {
		struct list *list = (struct list *)at;

		*ret_count = list->count;
		return list->items;
	}
	return NULL;
}

bool paths_given(const struct field *fields, const void *params)
{
	for (const struct field *field = fields; field && field->type != FIELD_NONE; field++) {
		size_t count;
		const struct path_arg *path = paths_of(field, (void *)params, &count);

		if (count && path->given.p)
			return true;
	}
	return false;
}

static bool is_policy(enum err_code code)
{
	return code == ERR_POLICY_PATH || code == ERR_POLICY_READONLY || code == ERR_BUSY || code == ERR_ARGS_INVALID;
}

static int resolve_one(struct arena *arena, const struct principal *who, const struct field *field,
	struct path_arg *path, struct err *err)
{
	path->place = place_resolve(arena, who, path->given, field->flags, err);
	if (!(field->flags & F_CWD))
		return path->place ? 0 : -1;
	if (!path->place)
		return is_policy(err->code) ? -1
					    : failure_set(err, arena, "cwd", err->sys_errno ? err->sys_errno : ENOENT,
						      path->given, NULL);
	path->folder_fd = place_open(path->place, O_PATH | O_DIRECTORY, 0);
	return path->folder_fd < 0 ? failure_set(err, arena, "cwd", -path->folder_fd, path->given, NULL) : 0;
}

int paths_resolve(
	struct arena *arena, const struct principal *who, const struct field *fields, void *params, struct err *err)
{
	for (const struct field *field = fields; field && field->type != FIELD_NONE; field++) {
		size_t count;
		struct path_arg *paths = paths_of(field, params, &count);

		for (size_t i = 0; i < count; i++) {
			if (!paths[i].given.p)
				continue;
			if (resolve_one(arena, who, field, &paths[i], err) < 0)
				return -1;
		}
	}
	return 0;
}

void paths_close(const struct field *fields, void *params)
{
	for (const struct field *field = fields; field && field->type != FIELD_NONE; field++) {
		size_t count;
		struct path_arg *paths = paths_of(field, params, &count);

		for (size_t i = 0; i < count; i++) {
			if ((field->flags & F_CWD) && paths[i].place)
				close_fd(paths[i].folder_fd);
			place_close(paths[i].place);
			paths[i].place = NULL;
		}
	}
}
