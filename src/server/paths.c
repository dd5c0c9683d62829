/* SPDX-License-Identifier: Apache-2.0 */
#include "server/paths.h"

#include "policy/place.h"

static struct path_arg *paths_of(const struct field *field, void *params, size_t *ret_count)
{
	char *at = (char *)params + field->offset;

	*ret_count = 0;
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

int paths_resolve(struct arena *arena, const struct principal *who, const struct field *fields, void *params,
	struct err *err)
{
	for (const struct field *field = fields; field && field->type != FIELD_NONE; field++) {
		size_t count;
		struct path_arg *paths = paths_of(field, params, &count);

		for (size_t i = 0; i < count; i++) {
			if (!paths[i].given.p)
				continue;
			paths[i].place = place_resolve(arena, who, paths[i].given, field->flags, err);
			if (!paths[i].place)
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
			place_close(paths[i].place);
			paths[i].place = NULL;
		}
	}
}
