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

static double level_at(const struct rate *r, int64_t now_ns)
{
	return MIN(burst(r), r->level + (double)(now_ns - r->at_ns) / (double)NS_PER_S * r->per_second);
}

bool rate_take(struct rate *r, int64_t now_ns)
{
	if (r->per_second <= 0)
		return true;
	r->level = level_at(r, now_ns);
	r->at_ns = now_ns;
	if (r->level < 1)
		return false;
	r->level -= 1;
	return true;
}

int64_t rate_wait_s(const struct rate *r, int64_t now_ns)
{
	double missing = r->per_second > 0 ? (1 - level_at(r, now_ns)) / r->per_second : 0;

	return missing > 1 ? (int64_t)missing + 1 : 1;
}

double rate_narrower(double a, double b)
{
	if (a <= 0)
		return b;
	return b <= 0 ? a : MIN(a, b);
}
