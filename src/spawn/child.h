/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens between clone and exec, inside the child.
 *
 * The child borrows the memory of the parent, which stands still until the exec
 * (CLONE_VM|CLONE_VFORK), so it reports by writing into the plan.  It may neither allocate
 * nor take a lock nor call what touches other threads.
 */
#pragma once

#include "spawn/spawn.h"

struct child_plan {
	const struct spawn *what;
	const char *path_list; /* PATH of the child; only for a plain name */
	int stdio[3];          /* what becomes 0, 1 and 2 */
	int extra_fd, dir_fd, ruleset_fd, network_fd;
	int cgroup_fd;                 /* to be joined by writing; -1 when clone3 did it, or none */
	bool is_pty, handlers_cleared; /* the latter: clone3 has reset all signals but the ignored ones */
	uint64_t ignored;              /* those, a bit each from signal 1 on */
	pid_t parent;

	/* What the child tells. */
	size_t step;        /* the one it is at */
	int error;          /* errno of that step; 0 while all is well */
	const char *reason; /* of exec */
};

/* Runs the steps; comes back only when one failed. */
int child_main(void *plan);

/* "cwd", "exec", …: the public name of a step. */
const char *child_step_name(size_t step);
bool child_step_is_exec(size_t step);
