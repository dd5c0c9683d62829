/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the page has said: the last thousand entries, each cut to a few kilobytes, all of them
 * within a bound.  Reading takes them away.
 */
#pragma once

#include "base/clock.h"
#include "base/str.h"

enum { CONSOLE_ENTRIES = 1000, CONSOLE_TEXT_MAX = 4096, CONSOLE_BYTES_MAX = 1024 * 1024 };

struct console_entry {
	char type[24];
	char when[CLOCK_TEXT_SIZE];
	double exception; /* the browser's number of it, where it is one; else 0 */
	size_t len;
	char text[];
};

/* when_ms: since 1970; 0 is now. */
void console_add(const char *type, struct str text, double when_ms);
void console_clear(void);

size_t console_count(void);
const struct console_entry *console_at(size_t index); /* 0 is the oldest */

/* From the protocol's events: arguments of a call of console.*, an exception, an entry of the browser's own log. */
void console_add_call(struct str params, char *text);
void console_add_exception(struct str params, char *text);
void console_revoke_exception(struct str params); /* it was caught after all, only late */
void console_add_log(struct str params, char *text);
