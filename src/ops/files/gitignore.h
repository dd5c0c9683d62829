/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One .gitignore file: its rules, and what they say of an entry below its folder.  The last rule
 * that matches wins.  The text is the caller's and must live as long as the rules; memory is
 * the process's budget.
 */
#pragma once

#include "base/str.h"

struct gitignore_rule;

struct gitignore {
	struct gitignore_rule *rules;
	size_t count, cap;
};

enum gitignore_says { GITIGNORE_NOTHING, GITIGNORE_IGNORE, GITIGNORE_KEEP };

/* 0 or -ENOMEM; then what was read so far holds. */
int gitignore_parse(struct gitignore *g, struct str text) MUST_CHECK;
void gitignore_free(struct gitignore *g); /* zeroed ones are fine */

/* path: relative to the folder of the file. */
enum gitignore_says gitignore_ask(const struct gitignore *g, struct str path, bool is_folder);
