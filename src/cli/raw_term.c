/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/raw_term.h"

#include "cli/interrupt.h"
#include "cli/term.h"

#include <unistd.h>

enum { LEAVE_MAX = 1024 };

static bool set_raw(const struct termios *before)
{
	struct termios raw = *before;

	cfmakeraw(&raw);
	return tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
}

void raw_term_start(struct raw_term *t)
{
	*t = (struct raw_term){ .is_shown = term_is_out() };
	if (!isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &t->before) < 0)
		return;
	interrupt_restore(&t->before);
	t->is_raw = set_raw(&t->before);
}

void raw_term_again(struct raw_term *t)
{
	if (t->is_raw)
		set_raw(&t->before);
}

void raw_term_shown(struct raw_term *t, struct str output)
{
	if (t->is_shown)
		modes_feed(&t->modes, output);
}

void raw_term_stop(struct raw_term *t)
{
	AUTOBUF struct buf leave;

	buf_init(&leave, LEAVE_MAX);
	modes_leave(&t->modes, &leave);
	if (t->is_raw)
		tcsetattr(STDIN_FILENO, TCSANOW, &t->before);
	t->is_raw = false;
	interrupt_restore(NULL);
	if (leave.len && write(STDOUT_FILENO, leave.data, leave.len) < 0) {
		/* A terminal that is gone has no state to bring back. */
	}
}
