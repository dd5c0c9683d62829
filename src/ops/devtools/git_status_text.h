/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `git status --porcelain=v2 -z --branch` prints, as values.  Pure; nothing is copied.
 */
#pragma once

#include "base/str.h"

enum git_change {
	GIT_MODIFIED,
	GIT_ADDED,
	GIT_DELETED,
	GIT_RENAMED,
	GIT_COPIED,
	GIT_UNTRACKED,
	GIT_UNMERGED,
};

struct git_branch {
	struct str name;     /* p NULL: detached */
	struct str upstream; /* p NULL: none */
	int64_t ahead, behind;
	struct str commit; /* p NULL: none yet */
};

struct git_entry {
	struct str path, old_path; /* old_path p NULL: none */
	bool has_staged, has_unstaged;
	enum git_change staged, unstaged; /* in the index, in the folder */
};

/* Reads the next entry, or headers up to one: 1, 0 at the end, -EINVAL. */
int git_status_next(struct str *rest, struct git_branch *branch, struct git_entry *ret_entry) MUST_CHECK;
