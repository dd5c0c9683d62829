/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the cgroups of a process say of memory and CPU, v1 and v2 (R78).
 *
 * The tightest limit from the own group up to the mount counts, and the figures of use are
 * those of the group that has it.  No limit, and what cannot be read, is "not set".
 */
#pragma once

#include "catalog/field.h"

struct cgroup_facts {
	struct opt_int memory_limit; /* bytes */
	struct opt_int memory_used;  /* of that group; without page cache */
	struct opt_int memory_cache;
	struct opt_num cpu_quota;   /* in CPUs */
	struct opt_num cpu_seconds; /* used, of the group with the quota */
};

/* root: "" or a folder that stands for "/".  In a worker. */
void cgroup_facts_read(const char *root, struct cgroup_facts *ret_facts);
