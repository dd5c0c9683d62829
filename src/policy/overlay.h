/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What system.env.set changed: variables that children get or do not get from then on, over
 * all that the policy says.
 *
 * One for the process; it outlives a reload of the policy.  Only on the loop's thread.
 */
#pragma once

#include "policy/child_env.h"

/* value.p NULL: the variable is taken away from children. */
void overlay_set(const char *name, struct str value);
void overlay_clear(void);

/* Names and values, for the limit of both together; what setting this one would add. */
size_t overlay_bytes(void);
size_t overlay_growth(const char *name, struct str value);

void overlay_apply(struct child_env *env);
