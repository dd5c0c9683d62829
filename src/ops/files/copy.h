/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of files and trees that keep modes, owners (where allowed), times, attributes of users,
 * access lists, links, holes and hard links within the tree.  Used where a rename cannot reach: across file systems.
 */
#pragma once

#include "ops/files/files.h"

struct copy_from {
	int dir_fd;
	const char *name, *path; /* path for messages */
};

/* Of a copy that a caller made: what it may not see is left out, where it may not write is refused (R95). */
struct copy_rules {
	const char *to_path;             /* the place at which the copy will appear */
	int64_t entries, bytes, skipped; /* what was copied; devices, FIFOs and sockets are only counted */
};

/* Makes to_name in to_fd, which must not exist.  After a failure what was made is removed again.  rules NULL: all of it. */
int copy_tree(struct call *call, const struct copy_from *from, int to_fd, const char *to_name, struct copy_rules *rules,
	struct err *err) MUST_CHECK;
