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

extern const struct field entry_rows[];

/* Refers to p and to itself. */
void entry_fill(struct entry *e, struct process *p);
