/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folders that a principal may reach, and the patterns inside them that it may not, or may
 * only read.  Owned by the policy or the token that they were made for; immutable, but for a
 * root that has gone and is opened again (R98), which is locked.
 */
#pragma once

#include "base/err.h"

struct roots;

struct roots_spec {
	const char *base;             /* where relative paths start; absolute; inside a root */
	const char *const *roots;     /* absolute, NULL at the end; at least one */
	const char *const *readonly;  /* paths or patterns, NULL at the end or NULL */
	const char *const *deny;
	const struct roots *within;   /* a token's roots lie beneath the server's: resolved there at each call */
	const char *rule;             /* "paths" or "tokens.NAME.paths": what denials name, with ".roots", ".deny[0]" */
	bool make_base;               /* make the base directory when it is missing (R98) */
};

/* Opens every root: NULL with err naming the key when one is missing or the base lies outside. */
struct roots *roots_new(const struct roots_spec *spec, struct err *err);
void roots_free(struct roots *r);
