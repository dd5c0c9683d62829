/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of files and trees that keep modes, owners (where allowed), times, links, holes and
 * hard links within the tree.  Used where a rename cannot reach: across file systems.
 */
#pragma once

#include "ops/files/files.h"

struct copy_from {
	int dir_fd;
	const char *name, *path; /* path for messages */
};

/* Makes to_name in to_fd, which must not exist.  After a failure what was made is removed again. */
int copy_tree(
	struct call *call, const struct copy_from *from, int to_fd, const char *to_name, struct err *err) MUST_CHECK;
