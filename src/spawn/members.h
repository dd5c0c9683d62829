/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes as /proc shows them, and whose they are where no cgroup tells.
 *
 * A process is (pid, start time): the number alone may belong to somebody else by now.
 * members_find() starts from what is certain — the leader while it is not reaped, those
 * seen before, the leader's session, the mark in the environment of those whom we
 * inherited as a subreaper — and adds all that hangs below in the parent chain.
 */
#pragma once

#include "base/base.h"

#include <stdint.h>

struct member {
	pid_t pid, parent, session;
	uint64_t start; /* in clock ticks since boot */
	char state;     /* 'R', 'S', 'T', 'Z', … */
	uint64_t ticks; /* of cpu, with the children it waited for */
	int64_t rss_pages;
	bool ours, is_orphan;
};

struct members {
	struct member *all;
	size_t count, cap;
	bool unsettled; /* there may be one who was not seen: in the middle of an exec, or forked by one that ended during the walk */
};

void members_free(struct members *m);
void members_add(struct members *m, const struct member *one);

/* 0, or -ESRCH when it is not there (any more). */
int member_read(pid_t pid, struct member *ret_member) MUST_CHECK;

/* What marks a tree, or with only the beginning of an id all trees of this server. */
struct members_of {
	pid_t leader;     /* 0 when it was reaped or there is none */
	pid_t session;    /* 0: do not look */
	const char *mark; /* "ABX_RUN_ID=…"; */
	bool mark_is_prefix;
	bool leaders;               /* also those whom the reaper knows, whichever tree they lead */
	const struct members *seen; /* earlier; NULL none */
};

/* Those alive (no zombies) replace what was in *m.  0 or a negative errno (no /proc). */
int members_find(struct members *m, const struct members_of *whose) MUST_CHECK;

/* All processes there are, in any thread.  0 or a negative errno. */
int members_walk(struct members *m) MUST_CHECK;

/* Until the end of sharing members_find() and member_recall() look at this walk, which is taken over. */
void members_share(struct members *walked);
void members_end_sharing(void);
bool members_are_shared(void);

/* As member_read(), from the walk that is shared where it has seen the process. */
int member_recall(pid_t pid, struct member *ret_member) MUST_CHECK;

/*
 * One that forks its successor and ends, again and again, is gone whenever a walk gets to it.
 * The newest process of all is it, though, and looked at alone it can be met: SIGKILL.
 */
void members_chase(const struct members_of *whose, int64_t until_ns);

/* Sends a signal to exactly this process: 0, -ESRCH when it is another one or gone, -EPERM. */
int member_signal(const struct member *one, int number) MUST_CHECK;
