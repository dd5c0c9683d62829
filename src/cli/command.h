/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a command is, and what it gets.  Each command is one constant in one file
 * cli_<name>.c, listed in commands.def; help, completion and the manual page are readings
 * of that table.
 */
#pragma once

#include "cli/api.h"
#include "cli/args.h"

struct cli {
	struct problem problem;
	const char *url, *token, *context; /* of the flags; NULL: not given */
	bool json, quiet;
	struct api api;
	bool has_api;
	char *config_url, *config_token; /* of the context in use */
};

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
const char *commands_nearest(const char *word); /* for "did you mean"; NULL */

/* The connection to the server that flags, environment and contexts name; NULL with cli->problem. */
struct api *cli_api(struct cli *cli);

/* For commands that go on with their next argument: prints the problem, returns its exit code. */
int cli_complain(struct cli *cli);
/* Whether going on makes no sense: interrupted, or no server. */
bool cli_is_hopeless(const struct cli *cli);

/* Prints the wire's JSON as it came. */
int cli_print_json(struct cli *cli, const struct reply *reply) MUST_CHECK;
int cli_write(struct cli *cli, int fd, struct str bytes) MUST_CHECK; /* whole and at once */

/* A remote path as typed: a ':' in front is allowed and dropped. */
struct str cli_remote(const char *word);
