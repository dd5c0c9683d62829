/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Globs over names and relative paths: "*" and "?" inside one part, "[a-z]" and "[!a-z]", a
 * backslash before a byte that stands for itself, and a whole part "**" for any number of
 * folders (at the end: for at least one part).  "?" and a class take one character, or one byte
 * where the name is not UTF-8.  Time is bounded by the product of the lengths.
 */
#pragma once

#include "base/str.h"

/* One part without slashes. */
bool glob_matches_name(struct str glob, struct str name);

/* A relative path, part by part; a slash in front of the glob means nothing. */
bool glob_matches_path(struct str glob, struct str path);

/* With a slash in it the glob is for the path, else for its last part. */
bool glob_finds(struct str glob, struct str path);
