/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/rate.h"

static double burst(const struct rate *r)
{
	return MAX(r->per_second, 1.0);
}

void rate_init(struct rate *r, double per_second, int64_t now_ns)
{
	*r = (struct rate){ .per_second = per_second, .at_ns = now_ns };
	r->level = burst(r);
}

bool rate_take(struct rate *r, int64_t now_ns)
{
	if (r->per_second <= 0)
		return true;
	r->level = MIN(burst(r), r->level + (double)(now_ns - r->at_ns) / (double)NS_PER_S * r->per_second);
	r->at_ns = now_ns;
	if (r->level < 1)
		return false;
	r->level -= 1;
	return true;
}

double rate_narrower(double a, double b)
{
	if (a <= 0)
		return b;
	return b <= 0 ? a : MIN(a, b);
}
