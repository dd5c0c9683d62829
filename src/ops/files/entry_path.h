/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names in an archive, which may say anything: what of them stays beneath the destination.
 * Texts only; that a name's folders are real ones is seen when it is placed (plant.h).
 */
#pragma once

#include "base/str.h"

enum { ENTRY_PATH_MAX = 4096, ENTRY_NAME_MAX = 255 };

/*
 * The name as a path of plain parts, "a/b", without the first `strip` of them: NULL and the path
 * in *to, or why it cannot be placed.  An empty path is the destination itself, or was stripped away.
 */
const char *entry_path(struct str name, int64_t strip, char to[static ENTRY_PATH_MAX]);

/* How many folders stand above the last part. */
unsigned entry_depth(const char *path);

/*
 * Whether a symbolic link at this depth stays beneath the destination, whatever links its target goes
 * through: ".." only in front, and no more of them than there are folders above.
 */
bool entry_link_stays(const char *target, unsigned depth);
