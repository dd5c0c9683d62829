/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The repository that a folder belongs to, and a view of it from which nothing can run.
 *
 * It is looked for upwards, inside the caller's roots only; what it points to (a gitdir of a
 * worktree or submodule, alternates) has to lie there as well.  The view is a temporary folder
 * that git takes for the shared part of the repository: it has links to objects and refs, a
 * configuration of plain facts (git_config.h), and no hooks and attributes.  So there is no
 * driver, filter or include to be switched off, and none can come in between.
 *
 * GIT_DIR is given, so git looks for nothing itself and asks for no owner (R82).
 */
#pragma once

#include "call/call.h"

enum { GIT_VIEW_SIZE = 4096 };

struct git_repo {
	const char *top;          /* the folder of the working tree */
	const char *git_dir;      /* HEAD and index */
	const char *common;       /* objects, refs, config */
	char view[GIT_VIEW_SIZE]; /* empty: not made */
};

struct place;

/* In a worker.  0, or -1 with call->err. */
int git_repo_open(struct call *call, const struct place *folder, struct git_repo *ret_repo) MUST_CHECK;
void git_repo_close(struct git_repo *repo); /* removes the view */
