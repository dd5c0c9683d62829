/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The audit log: a JSON line for each call, at its end.
 *
 * What stands in a line is in docs/policy.md.  A thread writes it (loop/line_file.h): no call waits,
 * and what cannot be written is counted, logged once, and told by the next line.
 */
#pragma once

#include "server/serving.h"

/* Opens the file of this policy, also when it is the one that is open (it may have been moved away): 0 or -1. */
int audit_use(const struct policy *policy, struct err *err) MUST_CHECK;
int audit_check(
	const struct policy *policy, struct err *err) MUST_CHECK; /* whether that would do, without making the file */
void audit_end(void);                                             /* what waits is written, for a moment at most */
bool audit_is_on(void);

void audit_begin(struct serving *s, const struct head *head); /* what the line needs of the head */
void audit_keep(struct serving *s);                           /* before the call's arguments are given back */
void audit_call(struct serving *s, uint64_t sent_bytes);
void audit_problem(enum err_code code, const char *request_id); /* what came was no request */
