/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/place.h"

#include "policy/beneath.h"
#include "policy/path_walk.h"
#include "policy/roots.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int no_memory(struct err *err)
{
	return err_set(err, ERR_BUSY, "memory is used up");
}

static const char *front_of(const struct root *root)
{
	return strcmp(root_path(root), "/") == 0 ? "" : root_path(root);
}

/* The place that a finished walk found; its descriptor moves over. */
static struct place *make_place(struct arena *arena, struct path_walk *walk)
{
	struct place *place = arena_new(arena, struct place);
	const char *path = arena_printf(
		arena, "%s%s", walk->pos_len ? front_of(walk->root) : root_path(walk->root), walk->pos);
	const char *given = arena_strndup(arena, walk->given.p, walk->given.len);

	if (!place || !path || !given) {
		no_memory(walk->err);
		return NULL;
	}
	*place = (struct place){
		.parent_fd = take_fd(&walk->parent_fd),
		.name = walk->pos_len ? strrchr(path, '/') + 1 : ".",
		.path = path,
		.given = given,
		.is_root = walk->pos_len == 0 || roots_at(walk->roots, path) != NULL,
		.missing = walk->missing,
		.wants_folder = walk->needs_folder,
		.root = walk->root,
	};
	return place;
}

struct place *place_resolve(
	struct arena *arena, const struct principal *who, struct str given, unsigned flags, struct err *err)
{
	const struct roots *roots = principal_roots(who);
	struct place *place = NULL;
	struct path_walk walk;
	unsigned how = flags & F_MISSING_OK ? PATH_WALK_MISSING_OK : 0;

	/* "link/" may be looked at as the folder, but is not what a change of the link means. */
	if (!(flags & F_NOFOLLOW))
		how |= PATH_WALK_FOLLOW;
	else if (!(flags & F_WRITE))
		how |= PATH_WALK_FOLLOW_SLASH;
	path_walk_init(&walk, roots, given, how, err);
	if (path_walk_run(&walk) == 0)
		place = make_place(arena, &walk);
	path_walk_done(&walk);
	if (place && flags & F_WRITE && roots_check_write(roots, place->path, place->given, err) < 0) {
		place_close(place);
		return NULL;
	}
	return place;
}

void place_close(struct place *place)
{
	if (!place)
		return;
	close_fd(place->parent_fd);
	place->parent_fd = -1;
}

int place_open(const struct place *place, int flags, mode_t mode)
{
	int fd;

	if (place->missing)
		return -ENOENT;
	fd = openat(place->parent_fd, place->name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode);
	return fd >= 0 ? fd : -errno;
}

int place_open_dir(const struct place *place)
{
	return place_open(place, O_RDONLY | O_DIRECTORY, 0);
}

/* Opens a folder, which is made when it is missing. */
static int step_or_make(int dir_fd, const char *name, mode_t mode)
{
	int fd = beneath_step(dir_fd, name);

	if (fd != -ENOENT)
		return fd == -ELOOP ? -ENOTDIR : fd;
	if (mkdirat(dir_fd, name, mode) < 0 && errno != EEXIST)
		return -errno;
	return beneath_step(dir_fd, name);
}

/* Steps from the root down to the folder of the place; where one is missing it is made, or ends the way. */
static int step_down(const struct place *place, bool make, mode_t mode)
{
	const char *at = place->path + strlen(front_of(place->root)) + 1;
	int dir_fd = root_open(place->root);

	while (dir_fd >= 0 && at != place->name) {
		char name[NAME_MAX + 1];
		size_t len = strcspn(at, "/");
		int next;

		memcpy(name, at, len);
		name[len] = '\0';
		next = make ? step_or_make(dir_fd, name, mode) : beneath_step(dir_fd, name);
		if (next == -ENOENT && !make)
			return dir_fd;
		close(dir_fd);
		dir_fd = next;
		at += len + 1;
	}
	return dir_fd;
}

int place_open_nearest(const struct place *place)
{
	return step_down(place, false, 0);
}

int place_make_parents(struct place *place, mode_t mode, struct err *err)
{
	int dir_fd;

	if (!place->missing)
		return 0;
	dir_fd = step_down(place, true, mode);
	if (dir_fd < 0)
		return err_system(err, -dir_fd, "cannot make the folders above '%s'", place->given);
	place->parent_fd = dir_fd;
	place->missing = false;
	return 0;
}

bool place_visible(const struct principal *who, const char *path)
{
	struct err unused;

	return roots_check_visible(principal_roots(who), path, "", &unused) == 0;
}

int place_check_write(const struct principal *who, const char *path, struct err *err)
{
	return roots_check_write(principal_roots(who), path, path, err);
}

bool place_holds_root(const struct principal *who, const char *path)
{
	return roots_hold_root(principal_roots(who), path);
}

bool place_may_hold_rule(const struct principal *who, const char *path)
{
	return roots_reach_pattern(principal_roots(who), path);
}

int place_base_fd(const struct principal *who)
{
	struct err err = { 0 };
	struct path_walk walk;
	int fd = -ENOENT;

	path_walk_init(&walk, principal_roots(who), STR("~/."), PATH_WALK_FOLLOW, &err);
	if (path_walk_run(&walk) == 0)
		fd = beneath_open(walk.parent_fd, walk.pos_len ? strrchr(walk.pos, '/') + 1 : "");
	else if (err.sys_errno)
		fd = -err.sys_errno;
	path_walk_done(&walk);
	return fd;
}

const char *place_base_path(const struct principal *who)
{
	return roots_base(principal_roots(who));
}
