/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whoever ends below us is waited for here, once and nowhere else: the leaders of trees,
 * and silently the orphans that a subreaper (or pid 1) inherits.
 *
 * A struct reaped is a member of the object that it serves; it may be forgotten at any
 * time, also in its own callback.  Register a child right after its start: there is one
 * thread, so nothing is reaped in between.
 */
#pragma once

#include "loop/loop.h"

#include <sys/resource.h>

struct reaped;

typedef void reaped_fn(struct reaped *r, int status, const struct rusage *usage);

struct reaped {
	pid_t pid; /* 0 while not registered */
	reaped_fn *fn;
	struct reaped *next;
};

/* after: called when a round of reaping took somebody, known or not. */
int reaper_start(struct loop *loop, void (*after)(void)) MUST_CHECK;
void reaper_stop(void);

void reaper_add(struct reaped *r, pid_t pid, reaped_fn *fn);
void reaper_forget(struct reaped *r); /* the process is still reaped when it ends */

bool reaper_knows(pid_t pid);
