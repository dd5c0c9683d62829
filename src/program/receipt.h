/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is in force for one program: told by process.get, and true for as long as it lives,
 * whatever the policy says meanwhile.
 */
#pragma once

#include "call/call.h"
#include "spawn/tree.h"

struct receipt_rlimits {
	struct opt_int nofile, core, nproc, fsize, cpu, as;
};
struct receipt_cgroup {
	bool own;
	struct opt_int memory_max, pids_max;
	struct opt_num cpu_max;
};

struct receipt {
	bool filesystem, signals, no_new_privs, capabilities_dropped;
	const char *network, *user;
	int64_t uid, gid;
	struct receipt_rlimits rlimits;
	struct receipt_cgroup cgroup;
	char user_text[64];
};

extern const struct field receipt_rows[];

/* Of a tree that this call has just started as `user` (NULL: process.user). Refers to itself: it stays where it is. */
void receipt_fill(struct receipt *r, struct call *call, const char *user, const struct tree *tree);
