/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making the child process: clone3 where the kernel has it, else clone.
 *
 * The parent stands still until the child has executed or ended.  Signals are blocked
 * meanwhile, so that no handler of ours runs on the child's side of the shared memory.
 */
#pragma once

#include "spawn/child.h"

enum clone_way { CLONE_WAY_UNKNOWN, CLONE_WAY_NEW, CLONE_WAY_OLD };

/* The pid, or a negative errno.  *ret_pid_fd is -1 where the kernel has no pidfds. */
pid_t clone_child(struct child_plan *plan, int *ret_pid_fd) MUST_CHECK;

/* What was found out; set by tests to take the old way where the new one would do. */
enum clone_way clone_way(void);
void clone_set_way(enum clone_way way);
