/* SPDX-License-Identifier: Apache-2.0 */
#include "call/counters.h"

#include <assert.h>

enum { OPS_MAX = 256 };

static struct {
	/* As in ops_all; behind them the template author's commands together, and calls without an op. */
	uint64_t calls[OPS_MAX + 2][COUNTERS_CLASSES];
	struct {
		int64_t value;
		uint64_t (*ask)(void *user);
		void *user;
	} gauges[GAUGE_COUNT];
} counters;

static size_t index_of(const struct op *op)
{
	if (op && op->is_dynamic)
		return OPS_MAX;
	for (size_t i = 0; op && ops_all[i] && i < OPS_MAX; i++) {
		if (ops_all[i] == op)
			return i;
	}
	return OPS_MAX + 1;
}

void counters_call(const struct op *op, int status)
{
	int class = status / 100;

	if (class >= 1 && class <= COUNTERS_CLASSES)
		counters.calls[index_of(op)][class - 1]++;
}

uint64_t counters_calls(const struct op *op, unsigned class)
{
	assert(class >= 1 && class <= COUNTERS_CLASSES);
	return counters.calls[index_of(op)][class - 1];
}

void counters_add(enum counters_gauge gauge, int by)
{
	counters.gauges[gauge].value += by;
}

void counters_ask(enum counters_gauge gauge, uint64_t (*ask)(void *user), void *user)
{
	counters.gauges[gauge].ask = ask;
	counters.gauges[gauge].user = user;
}

int64_t counters_get(enum counters_gauge gauge)
{
	return counters.gauges[gauge].ask ? (int64_t)counters.gauges[gauge].ask(counters.gauges[gauge].user)
					  : counters.gauges[gauge].value;
}
