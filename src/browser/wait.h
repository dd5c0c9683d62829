/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting for an element until something can be done with it, as a person would: it is there, visible,
 * has the same box on two frames, is enabled, lies in the window (it is scrolled there), and its middle
 * is not covered by something else.
 */
#pragma once

#include "browser/probe.h"

enum wait_want {
	WAIT_TO_CLICK,
	WAIT_TO_TYPE,  /* and it has the focus, the cursor behind what it holds */
	WAIT_TO_CLEAR, /* and all that it holds is selected */
	WAIT_TO_SHOW,  /* only visible and at rest; its box counts from the top of the page */
};

enum { WAIT_DEFAULT_MS = 5000 };

struct wait;
typedef void wait_fn(struct wait *w);

struct wait {
	struct probe probe;
	const char *selector;
	int64_t timeout_ms;
	wait_fn *fn;
	double x, y; /* its middle in the window */
	double left, top, width, height;
	bool holds_something;
};

/* Calls fn when it is so; else the visit has failed: 404 for no such element, 408 with what was not so. */
void wait_start(struct wait *w, struct visit *visit, const char *selector, enum wait_want want, int64_t timeout_ms,
	wait_fn *fn);
