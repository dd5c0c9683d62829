/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How code of a language reaches its interpreter: as a file without a name, open in the
 * program under one number, so that nothing is left of it whatever happens.
 */
#pragma once

#include "call/call.h"

enum { LANGUAGE_FD = 9, LANGUAGE_ARGS_MAX = 32 };

struct language_run {
	/* The ways to start it, the next one where a program is not there; the last is NULL. */
	const char *const *ways[3];
};

/* The policy's own language, or python, node and bash.  0, or -1 with call->err: unknown. */
int language_find(struct call *call, const char *name, struct language_run *ret_run) MUST_CHECK;

/*
 * A file without a name that holds the code, at its start: in the folder where that can be, for
 * interpreters that look for modules beside it; else in memory.  A descriptor, or -1 with call->err.
 */
int language_file(struct call *call, int folder_fd, struct str code) MUST_CHECK;
