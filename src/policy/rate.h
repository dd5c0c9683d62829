/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A token bucket: `per_second` calls on the long run, and as many at once after a silence
 * (at least one).  Time is given by the caller, from the monotonic clock.
 */
#pragma once

#include "base/clock.h"

struct rate {
	double per_second; /* 0: no limit */
	double level;      /* calls that are free now */
	int64_t at_ns;     /* when level was true */
};

void rate_init(struct rate *r, double per_second, int64_t now_ns);
bool rate_take(struct rate *r, int64_t now_ns);
int64_t rate_wait_s(const struct rate *r, int64_t now_ns); /* whole seconds until a call is free again, at least 1 */

/* The narrower of two, where 0 is no limit. */
double rate_narrower(double a, double b);
