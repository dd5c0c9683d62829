/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/path_walk.h"

#include "policy/beneath.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum {
	LINKS_MAX = 40,   /* the kernel's own limit */
	STEPS_MAX = 8192, /* of opened folders, so that no path costs more than a few milliseconds */
};

static int fail(struct path_walk *w, int number)
{
	return err_system(w->err, number, "'" STR_FMT "'", STR_ARG(w->given));
}

static int outside(struct path_walk *w)
{
	return roots_deny(w->roots, w->given.p, w->err);
}

static bool is_up(struct str part)
{
	return part.len == 2 && part.p[0] == '.' && part.p[1] == '.';
}

static const char *left(const struct path_walk *w)
{
	return w->text + w->rest;
}

/* The next part of what is left that is not "" or "."; nothing is taken at the end. */
static struct str next_part(struct path_walk *w)
{
	for (;;) {
		struct str part = { left(w), strcspn(left(w), "/") };

		w->rest += part.len;
		if (part.len == 1 && part.p[0] == '.') {
			w->needs_folder = true;
			continue;
		}
		if (part.len > 0)
			return part;
		if (!*left(w))
			return part;
		w->needs_folder = true;
		w->rest++;
	}
}

/* Whether only slashes and dots are left: then the part before them is the last, and has to be a folder. */
static bool at_end(struct path_walk *w)
{
	const char *at = left(w);

	if (!*at)
		return true;
	for (; *at; at++) {
		bool is_dot = *at == '.' && at[-1] == '/' && (!at[1] || at[1] == '/');

		if (*at != '/' && !is_dot)
			return false;
	}
	w->needs_folder = true;
	return true;
}

static int push(struct path_walk *w, struct str part)
{
	if (part.len > NAME_MAX || w->pos_len + part.len + 2 > sizeof w->pos)
		return fail(w, ENAMETOOLONG);
	w->pos[w->pos_len++] = '/';
	memcpy(w->pos + w->pos_len, part.p, part.len);
	w->pos_len += part.len;
	w->pos[w->pos_len] = '\0';
	return 0;
}

static void pop(struct path_walk *w)
{
	while (w->pos_len > 0 && w->pos[--w->pos_len] != '/')
		;
	w->pos[w->pos_len] = '\0';
}

static const char *last_name(const struct path_walk *w)
{
	return strrchr(w->pos, '/') + 1;
}

static int check_visible(struct path_walk *w)
{
	const char *front = root_path(w->root);
	char path[2 * PATH_MAX];

	snprintf(path, sizeof path, "%s%s", strcmp(front, "/") == 0 && w->pos_len > 0 ? "" : front, w->pos);
	return roots_check_visible(w->roots, path, w->given.p, w->err);
}

static int enter_root(struct path_walk *w, const struct root *root)
{
	int fd = root_open(root);

	if (fd < 0)
		return fail(w, -fd);
	close_fd(w->root_fd);
	close_fd(w->at_fd);
	w->root_fd = fd;
	w->at_fd = -1;
	w->root = root;
	w->pos_len = 0;
	w->pos[0] = '\0';
	return check_visible(w);
}

static int folder(const struct path_walk *w)
{
	return w->at_fd >= 0 ? w->at_fd : w->root_fd;
}

static bool is_given(const struct path_walk *w)
{
	return w->rest >= w->given_rest;
}

/* Outside of the roots the way is only text, until it is a root's. */
static int step_outside(struct path_walk *w)
{
	const struct root *root = roots_at(w->roots, w->pos_len ? w->pos : "/");
	struct str part;
	bool from_caller;

	if (root)
		return enter_root(w, root);
	part = next_part(w);
	from_caller = w->rest - part.len >= w->given_rest;
	if (part.len == 0)
		return outside(w);
	if (!is_up(part))
		return push(w, part);
	if (from_caller)
		return outside(w);
	pop(w);
	return 0;
}

/* "..": by the true position, because a descriptor's own ".." may have been moved out meanwhile. */
static int step_up(struct path_walk *w, bool from_caller)
{
	int fd;

	if (w->pos_len == 0 && from_caller)
		return outside(w);
	if (w->pos_len == 0) {
		snprintf(w->pos, sizeof w->pos, "%s", root_real(w->root));
		w->pos_len = strlen(w->pos);
		pop(w);
		w->root = NULL;
		return 0;
	}
	pop(w);
	for (size_t i = 0; i < w->pos_len; i++)
		w->steps += w->pos[i] == '/';
	fd = beneath_open(w->root_fd, w->pos + (w->pos_len > 0));
	if (fd < 0)
		return fail(w, fd == -ELOOP ? ENOENT : -fd);
	close_fd(w->at_fd);
	w->at_fd = fd;
	return 0;
}

/* Puts the target of a link in front of what is left; relative to the folder that holds the link. */
static int follow(struct path_walk *w, const char *target, size_t len)
{
	if (++w->links > LINKS_MAX)
		return fail(w, ELOOP);
	if (len > w->rest)
		return fail(w, ENAMETOOLONG);
	if (is_given(w))
		w->given_rest = w->rest;
	w->rest -= len;
	memcpy(w->text + w->rest, target, len);
	pop(w);
	if (len == 0 || target[0] != '/')
		return 0;
	w->root = NULL;
	w->pos_len = 0;
	w->pos[0] = '\0';
	return 0;
}

/* Reads the link at the name last pushed: its length, 0 when it is none, or -1. */
static ssize_t read_link(struct path_walk *w, char target[static PATH_MAX])
{
	ssize_t len = readlinkat(folder(w), last_name(w), target, PATH_MAX);

	if (len >= 0)
		return len < PATH_MAX ? len : fail(w, ENAMETOOLONG);
	return errno == EINVAL || errno == ENOENT ? 0 : fail(w, errno);
}

/* The last name: its folder is open, and it stays where it is unless it is a link to follow. */
static int finish(struct path_walk *w)
{
	char target[PATH_MAX];
	bool follows = w->flags & PATH_WALK_FOLLOW || (w->flags & PATH_WALK_FOLLOW_SLASH && w->needs_folder);
	ssize_t len = follows ? read_link(w, target) : 0;
	int fd;

	if (len < 0)
		return -1;
	if (len > 0)
		return follow(w, target, (size_t)len);
	if (w->needs_folder) {
		fd = beneath_step(folder(w), last_name(w));
		/* Something that is not there yet may be meant to become a folder. */
		if (fd < 0 && fd != -ENOENT)
			return fail(w, fd == -ELOOP ? ENOTDIR : -fd);
		close_fd(fd);
	}
	w->parent_fd = w->at_fd >= 0 ? take_fd(&w->at_fd) : take_fd(&w->root_fd);
	return 0;
}

/* A folder on the way is not there: what is left can only be text. */
static int finish_missing(struct path_walk *w)
{
	if (!(w->flags & PATH_WALK_MISSING_OK))
		return fail(w, ENOENT);
	for (;;) {
		struct str part = next_part(w);

		if (part.len == 0)
			break;
		if (is_up(part))
			return fail(w, ENOENT);
		if (push(w, part) < 0)
			return -1;
		w->needs_folder = false;
	}
	w->missing = true;
	return check_visible(w);
}

/* One part further down, which is not the last: a folder, or a link to one. */
static int step_down(struct path_walk *w)
{
	char target[PATH_MAX];
	int fd = beneath_step(folder(w), last_name(w));
	ssize_t len;

	if (fd >= 0) {
		close_fd(w->at_fd);
		w->at_fd = fd;
		return 0;
	}
	if (fd == -ENOENT)
		return finish_missing(w);
	if (fd != -ELOOP)
		return fail(w, -fd);
	len = read_link(w, target);
	/* It was a link a moment ago: whatever it is now, this path is not there. */
	return len > 0 ? follow(w, target, (size_t)len) : len < 0 ? -1 : fail(w, ENOENT);
}

/* The path ended in "..", or in a link to such, or is a root: a place is a name in a folder. */
static int finish_at_folder(struct path_walk *w)
{
	char above[PATH_MAX];

	if (w->pos_len == 0) {
		w->parent_fd = take_fd(&w->root_fd);
		return 0;
	}
	snprintf(above, sizeof above, "%.*s", (int)(last_name(w) - 1 - w->pos), w->pos);
	w->parent_fd = beneath_open(w->root_fd, above + (above[0] == '/'));
	return w->parent_fd < 0 ? fail(w, -w->parent_fd == ELOOP ? ENOENT : -w->parent_fd) : 0;
}

static bool is_done(const struct path_walk *w)
{
	return w->missing || w->parent_fd >= 0;
}

static int step(struct path_walk *w)
{
	struct str part;
	bool from_caller;

	if (++w->steps > STEPS_MAX)
		return fail(w, ELOOP);
	if (!w->root)
		return step_outside(w);
	part = next_part(w);
	from_caller = w->rest - part.len >= w->given_rest;
	if (part.len == 0)
		return finish_at_folder(w);
	if (is_up(part))
		return step_up(w, from_caller);
	if (push(w, part) < 0 || check_visible(w) < 0)
		return -1;
	w->needs_folder = false;
	return at_end(w) ? finish(w) : step_down(w);
}

/*
 * The common case in one call: pos as written, when the kernel reaches the folder above the
 * last name without a link.  1 when that is so, 0 when the walk has to look, or -1.
 */
static int try_direct(struct path_walk *w)
{
	size_t begin = w->rest, end = w->rest;
	bool climbs = false;
	char *slash;
	int fd = -1;

	for (struct str part; !climbs && (part = next_part(w)).len > 0; end = w->rest) {
		climbs = is_up(part);
		if (!climbs && push(w, part) < 0)
			return -1;
	}
	if (!climbs && w->pos_len > 0) {
		slash = strrchr(w->pos, '/');
		*slash = '\0';
		fd = beneath_open(w->root_fd, w->pos + (w->pos[0] == '/'));
		*slash = '/';
	}
	w->needs_folder = false;
	w->rest = fd >= 0 ? end : begin;
	if (fd < 0)
		return 0;
	w->at_fd = fd;
	return check_visible(w) < 0 ? -1 : 1;
}

static int start_direct(struct path_walk *w)
{
	int status = try_direct(w);

	if (status < 0)
		return -1;
	if (status > 0) {
		at_end(w);
		return finish(w);
	}
	w->pos_len = 0;
	w->pos[0] = '\0';
	return 0;
}

static bool is_home(struct str given)
{
	return given.p[0] == '~' && (given.len == 1 || given.p[1] == '/');
}

static void put_front(struct path_walk *w, const char *text, size_t len)
{
	w->rest -= len;
	memcpy(w->text + w->rest, text, len);
}

static int read_given(struct path_walk *w)
{
	const char *base = roots_base(w->roots);
	struct str given = w->given;

	if (given.len == 0)
		return err_set(w->err, ERR_ARGS_INVALID, "the path is empty");
	if (given.len >= PATH_MAX || memchr(given.p, '\0', given.len))
		return err_set(w->err, ERR_ARGS_INVALID, "the path is over %d bytes, or holds NUL", PATH_MAX - 1);
	w->rest = w->given_rest = sizeof w->text - 1;
	w->text[w->rest] = '\0';
	if (is_home(given)) {
		given.p++;
		given.len--;
	}
	put_front(w, given.p, given.len);
	if (given.len == w->given.len && given.p[0] == '/') {
		w->given_rest = w->rest;
		return 0;
	}
	if (given.len > 0 && given.p[0] != '/')
		put_front(w, "/", 1);
	put_front(w, base, strlen(base));
	w->given_rest = w->rest;
	return 0;
}

/* Leaving a root by the ".." of the path as it is written is refused, wherever its links lead. */
static int check_dots(struct path_walk *w)
{
	size_t rest = w->rest, depth = 0;

	for (struct str part; (part = next_part(w)).len > 0;) {
		if (!is_up(part))
			depth++;
		else if (depth-- == 0)
			return outside(w);
	}
	w->rest = rest;
	w->needs_folder = false;
	return 0;
}

void path_walk_init(struct path_walk *w, const struct roots *roots, struct str given, unsigned flags, struct err *err)
{
	w->roots = roots;
	w->given = given;
	w->flags = flags;
	w->err = err;
	w->root = NULL;
	w->parent_fd = w->root_fd = w->at_fd = -1;
	w->missing = w->needs_folder = false;
	w->links = w->steps = 0;
	w->pos_len = 0;
	w->pos[0] = '\0';
}

int path_walk_run(struct path_walk *w)
{
	if (read_given(w) < 0)
		return -1;
	while (!w->root) {
		if (step_outside(w) < 0)
			return -1;
	}
	if (check_dots(w) < 0 || start_direct(w) < 0)
		return -1;
	while (!is_done(w)) {
		if (step(w) < 0)
			return -1;
	}
	return 0;
}

void path_walk_done(struct path_walk *w)
{
	close_fd(w->root_fd);
	close_fd(w->at_fd);
	close_fd(w->parent_fd);
	w->root_fd = w->at_fd = w->parent_fd = -1;
}
