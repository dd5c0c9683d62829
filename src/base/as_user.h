/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Touching files as somebody else, for one thread: its file system user, group and further
 * groups.  Only root can; the other threads stay what they are.
 */
#pragma once

#include "base/base.h"

struct as_user {
	uid_t uid;
	gid_t gid;
	const gid_t *groups;
	size_t count;
};

enum { AS_USER_GROUPS_MAX = 256 };

/* What a thread was before. */
struct as_self {
	gid_t groups[AS_USER_GROUPS_MAX];
	int count;
};

/* 0, or a negative errno with nothing changed.  as_user_leave() goes back; it ends the process rather than fail. */
int as_user_enter(const struct as_user *user, struct as_self *ret_self) MUST_CHECK;
void as_user_leave(const struct as_self *self);
