/* SPDX-License-Identifier: Apache-2.0 */
#include "base/as_user.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

/* glibc's setgroups() changes every thread; the system call changes this one. */
static int set_groups(const gid_t *groups, size_t count)
{
	return syscall(SYS_setgroups, count, groups) < 0 ? -errno : 0;
}

/* The calls do not tell of failure; asking for an impossible id gives the present one. */
static bool set_ids(uid_t uid, gid_t gid)
{
	setfsgid(gid);
	setfsuid(uid);
	return (gid_t)setfsgid((gid_t)-1) == gid && (uid_t)setfsuid((uid_t)-1) == uid;
}

int as_user_enter(const struct as_user *user, struct as_self *ret_self)
{
	struct as_self self;
	int status;

	self.count = getgroups(AS_USER_GROUPS_MAX, self.groups);
	if (self.count < 0)
		return -errno;
	status = set_groups(user->groups, user->count);
	if (status < 0)
		return status;
	*ret_self = self;
	if (set_ids(user->uid, user->gid))
		return 0;
	as_user_leave(&self);
	return -EPERM;
}

void as_user_leave(const struct as_self *self)
{
	/* The user first: only root may change the rest. */
	setfsuid(geteuid());
	if (!set_ids(geteuid(), getegid()) || set_groups(self->groups, (size_t)self->count) < 0)
		abort();
}
