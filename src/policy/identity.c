/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/identity.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { GROUPS_MAX = 256 };

static __thread bool entered;
static __thread gid_t own_groups[GROUPS_MAX];
static __thread int own_count;

/* Straight to the kernel: the library's function would change every thread. */
static int set_groups(size_t count, const gid_t *groups)
{
	return syscall(SYS_setgroups, count, groups) < 0 ? -errno : 0;
}

int identity_enter(const struct policy *p, struct err *err)
{
	const struct run_as *user = policy_user(p, NULL);
	int status;

	if (!user || geteuid() != 0 || user->uid == 0)
		return 0;
	own_count = getgroups(GROUPS_MAX, own_groups);
	status = own_count < 0 ? -errno : set_groups(user->group_count, user->groups);
	if (status < 0)
		return err_system(err, -status, "cannot take on the groups of '%s'", user->name);
	entered = true;
	setfsgid(user->gid);
	setfsuid(user->uid); /* last: it takes the right to do the others */
	/* They tell no failure but by what they answer to an id that cannot be. */
	if ((uid_t)setfsuid((uid_t)-1) == user->uid && (gid_t)setfsgid((gid_t)-1) == user->gid)
		return 0;
	identity_leave();
	return err_set(err, ERR_INTERNAL, "cannot take on the rights of '%s'", user->name);
}

void identity_leave(void)
{
	if (!entered)
		return;
	entered = false;
	setfsuid(geteuid());
	setfsgid(getegid());
	if (set_groups((size_t)own_count, own_groups) < 0)
		abort(); /* root again, and yet not: no further job may run like this */
}
