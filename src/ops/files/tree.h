/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole trees: looked through before they are changed, and removed.
 */
#pragma once

#include "ops/files/files.h"

/*
 * Whether the folder at place may be removed or moved as a whole: it is no mount point and
 * holds none, and no entry of it is denied or read-only (R95).  Nothing is changed.
 */
int tree_check(struct call *call, const struct place *place, struct err *err) MUST_CHECK;
/* The rules alone, mounts or not. */
int tree_check_rules(struct call *call, const struct place *place, struct err *err) MUST_CHECK;
/* The rules of where its entries will be, when the folder has become to_path. */
int tree_check_moved(struct call *call, const struct place *place, const char *to_path, struct err *err) MUST_CHECK;

/* The same for a copy, which leaves out what the caller may not see. */
int tree_check_copied(struct call *call, const struct place *place, const char *to_path, struct err *err) MUST_CHECK;

/*
 * Removes the folder and all below, following no link.  path is for messages; a failure says
 * what is left, also as {"left": path} in the details (R56).  call NULL: for cleaning up, not to be stopped.
 */
int tree_remove(struct call *call, int parent_fd, const char *name, const char *path, struct err *err) MUST_CHECK;
