/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a path leads, resolved by the kernel from an open root so that no link, "..", magic
 * link or rename in between leads outside.
 *
 * A place is the open folder and the last name in it: ops act with *at() calls on parent_fd
 * and name, always with O_NOFOLLOW, and so act on what was checked.  For the root itself the
 * name is ".".  Intermediate links, and the last one unless F_NOFOLLOW, are followed inside
 * the principal's roots only (R58): a link that leads out is policy.path_denied.  A link whose
 * target is missing, inside the roots, gives the target's place.
 *
 * Resolution touches the disk: only in workers.  No use is made of /proc.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "policy/policy.h"

struct root;

struct place {
	int parent_fd;     /* O_PATH; -1 when missing */
	const char *name;  /* last part, or "." for a root */
	const char *path;  /* absolute, without links, in terms of the roots: for answers and messages */
	const char *given; /* as the caller wrote it: what messages name */
	bool is_root;
	bool missing;      /* F_MISSING_OK: a folder on the way is not there */
	bool wants_folder; /* written with a slash at the end: never a file to be made */
	const struct root *root;
};

/* flags: F_WRITE, F_NOFOLLOW, F_MISSING_OK of field.h.  The place is the arena's; close it with place_close(). */
struct place *place_resolve(
	struct arena *arena, const struct principal *who, struct str given, unsigned flags, struct err *err);
void place_close(struct place *place); /* NULL is fine */

/* Opens the entry with O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC: a descriptor or a negative errno. */
int place_open(const struct place *place, int flags, mode_t mode) MUST_CHECK;
/* The same for a folder to walk (O_RDONLY | O_DIRECTORY). */
int place_open_dir(const struct place *place) MUST_CHECK;

/* Of those above the entry, the lowest folder that is there: an O_PATH descriptor or a negative errno. */
int place_open_nearest(const struct place *place) MUST_CHECK;

/* Makes the missing folders above (mkdir -p inside the root) and opens the last of them: 0 or -1. */
int place_make_parents(struct place *place, mode_t mode, struct err *err) MUST_CHECK;

/* For walks: whether the entry at this absolute path, found below a place, may be seen; may be changed. */
bool place_visible(const struct principal *who, const char *path);
int place_check_write(const struct principal *who, const char *path, struct err *err) MUST_CHECK;

/* Whether a root lies at or below path: what delete and move refuse (R56). */
bool place_holds_root(const struct principal *who, const char *path);
/* Whether a pattern could cover something below path: then the walk has to look at each entry (R95). */
bool place_may_hold_rule(const struct principal *who, const char *path);

/* The base directory, for children without a cwd: a new O_PATH descriptor or a negative errno. */
int place_base_fd(const struct principal *who);
const char *place_base_path(const struct principal *who);
