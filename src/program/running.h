/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command under way, for a caller who waits: its tree, its pipes, its timeout.
 *
 * It is done when the command has ended, its output was read by the rule of pipes.h, and, at
 * a timeout or when the caller left, nothing of its tree is left.  A member of the op's state,
 * which is freed in on_done, after running_free().
 */
#pragma once

#include "program/command.h"

struct running;

struct running_events {
	size_t (*room)(struct running *r); /* as in pipes.h; may be NULL */
	void (*on_bytes)(struct running *r, unsigned stream, struct str bytes);
	void (*on_closed)(struct running *r, unsigned stream); /* as in pipes.h; may be NULL */
	void (*on_done)(struct running *r);
};

struct running {
	const struct running_events *events;
	struct loop *loop;
	struct tree *tree;
	struct pipes pipes;
	struct timer timeout;
	struct tree_exit exit;
	pid_t pid;
	double timeout_s; /* in force; 0 none */
	int64_t started_ns, duration_ns;
	bool exited, drained;
	bool held; /* somebody still held a pipe at the end (R02) */
	bool timed_out;
	bool ending, gone; /* the whole tree is being ended; nothing of it is left */
};

/*
 * In steps, for whoever starts the program otherwise: running_init(), a start with
 * running_tree_events and r as their user, running_go().
 */
extern const struct tree_events running_tree_events;
void running_init(struct running *r, struct loop *loop, double timeout_s, const struct running_events *events);
/* input: of the call's memory, to be fed; p NULL none. */
void running_go(struct running *r, struct tree *tree, const struct child *child, struct str input);

/* All of them, for a command: 0, or -1 with call->err and nothing to free. */
int running_start(struct running *r, struct call *call, const struct command *command, double timeout_s,
	const struct running_events *events) MUST_CHECK;

/* The caller left, or the server ends: everything is ended, on_done comes. */
void running_cancel(struct running *r);
void running_free(struct running *r);
