/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tree at one moment, and what differs between two such moments: how a watch works where
 * the kernel tells nothing.  Memory is the process's budget.  Blocks: only in workers.
 */
#pragma once

#include "base/buf.h"
#include "loop/job.h"

#include <sys/stat.h>

struct principal;

struct snapshot {
	struct buf text;  /* the paths, below the folder, each with its NUL */
	struct buf items; /* struct snapshot_item, sorted by path */
};

struct snapshot_item {
	size_t path; /* offset in text */
	uint64_t dev, ino;
	int64_t size, mtime_ns, ctime_ns;
	uint32_t mode;
};

struct snapshot_scan {
	const struct principal *who;
	const struct job *job;
	bool recursive;
	const char *only; /* the one name that counts, or NULL */
};

enum snapshot_change { SNAPSHOT_CREATE, SNAPSHOT_WRITE, SNAPSHOT_REMOVE, SNAPSHOT_RENAME, SNAPSHOT_CHMOD };

/* Taking one after the other what changed; old_path of a rename alone. */
typedef void snapshot_fn(void *user, enum snapshot_change change, const char *path, const char *old_path, bool is_dir);

/* dir_fd is taken.  0 or a negative errno (-ENOMEM: the budget); snapshot_free() is needed in any case. */
int snapshot_take(struct snapshot *s, const struct snapshot_scan *scan, int dir_fd, const char *path) MUST_CHECK;
int snapshot_compare(const struct snapshot *old, const struct snapshot *new, snapshot_fn *fn, void *user) MUST_CHECK;
void snapshot_free(struct snapshot *s);
