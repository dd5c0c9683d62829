/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns of paths.deny and paths.readonly.  Part by part: "*" and "?" match inside one
 * name, a part "**" any number of parts, also none.  A pattern covers what it matches and all
 * below.  Both sides are absolute ("**" at the front of a pattern stands for any folder).
 * Time is bounded by the product of the lengths.
 */
#pragma once

#include "base/base.h"

bool pattern_covers(const char *pattern, const char *path);

/* Whether something at or below path could be covered: what makes a walk necessary. */
bool pattern_reaches(const char *pattern, const char *path);
