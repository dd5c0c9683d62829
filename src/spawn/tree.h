/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program and everything that it started (R92).
 *
 * A tree is started, watched and ended as a whole.  Its members are those of its own cgroup
 * where one could be made (cgroup v2, or the v2 part of a hybrid; found in mountinfo); else
 * whoever hangs below the leader in the parent chain as it was seen, shares its session, or
 * carries the mark ABX_RUN_ID=<id> in its environment.  The server is the subreaper, so
 * orphans come to it and are reaped (reaper.h).
 *
 * tree_end() sends SIGTERM to all, SIGKILL after the grace, until nothing is left, then
 * calls on_gone.  Signals go through pidfds or the cgroup, never to a stored number that
 * may belong to somebody else by now.
 */
#pragma once

#include "loop/loop.h"
#include "spawn/spawn.h"

struct tree;

enum { TREE_ID_SIZE = 24 };

struct tree_exit {
	int code;           /* 0 to 255; 128+N when a signal ended it */
	int signal;         /* 0 when none */
	bool oom_killed;    /* told by the cgroup's memory.events (R15) */
	double cpu_seconds; /* user and system, of the leader and those it waited for */
	int64_t max_rss_bytes;
};

struct tree_events {
	/* The leader ended and was reaped.  Its pipes may still be open.  The tree may be freed from here, as from on_gone. */
	void (*on_exit)(struct tree *tree, const struct tree_exit *exit, void *user);
	/* tree_end() is through: nothing is left (or was given up after its last deadline). */
	void (*on_gone)(struct tree *tree, void *user);
};

/* Makes a subreaper of the process, finds the cgroup mount, starts the reaper.  use_cgroups false: none are made. */
int tree_init(struct loop *loop, bool use_cgroups) MUST_CHECK;
bool tree_has_cgroups(void);

/*
 * At the end of the server.  tree_end_all() ends every tree, and the strays whom freed trees
 * left alone, then calls fn; owners see on_exit as ever, but on_gone only where they called
 * tree_end() themselves.  What still lives at tree_shutdown() is killed; then the cgroups are
 * removed and reaping ends.
 */
void tree_end_strays(void); /* SIGTERM to them */
void tree_end_all(struct loop *loop, int64_t grace_ns, void (*fn)(void));
void tree_shutdown(void);

/*
 * Starts; cgroup and mark are added to a copy of *what.  NULL with err (as spawn_start).
 * The pidfd stays with the tree: ret_child->pid_fd is -1.  *events must outlive the tree.
 */
struct tree *tree_start(struct loop *loop, const struct spawn *what, const struct tree_events *events, void *user,
	struct child *ret_child, struct spawn_failure *ret_failure, struct err *err);

bool tree_has_cgroup(const struct tree *tree);
unsigned tree_limited(const struct tree *tree); /* bits of cgroup_controller: whose limits are in force */
const char *tree_id(const struct tree *tree);   /* of ABX_RUN_ID; never digits only */
pid_t tree_pid(const struct tree *tree);
bool tree_exited(const struct tree *tree);

/* To the leader, or to every member.  0 when one got it, -ESRCH when there is nobody, -EINVAL, -EPERM. */
int tree_signal(struct tree *tree, int number, bool whole) MUST_CHECK;

/* Living members besides the leader (R19); looks, so it costs a walk of /proc without a cgroup. */
size_t tree_descendants(struct tree *tree);

/* cpu and resident memory of the members now; returns tree_descendants(). */
size_t tree_usage(struct tree *tree, double *ret_cpu_seconds, int64_t *ret_rss_bytes);

/*
 * What is asked about many trees between begin and end costs one walk of /proc (members_walk(), best made in
 * a worker), which is taken over: all see the moment of it.
 */
struct members;
void tree_survey_begin(struct members *walked, int64_t walked_ns);
void tree_survey_end(void);

/*
 * Ends everything: SIGTERM, grace_ns later SIGKILL.  on_gone comes later, never from inside.
 * The leader alone is left out when it is gone already.  A second call may shorten the grace.
 */
void tree_end(struct tree *tree, int64_t grace_ns);

/* No events any more; what still lives is left alone.  The leader, if it lives, is still reaped. */
void tree_free(struct tree *tree);
