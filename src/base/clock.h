/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time.  Deadlines and durations use the monotonic clock, which no setting of the wall
 * clock moves; only timestamps that people read use the wall clock.
 */
#pragma once

#include "base/base.h"

#include <time.h>

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S INT64_C(1000000000)

enum { CLOCK_TEXT_SIZE = 32 };

int64_t clock_now_ns(void);  /* monotonic */
int64_t clock_wall_ns(void); /* since 1970: to compare with the times of files, never for a deadline */

/* ISO 8601 UTC with milliseconds, "2026-01-02T03:04:05.678Z"; returns text. */
char *clock_text(struct timespec when, char text[static CLOCK_TEXT_SIZE]);
char *clock_text_now(char text[static CLOCK_TEXT_SIZE]);
char *clock_text_ago(int64_t age_ns, char text[static CLOCK_TEXT_SIZE]); /* that long before now */

/* The date form of HTTP headers, "Fri, 02 Jan 2026 03:04:05 GMT", independent of the locale; returns text. */
char *clock_http_date(time_t when, char text[static CLOCK_TEXT_SIZE]);
