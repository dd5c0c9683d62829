/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include "base/clock.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 2048 };

const char *const log_levels[] = { "debug", "info", "warn", "error", NULL };

static enum log_level lowest = LOG_WARN;
static uint64_t lost; /* lines that could not be written */

void log_set_level(enum log_level level)
{
	lowest = level;
}

bool log_wants(enum log_level level)
{
	return level >= lowest;
}

/*
 * A log that cannot be written, or that nobody reads, must not stop the server.  A pipe that can be written to at all takes a
 * line as a whole, for it has room for a page.
 */
static bool put(const char *line, size_t len)
{
	struct pollfd room = { .fd = STDERR_FILENO, .events = POLLOUT };

	return poll(&room, 1, 0) == 1 && (room.revents & POLLOUT) && write(STDERR_FILENO, line, len) == (ssize_t)len;
}

/* What is missing in front of the next line; false while it cannot be told. */
static bool tell_lost(void)
{
	char line[128], when[CLOCK_TEXT_SIZE];
	int len;

	if (!lost)
		return true;
	len = snprintf(line, sizeof line, "%s warn log lost=%llu\n", clock_text_now(when), (unsigned long long)lost);
	if (!put(line, (size_t)len))
		return false;
	lost = 0;
	return true;
}

void log_event(enum log_level level, const char *event, const char *fmt, ...)
{
	char line[LINE_MAX_BYTES], when[CLOCK_TEXT_SIZE];
	va_list args;
	size_t len;

	if (!log_wants(level))
		return;
	len = (size_t)snprintf(line, sizeof line, "%s %s %s ", clock_text_now(when), log_levels[level], event);
	va_start(args, fmt);
	len += (size_t)vsnprintf(line + len, sizeof line - len, fmt, args);
	va_end(args);
	len = MIN(len, sizeof line - 2);
	line[len++] = '\n';
	if (!tell_lost() || !put(line, len))
		lost++;
}

char *log_value(char *to, size_t size, struct str text)
{
	size_t len = 0;

	for (size_t i = 0; i < text.len && len + 5 < size; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if (c > ' ' && c < 0x7f && c != '"' && c != '\\')
			to[len++] = (char)c;
		else
			len += (size_t)snprintf(to + len, size - len, "\\x%02x", c);
	}
	to[len] = '\0';
	return to;
}
