/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mouse and keyboard, as the page would see a person's.  Each ends with its fn, when the page has
 * taken the input and gone where that led it, or the visit has failed.
 */
#pragma once

#include "browser/visit.h"

struct input;
typedef void input_fn(struct input *input);

struct input {
	struct visit *visit;
	input_fn *fn;
	struct str rest; /* to be typed */
	int64_t delay_ms;
	bool waits; /* for the page to go where it was sent */
};

void input_click(struct input *input, struct visit *visit, double x, double y, input_fn *fn);
/* erase: what is selected is removed first. */
void input_type(struct input *input, struct visit *visit, struct str text, int64_t delay_ms, bool erase, input_fn *fn);
