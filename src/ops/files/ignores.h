/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The .gitignore files of the folders that a walk is in, from its start down: the innermost that
 * says something about an entry decides.
 */
#pragma once

#include "ops/files/walk.h"

struct ignores_level;

struct ignores {
	struct ignores_level *levels; /* only of folders that have such a file */
	size_t count, cap;
};

/* The walk has entered a folder: reads what it has.  0 or -ENOMEM. */
int ignores_enter(struct ignores *i, const struct walk *w) MUST_CHECK;
/* After WALK_LEFT. */
void ignores_leave(struct ignores *i, const struct walk *w);
void ignores_done(struct ignores *i);

/* Whether the walk's current entry is ignored. What lies below an ignored folder is not asked for. */
bool ignores_has(const struct ignores *i, const struct walk *w, bool is_folder);
