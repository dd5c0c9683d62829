/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The policy's patterns of denied paths (policy/pattern.h) as git's own, for a repository's root.
 */
#pragma once

#include "base/buf.h"

/* fn gets each pathspec that leaves out what the pattern covers below top. */
void git_exclude(const char *pattern, const char *top, void (*fn)(void *user, const char *pathspec), void *user);
