/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bounding set of capabilities, beyond which no program gets any (R99).
 *
 * Taking it away costs a call and new credentials for each of some forty capabilities.  So that
 * not every child pays for that, the loop's thread gives up its own for good before the first child
 * that must have none: children inherit that, and the server, which executes nothing itself, can
 * do all that it could.  A thread made before keeps the set, and starts those that shall have it:
 * a reload may end confinement.
 */
#pragma once

#include "base/base.h"

/*
 * From now on children of this thread have no bounding set.  For the loop's thread only.  0, or a negative errno where
 * the thread that keeps the set cannot be made.  Whoever has no power to give it up keeps it, as his children would.
 */
int bounds_give_up(void) MUST_CHECK;

/* Runs fn(arg) to its end where the set is still what the server began with. */
void bounds_keep(void (*fn)(void *arg), void *arg);
