/* SPDX-License-Identifier: Apache-2.0 */
#include "base/budget.h"

#include <assert.h>
#include <stdatomic.h>

static atomic_size_t used;
static atomic_size_t limit;
static _Thread_local bool insists;

void budget_set_limit(size_t bytes)
{
	atomic_store(&limit, bytes);
}

static bool take_up_to(size_t max, size_t bytes)
{
	size_t now = atomic_load(&used);

	/* Never more than is allowed, not even for a moment: that would refuse another thread's small request. */
	do {
		if (max && !insists && (bytes > max || now > max - bytes))
			return false;
	} while (!atomic_compare_exchange_weak(&used, &now, now + bytes));
	return true;
}

/* What takes of this size may fill; 0 is no limit. */
static size_t bound(size_t bytes)
{
	size_t max = atomic_load(&limit);

	return bytes <= BUDGET_SMALL ? max : max - max / 8;
}

bool budget_take(size_t bytes)
{
	return take_up_to(bound(bytes), bytes);
}

size_t budget_left(size_t piece)
{
	size_t max = bound(piece), now = atomic_load(&used);

	if (max == 0)
		return SIZE_MAX;
	return max > now ? max - now : 0;
}

void budget_insist(bool on)
{
	insists = on;
}

bool budget_take_spare(size_t bytes)
{
	size_t max = atomic_load(&limit);

	return take_up_to(max - max / 4, bytes);
}

void budget_give(size_t bytes)
{
	size_t before = atomic_fetch_sub(&used, bytes);

	assert(before >= bytes);
}

size_t budget_used(void)
{
	return atomic_load(&used);
}

size_t budget_limit(void)
{
	return atomic_load(&limit);
}
