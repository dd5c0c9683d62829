/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include "base/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 2048 };

const char *const log_levels[] = { "debug", "info", "warn", "error", NULL };

static enum log_level lowest = LOG_WARN;

void log_set_level(enum log_level level)
{
	lowest = level;
}

bool log_wants(enum log_level level)
{
	return level >= lowest;
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
	/* A log that cannot be written must not stop the server. */
	if (write(STDERR_FILENO, line, len) < 0)
		return;
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
