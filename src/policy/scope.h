/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scopes: what a token must hold to call an op.  A scope is "family:verb" (or "admin"); a token
 * holds scopes and patterns: "*" is every scope, "family:*" every verb, "*:verb" every family.
 */
#pragma once

#include "base/str.h"

struct scope_info {
	const char *name, *text;
};
extern const struct scope_info scope_all[]; /* of scopes.def; name NULL at the end */

/* Whether the pattern covers the scope. */
bool scope_matches(const char *pattern, const char *scope);

/* Whether one of the patterns (NULL at the end) does. */
bool scope_allowed(const char *const *patterns, const char *scope);

/* Whether a pattern covers at least one scope that exists; else *ret_nearest is the scope that was meant, or NULL. */
bool scope_known(const char *pattern, const char **ret_nearest);
