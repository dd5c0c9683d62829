/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/walk.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

enum { OPEN_MAX_DEPTH = 24, PATH_LIMIT = 1 << 20 };

struct walk_folder {
	struct names names;
	size_t offset;   /* of the next name */
	size_t path_len; /* of the folder's own path */
	int fd;          /* -1 while closed */
	dev_t dev;
	ino_t ino;
	bool left;
};

static struct walk_folder *top(const struct walk *w)
{
	return &w->folders[w->depth - 1];
}

static int push(struct walk *w, int fd)
{
	AUTOCLOSE int owned = fd;
	struct walk_folder *folder;
	struct stat st;
	int status;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (w->depth == w->cap) {
		size_t cap = w->cap ? w->cap * 2 : 16;
		struct walk_folder *grown = reallocarray(w->folders, cap, sizeof *grown);

		if (!grown)
			return -ENOMEM;
		w->folders = grown;
		w->cap = cap;
	}
	folder = &w->folders[w->depth];
	*folder = (struct walk_folder){ .fd = -1, .path_len = w->path.len, .dev = st.st_dev, .ino = st.st_ino };
	status = names_read(&folder->names, fd);
	if (status < 0)
		return status;
	folder->fd = take_fd(&owned);
	w->depth++;
	if (w->depth > OPEN_MAX_DEPTH) {
		struct walk_folder *outer = &w->folders[w->depth - 1 - OPEN_MAX_DEPTH];

		close_fd(outer->fd);
		outer->fd = -1;
	}
	return 0;
}

int walk_start(struct walk *w, int dir_fd, const char *path)
{
	*w = (struct walk){ .dir_fd = -1 };
	buf_init(&w->path, PATH_LIMIT);
	buf_adds(&w->path, path);
	return push(w, dir_fd);
}

void walk_done(struct walk *w)
{
	while (w->depth > 0) {
		close_fd(top(w)->fd);
		names_free(&top(w)->names);
		w->depth--;
	}
	free(w->folders);
	buf_free(&w->path);
}

/* The folder above the innermost, opened again if need be: it has to be the one that it was. */
static int open_above(struct walk *w)
{
	struct walk_folder *above = &w->folders[w->depth - 2];
	struct stat st;

	if (above->fd >= 0)
		return 0;
	above->fd = openat(top(w)->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (above->fd < 0 || fstat(above->fd, &st) < 0)
		return -errno;
	return st.st_dev == above->dev && st.st_ino == above->ino ? 0 : -EBUSY;
}

/* The folder is through: it becomes the current entry of the one above. */
static int leave(struct walk *w)
{
	struct walk_folder *folder = top(w);
	int status = w->depth > 1 ? open_above(w) : 0;
	const char *slash;

	if (status < 0)
		return status;
	folder->left = true;
	buf_truncate(&w->path, folder->path_len);
	w->dir_fd = w->depth > 1 ? w->folders[w->depth - 2].fd : -1;
	slash = strrchr(w->path.data, '/');
	w->name = slash ? slash + 1 : w->path.data; /* the start may be a mere name */
	return WALK_LEFT;
}

static void pop(struct walk *w)
{
	close_fd(top(w)->fd);
	names_free(&top(w)->names);
	w->depth--;
}

int walk_next(struct walk *w)
{
	struct walk_folder *folder;
	const char *name;

	if (w->depth > 0 && top(w)->left)
		pop(w);
	if (w->depth == 0)
		return WALK_END;
	folder = top(w);
	name = names_next(&folder->names, &folder->offset, &w->type);
	if (!name)
		return leave(w);
	buf_truncate(&w->path, folder->path_len);
	if (w->path.len > 1)
		buf_addc(&w->path, '/');
	buf_adds(&w->path, name);
	if (buf_failed(&w->path))
		return -ENAMETOOLONG;
	w->name = name;
	w->dir_fd = folder->fd;
	return WALK_ENTRY;
}

int walk_enter(struct walk *w)
{
	int fd = openat(w->dir_fd, w->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	return fd < 0 ? -errno : push(w, fd);
}

int walk_again(struct walk *w)
{
	struct walk_folder *folder = top(w);

	assert(folder->left);
	names_free(&folder->names);
	folder->left = false;
	folder->offset = 0;
	return names_read(&folder->names, folder->fd);
}

int walk_fd(const struct walk *w)
{
	return top(w)->fd;
}

bool walk_is_mount(const struct walk *w)
{
	struct statx stx;

	if (top(w)->dev != w->folders[0].dev)
		return true;
	if (statx(top(w)->fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &stx) < 0)
		return false;
	return stx.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT && stx.stx_attributes & STATX_ATTR_MOUNT_ROOT;
}
