/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a command is, and what it gets.  Each command is one constant in one file
 * cli_<name>.c, listed in commands.def; help, completion and the manual page are readings
 * of that table.
 */
#pragma once

#include "cli/args.h"
#include "cli/cli.h"

enum { ANY_COUNT = -1 };

struct command {
	const char *name;         /* "ls", "server ops" */
	const char *usage;        /* what comes after the name, without the flags */
	const char *summary;      /* one line, no full stop */
	const char *text;         /* more, or NULL */
	const struct flag *flags; /* NULL: none */
	int least, most;          /* words; ANY_COUNT */
	bool stop_at_word;        /* flags behind the first word are not ours */
	bool is_run;              /* ends with the code of what it ran: our own failures are 125 (R89) */
	int (*run)(struct cli *cli, struct args *args); /* exit code, or -1 with cli->problem */
};

extern const struct command *const commands_all[]; /* in the order of help, NULL at the end */
extern const struct flag commands_shared_flags[];  /* --url and so on */

/* The command of one word or two; *ret_used says how many.  NULL: none. */
const struct command *commands_find(size_t count, char *const *words, size_t *ret_used);
/* Whether commands of two words begin with this one: "server". */
bool commands_is_group(const char *word);
const char *commands_nearest(const char *word); /* for "did you mean"; NULL */
