/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The policy file: its text into a struct config.
 *
 * Every key is one row of row_file and row_token; an unknown one, a wrong type, a value out of
 * range or one that this build cannot enforce is an error with file, line and column.  What is
 * not in the file has its default.
 */
#pragma once

#include "policy/config.h"

/* NULL with err (ERR_ARGS_INVALID, "NAME:LINE:COLUMN: …").  name is copied. */
struct config *policy_file_parse(const char *name, struct str text, struct err *err);

/* The same from a file; path NULL gives the defaults. */
struct config *policy_file_load(const char *path, struct err *err);

void policy_file_free(struct config *config);

/* Puts "FILE:LINE:COLUMN: " before an error that begins with a key of the file ("paths.roots[0]: …"). */
void policy_file_place(const struct config *config, struct err *err);

/* The line of what a rule names ("policy:paths.deny[0]", "policy:tokens.ci.scopes"); 0 when the file does not say it. */
size_t policy_file_line(const struct config *config, const char *rule);
