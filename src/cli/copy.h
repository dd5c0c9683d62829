/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files across: up to the server and down from it, streamed, so that no file is held in
 * memory.  Trees are walked folder by folder with a list of what is still to do, so that
 * depth costs no stack.
 *
 * Symbolic links are never made on either side: one that leads to a file is copied as that
 * file, others are skipped and told.  So nothing that a server sends can lead a copy
 * out of the destination.
 */
#pragma once

#include "cli/remote.h"

/* All return 0, or -1 with cli->problem.  copy->skipped counts what trees left out. */
struct copy {
	struct cli *cli;
	size_t skipped;
	bool continues; /* downloads that broke off go on where they ended, now or the next time */
};

/* Opens a remote file; its bytes are then read from cli->api.http.  fields: further header lines, each with CRLF. */
int copy_open_remote(struct cli *cli, struct str path, struct str fields) MUST_CHECK;

/* "-" is a standard stream. */
int copy_up_file(struct copy *copy, const char *from, struct str to) MUST_CHECK;
int copy_down_file(struct copy *copy, struct str from, unsigned mode, const char *to) MUST_CHECK;
int copy_down_part(
	struct copy *copy, struct str from, unsigned mode, const char *to) MUST_CHECK; /* one that continues */

int copy_up_tree(struct copy *copy, const char *from, struct str to) MUST_CHECK;
int copy_down_tree(struct copy *copy, struct str from, unsigned mode, const char *to) MUST_CHECK;

/* Prints what was left out, and why. */
void copy_skip(struct copy *copy, const char *path, const char *why);

/* Pairs of paths still to be copied; the last is the next. */
struct copy_task {
	char *from, *to;
	unsigned mode; /* of the folder, where the server has told it */
};

struct copy_tasks {
	struct copy_task *items;
	size_t count, cap;
};

void copy_tasks_push(struct copy_tasks *tasks, char *from, char *to, unsigned mode); /* takes both paths */
struct copy_task copy_tasks_pop(struct copy_tasks *tasks);
void copy_task_free(struct copy_task *task);
void copy_tasks_free(struct copy_tasks *tasks);
