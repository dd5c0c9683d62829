/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits of a cgroup (v2 only): memory, processes, CPUs of a program and all that it starts (R101).
 *
 * The kernel gives a folder the files of a controller when the folder above lists it in
 * cgroup.subtree_control, and lets nobody list one there while processes live in that folder
 * itself (but for the root of all).  So the server moves itself into a folder "server" below its
 * own cgroup first; where others live beside it, it does not, and there are no limits.
 * Works on descriptors of folders, so that tests can give it folders of plain files.
 */
#pragma once

#include "base/base.h"

struct cgroup_limits {
	int64_t memory_max, pids_max; /* bytes, processes; 0 none */
	double cpu_max;               /* CPUs; 0 none */
};

enum cgroup_controller { CGROUP_MEMORY = 1, CGROUP_PIDS = 2, CGROUP_CPU = 4 };

unsigned cgroup_limits_wanted(const struct cgroup_limits *limits); /* bits of cgroup_controller */

/* Which of them folders below `own` (the server's cgroup) can have: now, or once cgroup_limits_enable() was called. */
unsigned cgroup_limits_possible(int own, unsigned wanted);

/* Makes them so for folders below `group`, a folder in `own`: those that it could. */
unsigned cgroup_limits_enable(int own, int group, unsigned wanted);
/* Takes it back: the server returns to `own`, when `group` is empty and gone. */
void cgroup_limits_leave(int own);

/* Writes the limits of the controllers named into a tree's folder, "max" for those that are not set: those that were taken. */
unsigned cgroup_limits_write(int tree, const struct cgroup_limits *limits, unsigned wanted);
