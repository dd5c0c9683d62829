/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folders above one that is watched, below the caller's root: when one of them is moved, the
 * watched one is no longer at its path, although nothing happened to itself.  A root that is moved is
 * still the root.
 */
#pragma once

#include "ops/files/notify.h"

enum { ANCESTORS_MAX = 64 };

struct principal;

struct ancestors {
	struct notify_mark marks[ANCESTORS_MAX]; /* the innermost ones */
	unsigned count;
};

/* Blocks.  path: absolute, of the watched folder.  Those that cannot be marked are left out. */
void ancestors_mark(struct ancestors *a, struct notify_user *user, const struct principal *who, const char *path);
void ancestors_drop(struct ancestors *a);
