/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What differs between two texts, line by line, as a unified diff with three lines of context.
 *
 * The shortest one (Myers) where the texts differ in few lines; beyond that bound what lies
 * between the first and the last difference is told as replaced.  Memory is the budget's.
 */
#pragma once

#include "base/buf.h"

/* Nothing for equal texts.  0 or -ENOMEM; ask buf_failed(out) too.  name: with "a/" and "b/" in front in the head. */
int diff_unified(struct buf *out, struct str name, struct str before, struct str after) MUST_CHECK;
