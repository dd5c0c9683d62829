/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way of both git ops: find the repository and make the view of it (in a worker), run git in
 * the folder, make a result of what it printed (in a worker).
 */
#pragma once

#include "ops/devtools/git_repo.h"
#include "program/program.h"

enum { GIT_ARGS_MAX = 24 };

struct git_run;

struct git_kind {
	const char *name; /* of git's command, for messages */
	size_t max_bytes; /* of its output that are kept */
	/* In a worker: adds git's arguments.  0, or -1 with call->err. */
	int (*plan)(struct git_run *run);
	/* In a worker: what git printed, as the op's result.  0, or -1 with call->err. */
	int (*read)(struct git_run *run);
};

struct git_run {
	struct call *call;
	const struct git_kind *kind;
	const struct path_arg *path;
	struct git_repo repo;
	struct program program;
	struct job job;
	const char **argv;
	size_t argc, argv_size;
	void *out; /* the op's result */
	int folder_fd, status;
};

/* Takes over the call. */
void git_start(struct call *call, const struct git_kind *kind, const struct path_arg *path);

/* Adds an argument; NULL (no memory) is told at the end. */
void git_arg(struct git_run *run, const char *arg);

/* The bytes of a path that its text does not show (R43), else nothing. */
struct str git_exact(struct str path);

#define GIT_ERRORS \
	ERR_GIT_FAILED, ERR_RUNTIME_UNAVAILABLE, ERR_COMMANDS_TIMEOUT, ERR_POLICY_PATH, ERR_FILES_NOT_FOUND, \
		ERR_FILES_NOT_DIR

extern const struct limit git_limits[];
