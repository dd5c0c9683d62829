/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <string.h>

int64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

int64_t clock_wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* A time that no calendar has (a file system may hold any number) becomes the epoch. */
static struct tm calendar(time_t when)
{
	const struct tm epoch = { .tm_year = 70, .tm_mday = 1, .tm_wday = 4 };
	struct tm tm;

	if (!gmtime_r(&when, &tm) || tm.tm_year < -1900 || tm.tm_year > 9999 - 1900)
		return epoch;
	return tm;
}

/* Decimal with leading zeros; returns what stands behind it. */
static char *put(char *to, int value, int digits, char behind)
{
	for (int i = digits - 1; i >= 0; i--) {
		to[i] = (char)('0' + value % 10);
		value /= 10;
	}
	to[digits] = behind;
	return to + digits + 1;
}

char *clock_text(struct timespec when, char text[static CLOCK_TEXT_SIZE])
{
	struct tm tm = calendar(when.tv_sec);
	char *to = text;

	to = put(to, tm.tm_year + 1900, 4, '-');
	to = put(to, tm.tm_mon + 1, 2, '-');
	to = put(to, tm.tm_mday, 2, 'T');
	to = put(to, tm.tm_hour, 2, ':');
	to = put(to, tm.tm_min, 2, ':');
	to = put(to, tm.tm_sec, 2, '.');
	to = put(to, (int)(when.tv_nsec / NS_PER_MS), 3, 'Z');
	*to = '\0';
	return text;
}

char *clock_text_ago(int64_t age_ns, char text[static CLOCK_TEXT_SIZE])
{
	struct timespec now;
	int64_t ns;

	clock_gettime(CLOCK_REALTIME, &now);
	ns = now.tv_sec * NS_PER_S + now.tv_nsec - age_ns;
	return clock_text((struct timespec){ ns / NS_PER_S, ns % NS_PER_S }, text);
}

char *clock_text_now(char text[static CLOCK_TEXT_SIZE])
{
	return clock_text_ago(0, text);
}

char *clock_http_date(time_t when, char text[static CLOCK_TEXT_SIZE])
{
	static const char days[] = "SunMonTueWedThuFriSat";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct tm tm = calendar(when);
	char *to = text;

	memcpy(to, days + 3 * tm.tm_wday, 3);
	memcpy(to + 3, ", ", 2);
	to = put(to + 5, tm.tm_mday, 2, ' ');
	memcpy(to, months + 3 * tm.tm_mon, 3);
	to[3] = ' ';
	to = put(to + 4, tm.tm_year + 1900, 4, ' ');
	to = put(to, tm.tm_hour, 2, ':');
	to = put(to, tm.tm_min, 2, ':');
	to = put(to, tm.tm_sec, 2, ' ');
	memcpy(to, "GMT", sizeof "GMT");
	return text;
}
