/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls whose result is shown: its JSON as it came with --json, else as its command likes.
 */
#pragma once

#include "cli/cli.h"

/* 0: the reply is parsed, to be shown; 1: its JSON was printed; -1 with cli->problem.  Free the reply in any case. */
int show_call(struct cli *cli, const char *op, struct str args, bool is_read, struct reply *ret_reply) MUST_CHECK;

/* "key: value" for each member that is no list or object; null is "-". */
void show_members(const struct json *object);

/* A member as it is written, "-" where it is null or absent. */
struct str show_text(const struct json *object, const char *key);

/* Text left in a column, made safe; without blanks behind it in the last one (width 0). */
void show_cell(struct str text, int width);
