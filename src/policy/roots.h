/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folders that a principal may reach, and the patterns inside them that it may not, or may
 * only read.  Owned by the policy or the token that they were made for; immutable, but for a
 * root that has gone and is opened again (R98), which is locked.
 *
 * A root has two spellings, as configured and without symbolic links; a path that begins with
 * either lies in it.  Paths are shown with the configured spelling of the server's root, and
 * patterns are brought into the same form when they are read, so that deciding is comparing.
 */
#pragma once

#include "base/err.h"

struct roots;
struct root;

/* A file of the server itself: denied whatever the policy says, by this rule; and so are the links that lead to it. */
struct own_file {
	const char *path, *rule;
};
enum { ROOTS_OWN_MAX = 3 };

struct roots_spec {
	const char *base;            /* where relative paths start; absolute; inside a root */
	const char *const *roots;    /* absolute, NULL at the end; at least one */
	const char *const *readonly; /* paths or patterns, NULL at the end or NULL; relative ones start at the base */
	const char *const *deny;
	const struct roots *within; /* a token's roots lie beneath the server's: resolved there at each call */
	const char *rule;           /* "paths" or "tokens.NAME.paths": what denials name, with ".roots", ".deny[0]" */
	struct own_file own[ROOTS_OWN_MAX]; /* path NULL: fewer */
	bool base_alone;                    /* the base is the only root, and a fault of it is one of "base" */
	bool make_base;                     /* make the base directory when it is missing (R98) */
};

/* Opens every root: NULL with err naming the key when one is missing or the base lies outside. */
struct roots *roots_new(const struct roots_spec *spec, struct err *err);
void roots_free(struct roots *r); /* NULL is fine */

/* The root at exactly this path in either spelling, or NULL. */
const struct root *roots_at(const struct roots *r, const char *path);

const char *roots_base(const struct roots *r);  /* in the form that is shown */
const char *root_path(const struct root *root); /* shown */
const char *root_real(const struct root *root); /* without symbolic links */

/* A new O_PATH descriptor of the root, or a negative errno. */
int root_open(const struct root *root) MUST_CHECK;

/* For a path in the form that is shown: 0, or -1 with the rule named.  The message names `given`. */
int roots_check_visible(const struct roots *r, const char *path, const char *given, struct err *err) MUST_CHECK;
int roots_check_write(const struct roots *r, const char *path, const char *given, struct err *err) MUST_CHECK;
int roots_deny(const struct roots *r, const char *given, struct err *err); /* outside: always -1 */

bool roots_hold_root(const struct roots *r, const char *path);     /* a root at or below path */
bool roots_reach_pattern(const struct roots *r, const char *path); /* a pattern may cover something at or below path */

/*
 * The rule of a file of the server itself that lies in one of the server's roots, or NULL; of one, in no root, that is this
 * path (without symbolic links) or lies below it.
 */
const char *roots_hold_own(const struct roots *r);
const char *roots_own_below(const struct roots *r, const char *real);

/* For the policy's facts: what was configured, in the form that is shown; patterns are absolute or begin with "**". */
const char *const *roots_list(const struct roots *r);
const char *const *roots_readonly(const struct roots *r);
const char *const *roots_denied(const struct roots *r);
