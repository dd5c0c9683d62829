/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command on the server, its output as it comes, its exit code as ours: what exec and sh share.
 *
 * Output travels as base64, so that its bytes are exact.  A stream that ends without the
 * exit event is a failure, never a success.
 */
#pragma once

#include "cli/commands.h"

/* Flags of both; the ones that are their own come before. */
extern const struct flag run_stream_flags[];

/* The member "env" of the flag of that name, where it is given. */
int run_stream_env(struct json_writer *w, const struct args *args, struct problem *p) MUST_CHECK;

/* "command": line, or "argv": the words of args where line is NULL. */
int run_stream_command(struct json_writer *w, const struct args *args, const char *line, struct problem *p) MUST_CHECK;

/* Runs `line` by the shell, or the words of args where line is NULL. */
int run_stream(struct cli *cli, const struct args *args, const char *line);
