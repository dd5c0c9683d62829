/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tree.c (life) and tree_end.c (end) share: the tree itself.
 */
#pragma once

#include "base/list.h"
#include "spawn/cgroup.h"
#include "spawn/reaper.h"
#include "spawn/tree.h"

#define TREE_MARK "ABX_RUN_ID="

enum { TREE_PREFIX_LEN = 9 };

/* What all ids of this server begin with. */
const char *tree_prefix(void);

enum tree_stage { TREE_RUNS, TREE_TERMINATES, TREE_IS_KILLED };

struct tree {
	struct list_node node; /* in the list of all */
	struct loop *loop;
	char mark[40]; /* "ABX_RUN_ID=" and the id */
	struct reaped reaped;
	pid_t pid;
	int pid_fd; /* of the leader; -1 when it was reaped, or without pidfds */
	bool exited;
	struct cgroup *cgroup; /* NULL where there are none */
	unsigned limited;      /* controllers whose limits are in force */
	uint64_t oom_of_tree, oom_of_ours;
	struct members seen; /* at the last look */
	int64_t look_ns;     /* what that look cost */
	int64_t seen_ns;     /* when it began */
	const struct tree_events *events;
	void *user;

	enum tree_stage stage;
	int64_t kill_at_ns, give_up_at_ns, poll_at_ns, wait_ns;
	struct members told; /* who got the stage's signal */
	struct timer timer;
	struct tree *prev_ending, *next_ending;
	bool owner_waits; /* for on_gone */
};

extern struct list_node tree_all; /* every struct tree, the oldest first */

/* Looks who is there now: tree->seen. */
void tree_look(struct tree *t);
void tree_chase(struct tree *t, int64_t for_ns); /* for the one that a look never finds */
int tree_signal_leader(struct tree *t, int number);
int tree_signal_member(struct tree *t, const struct member *one, int number);

/* Out of the list of those that are ending, its timer gone. */
void tree_stop_ending(struct tree *t);

/* Somebody was reaped: those that wait for that look at once. */
void tree_poll_soon(void);

/* As tree_end(), but the owner is not told. */
void tree_begin_end(struct tree *tree, int64_t grace_ns);
bool tree_any_ending(void);
void tree_kill_all(void);
