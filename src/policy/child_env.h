/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An environment being put together, in memory of an arena.
 *
 * Names are unique: putting a name again replaces its value.  When the arena refuses, the
 * environment is marked; ask once, at the end, with child_env_items().
 */
#pragma once

#include "base/arena.h"

struct child_env {
	struct arena *arena;
	const char **items; /* "NAME=value" */
	size_t count, cap;
	bool failed;
};

void child_env_init(struct child_env *env, struct arena *arena);
void child_env_put(struct child_env *env, const char *name, struct str value);
/* The same for one of many names that differ from each other: only the first `among` items may have it already. */
void child_env_put_among(struct child_env *env, size_t among, const char *name, struct str value);
void child_env_drop(struct child_env *env, const char *name);
const char *child_env_get(const struct child_env *env, const char *name); /* NULL when absent */

/* "NAME=value", NULL at the end; NULL when memory ran out. */
const char *const *child_env_items(const struct child_env *env);

/* Whether a name matches a pattern: the same, or the same up to a final '*'. */
bool child_env_matches(struct str name, const char *pattern);

/* A name that an environment can hold: not empty, no '=', no NUL. */
bool child_env_valid_name(struct str name);
