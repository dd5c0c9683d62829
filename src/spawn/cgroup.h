/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cgroup (v2) for each tree: what is in it is the tree, whatever it forks, sets or clears.
 *
 * Below our own cgroup there is one folder of this server, "abx-<pid>-<random>", and in it a
 * folder per tree.  An empty folder is used again, so that a short command makes and
 * removes none.  The server's folder is locked (flock) while it lives; one that nobody
 * locks was left by a dead server and is removed at the next start when it is empty.
 */
#pragma once

#include "spawn/cgroup_limits.h"
#include "spawn/members.h"

struct cgroup;

/*
 * 0, or a negative errno when there is no cgroup v2 that we may write, or none is wanted:
 * then cgroup_take() gives none, and only our own kills for memory are counted.
 */
int cgroup_init(bool wanted) MUST_CHECK;
void cgroup_shutdown(void); /* kills what is left below us, removes the folders */
void cgroup_disable(void);  /* takes gives NULL from now on; those taken stay good */
bool cgroup_available(void);

/* An empty one, or NULL. */
struct cgroup *cgroup_take(void);
void cgroup_give(struct cgroup *c); /* whoever is still in it stays */

/*
 * Sets its limits, and takes away those that a tree before it had.  Returns the controllers whose
 * limit is in force, which may be fewer than were wanted.
 */
unsigned cgroup_limit(struct cgroup *c, const struct cgroup_limits *limits);
/* Of the wanted controllers those that cgroup_limit() can set; before cgroup_init() those that it probably could. */
unsigned cgroup_can_limit(unsigned wanted);

int cgroup_fd(const struct cgroup *c);
bool cgroup_is_empty(struct cgroup *c);

/* Those alive in it replace what was in *m; NULL is those of trees that were given back. */
void cgroup_members(const struct cgroup *c, struct members *m);

/* Sends to the member if it still is one: 0, -ESRCH, -EPERM. */
int cgroup_signal(const struct cgroup *c, const struct member *one, int number) MUST_CHECK;

/* SIGKILL to all at once; false where the kernel cannot. */
bool cgroup_kill(struct cgroup *c);
void cgroup_set_kill(bool known);                        /* set by tests to live without */
void cgroup_freeze(const struct cgroup *c, bool frozen); /* nobody forks; SIGKILL works */

/* How often the kernel killed for memory: in this cgroup, or with NULL in our own (R15). */
uint64_t cgroup_oom_kills(const struct cgroup *c);
