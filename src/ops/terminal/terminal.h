/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Terminal sessions: a program on a pseudo-terminal, its scrollback, and those who watch it.
 *
 * A session lives on when its viewers leave, and is read whether anybody watches or not.  When
 * its program has ended and the last byte was read it is `ended`: scrollback and exit code stay
 * for a minute after that or after the last viewer's leaving (R32).  The list of sessions owns
 * them; viewers (viewer.h) are on the session's list and outlive it at most by their connection.
 */
#pragma once

#include "base/list.h"
#include "call/call.h"
#include "program/command.h"
#include "ops/terminal/line.h"
#include "ops/terminal/scrollback.h"

enum { TERMINAL_ID_SIZE = 24, TERMINAL_TIME_SIZE = 32, TERMINAL_SIDE_MAX = 1000 /* columns or rows */ };

struct terminal {
	struct list_node node; /* of all; alone once removed */
	struct loop *loop;
	char id[TERMINAL_ID_SIZE], created_at[TERMINAL_TIME_SIZE];
	struct tree *tree;
	pid_t pid;
	struct line line;
	struct scrollback scrollback;
	unsigned columns, rows;
	struct list_node viewers;
	size_t viewer_count;
	bool watched;       /* somebody was attached before */
	bool exited, ended; /* the program; the output too */
	bool gone;          /* tree_end() is through */
	bool removed;       /* no session any more: freed when the last viewer is gone */
	struct tree_exit exit;
	char signal[16];           /* name of the one that ended it */
	int64_t ended_ns, idle_ns; /* when it ended; the limit of idleness, 0 none */
	struct timer idle, forget, nudge;
	struct call
		*deleting; /* terminal.delete, waiting for the end of all: for others there is no session any more */
};

/* Result of terminal.delete. */
struct terminal_deleted {
	const char *status, *session_id;
};

/* Starts one.  NULL with call->err. */
struct terminal *terminal_start(struct call *call, const struct command *command, size_t scrollback_bytes);

struct terminal *terminal_find(const char *id);                              /* NULL: unknown */
struct terminal *terminal_get(struct call *call, const char *id) MUST_CHECK; /* NULL with call->err */

/* 0, or -1 with err when it has ended. */
int terminal_resize(struct terminal *t, unsigned columns, unsigned rows, struct err *err);
/* To the process group in the foreground; nothing when there is none. */
void terminal_signal(struct terminal *t, int number);
/* Input; false when too much waits already. */
bool terminal_input(struct terminal *t, struct str bytes) MUST_CHECK;

/* A viewer comes and goes; node is its place in the list. */
void terminal_attach(struct terminal *t, struct list_node *node);
void terminal_detach(struct terminal *t, struct list_node *node);

/* Hangs up all that it started and then ends it; the call is answered when nothing is left. */
void terminal_delete(struct terminal *t, struct call *call);

/* Ends one that nobody has heard of. */
void terminal_abandon(struct terminal *t);

/* At the end of the server: hangs up all; frees what is left of them. */
void terminal_hang_up_all(void);
void terminal_free_all(void);

/* What list and get show. */
struct terminal_info {
	const char *id, *created_at, *signal;
	int64_t pid, cols, rows, clients;
	bool alive;
	struct opt_int exit_code;
};
extern const struct field terminal_info_rows[];
void terminal_describe(const struct terminal *t, struct terminal_info *ret_info);
/* The one behind t (or the first, for NULL) in the order of their creation; NULL at the end. */
const struct terminal *terminal_next(const struct terminal *t);
