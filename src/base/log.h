/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log: one line an event on stderr, "time level event key=value …".  Written by server/
 * only, by the loop's thread.  Values that could break a line are escaped by log_value().  Nothing waits for who reads
 * it: what cannot be written is lost, and the next line that can be says how many are missing ("warn log lost=3").
 */
#pragma once

#include "base/str.h"

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

extern const char *const log_levels[]; /* names, NULL at the end */

void log_set_level(enum log_level level);
bool log_wants(enum log_level level);
void log_event(enum log_level level, const char *event, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* text made safe for a line, cut to size - 1 bytes; returns to. */
char *log_value(char *to, size_t size, struct str text);
