/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that an op runs for its own purpose and whose whole output it wants: git, a package
 * manager, an interpreter.  It runs as the policy's user with its limits, and is ended with
 * everything that it started at its timeout, and when the caller leaves.
 *
 * A member of the op's state.  The output belongs to it until program_free(), which has to
 * wait until the answer is sent (on_free of the call), or until on_done.
 */
#pragma once

#include "base/buf.h"
#include "call/call.h"
#include "policy/child_env.h"
#include "program/capture.h"
#include "program/running.h"

struct program;
typedef void program_fn(struct program *p);

struct program_plan {
	const char *const *argv; /* the first: a path, or a name looked up in PATH of env */
	const char *const *env;
	int dir_fd;          /* working directory; -1 is "/" */
	struct str dir_name; /* what a failure calls it */
	int extra_fd;        /* one more descriptor, -1 none; stays the caller's */
	int extra_as;        /* its number in the program */
	struct str input;    /* of the call's memory; p NULL: end of file at once */
	double timeout_s;
	size_t max_bytes; /* that are kept of each stream: the first ones */
};

struct program {
	struct call *call;
	program_fn *on_done;
	struct running running; /* its exit, duration and whether it timed out are there to be read */
	struct capture output[PIPES_COUNT];
};

/* Starts it: on_done comes later.  Or -1 with call->err and nothing to free; a program that is not there is ERR_COMMANDS_START with sys_errno ENOENT. */
int program_start(
	struct program *p, struct call *call, const struct program_plan *plan, program_fn *on_done) MUST_CHECK;
void program_cancel(struct program *p); /* the caller left: on_done comes soon */
void program_free(struct program *p);   /* zeroed or done */

struct str program_output(const struct program *p, unsigned stream);
bool program_truncated(const struct program *p, unsigned stream);
bool program_starved(const struct program *p, unsigned stream); /* less was kept than max_bytes: memory is used up */

/*
 * The fixed environment of the server's own helpers (R96): PATH as children get it, a HOME where
 * nothing is, a language that nobody translated.
 */
void program_clean_env(const struct call *call, struct child_env *env);
