/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One-time tickets: a ticket lets whoever brings it in once, within a minute, to one op and one
 * subject, as the caller that it was made for.  It is the only credential that may stand in a
 * query, for browsers, whose WebSockets cannot send headers.  256 random bits; never logged.
 */
#pragma once

#include "policy/policy.h"

struct call;

enum { TICKET_SIZE = 44, TICKET_SUBJECT_SIZE = 40 };

struct ticket {
	const char *principal;             /* name of the caller that it was made for */
	uint8_t mark[PRINCIPAL_MARK_SIZE]; /* and the mark of that */
	char subject[TICKET_SUBJECT_SIZE];
};

/* A new one; the oldest of very many is forgotten for it.  0, or -1 with call->err. */
int ticket_make(
	struct call *call, const char *op_id, const char *subject, char ret_text[static TICKET_SIZE]) MUST_CHECK;

/* Valid until the next ticket is made; NULL when there is none such, or it was used, or is too old. */
const struct ticket *ticket_take(struct str text, const char *op_id);
