/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the server counts of itself, for system.prometheus: calls by op and class of status,
 * and gauges that their owners keep.  Only on the loop's thread.
 */
#pragma once

#include "catalog/op.h"

enum counters_gauge {
	GAUGE_CONNECTIONS, /* open HTTP connections */
	GAUGE_PROCESSES,   /* programs started with process.start that still run */
	GAUGE_SESSIONS,    /* terminal sessions */
	COUNTER_AUDITED,   /* lines of the audit log that were written, and that could not be */
	COUNTER_AUDIT_LOST,
	GAUGE_COUNT
};

enum { COUNTERS_CLASSES = 5 }; /* 1xx to 5xx */

/* A call has ended; op NULL: none was found for it.  All commands of the template's author count as one op. */
void counters_call(const struct op *op, int status);
uint64_t counters_calls(const struct op *op, unsigned class); /* class 1 to 5 */

/* By their owner: up and down, */
void counters_add(enum counters_gauge gauge, int by);
/* or who is asked when the figure is wanted. */
void counters_ask(enum counters_gauge gauge, uint64_t (*ask)(void *user), void *user);
int64_t counters_get(enum counters_gauge gauge);
