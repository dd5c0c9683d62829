/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our own terminal while a foreign program draws on it: keys come raw, and at the end it is as it
 * was before, also when a second signal ends us at once.  What the program has switched on (another
 * screen, the mouse, a hidden cursor) is followed, and switched off again.
 */
#pragma once

#include "wire/modes.h"

#include <termios.h>

struct raw_term {
	struct termios before;
	struct modes modes;
	bool is_raw;   /* stdin is a terminal, which is raw now */
	bool is_shown; /* stdout is one too */
};

void raw_term_start(struct raw_term *t); /* nothing without a terminal at stdin */
void raw_term_again(struct raw_term *t); /* after a stop, when our shell has set it to its liking */
void raw_term_shown(struct raw_term *t, struct str output);
void raw_term_stop(struct raw_term *t);
