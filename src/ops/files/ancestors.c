/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/ancestors.h"

#include "policy/place.h"

enum { ARENA_LIMIT = 256 * 1024 };

/* False at a root, and where the caller's roots end. */
static bool mark(struct ancestors *a, struct notify_user *user, const struct principal *who, struct str path)
{
	struct arena arena;
	struct place *place;
	struct err unused;
	bool is_inside;
	int fd;

	arena_init(&arena, ARENA_LIMIT);
	place = place_resolve(&arena, who, path, 0, &unused);
	is_inside = place && !place->is_root;
	fd = is_inside ? place_open_dir(place) : -1;
	if (fd >= 0 && notify_add_self(user, &a->marks[a->count], fd) == 0)
		a->count++;
	close_fd(fd);
	if (place)
		place_close(place);
	arena_free(&arena);
	return is_inside;
}

void ancestors_mark(struct ancestors *a, struct notify_user *user, const struct principal *who, const char *path)
{
	size_t len = strlen(path);

	a->count = 0;
	while (a->count < ANCESTORS_MAX) {
		while (len > 0 && path[len - 1] != '/')
			len--;
		if (len <= 1 || !mark(a, user, who, (struct str){ path, len - 1 }))
			return;
		len--;
	}
}

void ancestors_drop(struct ancestors *a)
{
	while (a->count > 0)
		notify_drop(&a->marks[--a->count]);
}
