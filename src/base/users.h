/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Users and groups by /etc/passwd and /etc/group, read by ourselves: a static program has no
 * name services.  A table is a snapshot; lines that are not well-formed are skipped.
 */
#pragma once

#include "base/base.h"

struct user {
	const char *name, *home, *shell;
	uid_t uid;
	gid_t gid;
};

struct users;

struct users *users_load(void); /* a file that cannot be read counts as empty */
struct users *users_load_from(const char *passwd, const char *group);
void users_free(struct users *u); /* NULL is fine */

/* They live as long as the table; NULL when unknown. */
const struct user *users_by_id(const struct users *u, uid_t uid);
const struct user *users_by_name(const struct users *u, const char *name);
const char *users_group_name(const struct users *u, gid_t gid);

/* The groups of a user, its own first; at most max of them, returns their count. */
size_t users_groups(const struct users *u, const struct user *user, gid_t *to, size_t max);
