/* SPDX-License-Identifier: Apache-2.0 */
#include "spawn/limits.h"

static struct rlimit original = { RLIM_INFINITY, RLIM_INFINITY };

void limits_raise_nofile(void)
{
	struct rlimit raised;

	if (getrlimit(RLIMIT_NOFILE, &original) < 0)
		return;
	raised = original;
	raised.rlim_cur = raised.rlim_max;
	setrlimit(RLIMIT_NOFILE, &raised);
}

struct rlimit limits_of_children(void)
{
	if (original.rlim_max == RLIM_INFINITY)
		getrlimit(RLIMIT_NOFILE, &original);
	return original;
}
