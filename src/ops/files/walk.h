/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk through a folder and all below it, by descriptors, following no link.
 *
 * walk_next() gives the entries of the current folder one by one; walk_enter() goes into the
 * entry just given, whose own entries come next.  After the last entry of a folder comes the
 * folder itself once more (WALK_LEFT), with its parent open, so that it can be removed.
 *
 * A tree may be as deep as it likes: only the innermost folders stay open.  A folder that was
 * closed is opened again through ".." of the one below and must still be the same, else the
 * walk fails with -EBUSY.
 */
#pragma once

#include "ops/files/names.h"

#include <sys/stat.h>

enum walk_event { WALK_END, WALK_ENTRY, WALK_LEFT };

struct walk_folder;

struct walk {
	struct walk_folder *folders; /* from the outermost */
	size_t depth, cap;
	/* the current entry: */
	int dir_fd;         /* the folder that holds it; -1 when it is the outermost folder itself */
	const char *name;   /* lives until the next call */
	unsigned char type; /* DT_…, possibly DT_UNKNOWN */
	struct buf path;    /* absolute */
};

/* Takes dir_fd, open for reading.  path: of that folder, for messages and rules.  0 or a negative errno, also below. */
int walk_start(struct walk *w, int dir_fd, const char *path) MUST_CHECK;
void walk_done(struct walk *w);

/* An event, or a negative errno. */
int walk_next(struct walk *w) MUST_CHECK;

/* Goes into the entry; -ENOTDIR or -ELOOP when it is no folder. */
int walk_enter(struct walk *w) MUST_CHECK;
/* After WALK_LEFT: reads the folder's names again and goes on in it. */
int walk_again(struct walk *w) MUST_CHECK;

/* The folder just entered (or the outermost, after the start). */
int walk_fd(const struct walk *w);
/* Whether the folder just entered lies on another file system, or is a mount point (where the kernel tells). */
bool walk_is_mount(const struct walk *w);
