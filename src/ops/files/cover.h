/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folders that one watch covers, as a tree, and which names are known in them.
 *
 * A folder's path is made of its parents' names, so that a rename moves all below it.  Names
 * are kept as hashes only: enough to say whether one is new.  A scan runs in a worker and
 * builds a cover of its own, which the loop then takes over; each folder is marked before
 * it is read, so that nothing made meanwhile is missed.
 */
#pragma once

#include "base/buf.h"
#include "loop/job.h"
#include "ops/files/notify.h"

struct principal;

struct folder {
	struct notify_mark mark; /* first: a mark of ours is a folder */
	struct folder *parent;
	struct list_node node, children;
	uint64_t id;
	unsigned queued; /* events that still name it */
	bool gone;       /* freed with the last of them */
	char *name;      /* empty: the outermost */
};

struct known {
	uint64_t hash; /* of folder and name; 0 is a free place */
	struct folder *folder;
};

struct cover {
	struct folder *root;
	struct known *known;
	size_t count, cap;
	int64_t uncovered; /* folders without a mark */
	const char *limit; /* why */
	bool lossy;        /* memory was used up: found or known lacks something */
};

/* What a scan found: one after the other, name and NUL behind it. */
struct found {
	struct folder *folder;
	bool is_dir;
	unsigned name_size; /* with its NUL */
};

struct cover_scan {
	struct notify_user *user;
	const struct principal *who;
	const struct job *job; /* asked whether to stop */
	bool recursive;
	const char *only;  /* the one name that counts, or NULL */
	struct buf *found; /* NULL: not asked for */
};

/* dir_fd is taken.  path: absolute.  0 or a negative errno, with what was built so far in *c. */
int cover_build(struct cover *c, const struct cover_scan *scan, int dir_fd, const char *path) MUST_CHECK;
void cover_free(struct cover *c);

/* Everything of `part` goes below parent under this name; part is empty then. */
void cover_take(struct cover *c, struct folder *parent, const char *name, struct cover *part);

/* Known names.  cover_learn() says whether it is new. */
bool cover_learn(struct cover *c, struct folder *folder, const char *name);
bool cover_forget(struct cover *c, struct folder *folder, const char *name); /* whether it was known */

/* The folder of this name in a folder; NULL when it is not covered. */
struct folder *cover_find(struct cover *c, struct folder *folder, const char *name);
void cover_drop(struct cover *c, struct folder *folder); /* with all below */
void cover_move(struct cover *c, struct folder *folder, struct folder *to, const char *name);

/* An event names it; and no more. */
void folder_hold(struct folder *folder);
void folder_release(struct folder *folder);

/* Appends the absolute path; name NULL: of the folder itself. */
void cover_path(struct buf *to, const char *root, const struct folder *folder, const char *name);
