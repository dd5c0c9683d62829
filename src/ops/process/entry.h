/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process as process.list and process.get show it.
 */
#pragma once

#include "ops/process/process.h"

struct entry {
	const char *id, *command, *name, *started_at, *ended_at, *signal;
	int64_t pid, descendants, rss_bytes;
	int state;
	struct opt_int exit_code;
	double cpu_seconds;
	bool capture_output, stdin_open, timed_out, oom_killed;
	char signal_text[16];
};

/* Also those of a struct that begins with a struct entry. */
#define ENTRY_ROWS \
	R_STRING(struct entry, id, "What it is addressed by."), \
		R_INT(struct entry, pid, "Process id; of an ended one it may belong to somebody else by now."), \
		R_STRING(struct entry, command, "What was started, cut after 1024 bytes."), \
		R_NULL_STRING(struct entry, name, "Its label."), \
		R_CHOICE(struct entry, state, process_states, "Whether it runs."), \
		R_STRING(struct entry, started_at, "When it was started."), \
		R_OPT_STRING(struct entry, ended_at, "When it ended."), \
		R_NULL_INT(struct entry, exit_code, \
			"Its exit code; 128 and N when signal N ended it; null while it runs."), \
		R_OPT_STRING(struct entry, signal, "The signal that ended it."), \
		R_FLAG(struct entry, timed_out, "It was ended by its timeout."), \
		R_FLAG(struct entry, oom_killed, "The kernel ended it for want of memory."), \
		R_INT(struct entry, descendants, "How many processes that descend from it live, itself not counted."), \
		R_NUM(struct entry, cpu_seconds, "Processor time of it and its living descendants."), \
		R_INT(struct entry, rss_bytes, "Memory that it and its descendants have resident now."), \
		R_BOOL(struct entry, capture_output, "Whether its output can be read."), \
		R_BOOL(struct entry, stdin_open, "Whether its standard input can be written to.")

extern const struct field entry_rows[];

/* Refers to p and to itself. */
void entry_fill(struct entry *e, struct process *p);
