/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our own scripts in the page.  They run in a world of their own, where nothing that the page did to
 * its globals matters, and are run again where the page moved on to another document meanwhile.
 */
#pragma once

#include "browser/visit.h"

struct probe;

/* answer: of Runtime.evaluate; value: what the script returned.  NULL with call->err when it did not come to that. */
typedef void probe_fn(struct probe *p, const struct cdp_answer *answer, struct str value);

struct probe {
	struct visit *visit;
	const char *script; /* a function expression */
	struct str args;    /* its arguments as JSON, with commas */
	const char *what;   /* as in "cannot …" */
	size_t max;         /* bytes of the answer */
	probe_fn *fn;
};

enum { PROBE_SPARE_MS = 3000 }; /* a script that keeps a time limit itself is asked that much longer */

/* Fill in visit, script, what, max, fn and args; until the visit's deadline. */
void probe_run(struct probe *p);
