/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A failure as the person at the command line sees it: one line, and an exit code.
 *
 * Functions that can fail take a struct problem and return -1 with it filled in; only
 * main and commands that go on with their next argument print it.
 */
#pragma once

#include "base/buf.h"

#include <stdio.h>

enum exit_code {
	EXIT_OK = 0,
	EXIT_OTHER = 1,
	EXIT_USAGE = 2,
	EXIT_AUTH = 3,
	EXIT_POLICY = 4,
	EXIT_NOT_FOUND = 5,
	EXIT_TRY_AGAIN = 75,
	EXIT_TIMEOUT = 124,
	EXIT_OURS = 125, /* of exec, sh and run: it was not the command that failed */
	EXIT_INTERRUPTED = 130,
	EXIT_PIPE = 141,
};

struct problem {
	int exit_code;      /* 0: there is none */
	char op[80];        /* what was called; empty for failures before any call */
	char wire_code[80]; /* the server's; empty when the failure is ours */
	char rule[160], request_id[132];
	char text[4608];   /* room for a whole path */
	int own_exit_code; /* of a custom command that failed; -1: none */
	char said[4608];   /* what it had written to standard error */
};

/* Both return -1. */
int problem_set(struct problem *p, int exit_code, const char *fmt, ...) PRINTF_LIKE(3, 4);
int problem_errno(struct problem *p, int sys_errno, const char *fmt, ...) PRINTF_LIKE(3, 4); /* adds ": reason" */

/* What the server answered: an error object of the wire, or a body that is none. */
int problem_from_reply(struct problem *p, const char *op, int status, struct str request_id, struct buf *body);

/* An error object of the wire; false when it is none. */
struct json;
bool problem_from_json(struct problem *p, const char *op, const struct json *error);

void problem_clear(struct problem *p);

/* "abx: files.stat: no such file (policy:…) [request 5f…]"; nothing for an interruption. */
void problem_print(const struct problem *p, FILE *to);
void problem_format(const struct problem *p, struct buf *to);

int problem_exit_of(struct str wire_code);

/* The code for exec, sh and run (R89). */
int problem_exit_of_run(int exit_code);
