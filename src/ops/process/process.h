/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes begun with process.start, running and ended.
 *
 * The table owns its entries.  A call that looks at one over several turns of the loop (a wait,
 * a follower) holds it meanwhile, so an entry may outlive its place in the table.  A running
 * process belongs to nobody: no call's end ends it, only its timeout, a signal, or the server's end.
 *
 * Output is drained into the journal whether or not somebody reads, and an ended process keeps
 * it while its entry is retained (R20).  All ended ones together keep a quarter of the memory
 * budget at most; the oldest loses its output first, which readers are told as a gap.
 */
#pragma once

#include "base/clock.h"
#include "call/call.h"
#include "journal/journal.h"
#include "program/command.h"
#include "program/receipt.h"
#include "ops/process/feed.h"

struct process {
	struct list_node node;
	struct tree *tree; /* NULL when nothing of it can be left */
	struct pipes pipes;
	struct feed feed;
	struct timer timeout;
	struct journal *journal; /* NULL: its output is not captured */
	char id[TREE_ID_SIZE];
	pid_t pid;
	uint64_t number; /* of its start: of several that had one pid the newest counts */
	char *command, *name, *principal;
	char started_at[CLOCK_TEXT_SIZE], ended_at[CLOCK_TEXT_SIZE];
	int64_t started_ns, ended_ns;
	int64_t written_ns; /* when its newest output came */
	int64_t closed_ns;  /* when it was first seen to have closed both pipes itself; 0 never */
	struct tree_exit exit;
	struct receipt receipt;
	size_t retain;  /* how many newer ones it survives */
	bool exited;    /* it was waited for */
	bool drained;   /* no more output will come (R24) */
	bool held;      /* somebody still had its pipes (R02) */
	bool timed_out; /* ended by its timeout */
	bool takes_input;
	unsigned holders;
	bool forgotten; /* not in the table any more: goes with its last holder */
};

enum process_state { PROCESS_RUNNING, PROCESS_EXITED };
extern const char *const process_states[];

/* Starts one and puts it into the table.  NULL with call->err.  shown: for people; copied. */
struct process_start {
	const struct command *command;
	const char *name, *shown;
	bool captures, takes_input;
	double timeout_s;
	size_t max_output_bytes, retain;
};
struct process *process_begin(struct call *call, const struct process_start *what);

size_t process_running(const char *principal);

/* By pid or id (R18); NULL with call->err. */
struct process *process_find(struct call *call, const char *pid);

/* The same, and it must be one whose output is captured (R23). */
struct process *process_find_captured(struct call *call, const char *pid);

/* All, in the order of their starts; an array in call memory.  NULL with call->err. */
struct process **process_all(struct call *call, size_t *ret_count);

/* Whoever looked at it may find that nothing of an ended one is left: then its tree is given back. */
void process_settle(struct process *p);

void process_hold(struct process *p);
void process_release(struct process *p);

/*
 * No more output will come: it has ended, or it has closed both pipes and lives on.  An end
 * closes them too, a moment before it is told; so the latter is believed only after a while.
 */
bool process_is_silent(struct process *p);

static inline enum process_state process_state(const struct process *p)
{
	return p->exited ? PROCESS_EXITED : PROCESS_RUNNING;
}

/* The parameter that all ops but start and list have, and what every one of them may answer. */
#define PROCESS_PARAM(S) \
	P_STRING(S, pid, F_REQUIRED | F_NUMBER_OK | F_AUDIT, \
		"Its id, or its pid: then the newest process that had it is meant.")
