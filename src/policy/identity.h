/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose rights file work has (R94).  When the server is root and the policy names a
 * process.user, a worker takes on that user's file system ids and groups for the time of a
 * job, so that the kernel decides as it would for the user, and what is made belongs to it.
 * They are the thread's alone: the loop and other workers keep theirs.
 */
#pragma once

#include "policy/policy.h"

/* 0, or -1: the work must not be done then.  Nothing to do for most servers. */
int identity_enter(const struct policy *p, struct err *err) MUST_CHECK;
void identity_leave(void);
