/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Users of the system, read from /etc/passwd and /etc/group: the static server has no name
 * services.
 */
#pragma once

#include "policy/hold.h"

struct run_as {
	const char *name, *home, *shell; /* home "/" and shell "/bin/sh" where the entry has none */
	uid_t uid;
	gid_t gid;
	const gid_t *groups; /* with gid as the first */
	size_t group_count;
};

struct user_files {
	const char *passwd, *group;
};
extern const struct user_files user_system; /* those in /etc */

/* The entry, in memory of `hold`; NULL when there is none. */
const struct run_as *user_by_name(const struct user_files *files, struct hold *hold, const char *name);
const struct run_as *user_by_uid(const struct user_files *files, struct hold *hold, uid_t uid);
