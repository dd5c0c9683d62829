/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line after a command's name: flags by rows, and the words that are left.
 *
 * Every flag has a long name, by which commands ask for it; -x, -xVALUE, -x VALUE, -xyz,
 * --name, --name=VALUE, --name VALUE are understood, "--" ends the flags.  From the same
 * rows come help, completion and the manual page.
 */
#pragma once

#include "cli/problem.h"

struct flag {
	char letter; /* '\0': none */
	const char *name;
	const char *value; /* what follows, "DIR"; NULL: a switch */
	const char *text;  /* one line */
};

#define FLAGS_END \
	{ \
		.name = NULL \
	}

struct given {
	const struct flag *flag;
	const char *value; /* NULL of a switch */
};

struct args {
	struct given *given;
	size_t given_count;
	char **words;
	size_t word_count;
	bool dashes; /* "--" was given */
};

/* Own flags win over shared ones of the same name.  With stop_at_word the first word and all after it are words. */
int args_parse(struct args *ret_args, int argc, char **argv, const struct flag *own, const struct flag *shared,
	bool stop_at_word, struct problem *p) MUST_CHECK;
void args_free(struct args *args);

bool args_has(const struct args *args, const char *name);
const char *args_value(const struct args *args, const char *name); /* the last one, or NULL */

/* Each value of a flag that may be repeated: *at begins with 0; NULL at the end. */
const char *args_next(const struct args *args, const char *name, size_t *at);

/* A whole number, 0 or more, of a flag; `absent` where it is not given. */
int args_count(
	const struct args *args, const char *name, int64_t absent, int64_t *ret_count, struct problem *p) MUST_CHECK;

/* A decimal number of seconds, 0 or more, finite. */
int args_seconds(const char *text, double *ret_seconds, struct problem *p) MUST_CHECK;
