/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of a file that match, in memory of fixed size, however large the file or a line is.
 *
 * A line over 64 KiB is searched in windows that overlap by 4 KiB: a longer match across their
 * border may be missed.  A file with a NUL is binary: nothing behind the NUL's block is looked at.
 */
#pragma once

#include "ops/files/matcher.h"

enum { SCAN_TEXT_MAX = 4096 };

struct scan_match {
	uint64_t line, column; /* from 1; the column in bytes */
	struct str text;       /* the line without its newline, or SCAN_TEXT_MAX bytes around the match */
	bool cut;
};

struct scan_events {
	bool (*match)(void *user, const struct scan_match *match); /* false: stop */
	bool (*line)(void *user, uint64_t line, struct str text);  /* every line, behind its match; NULL: not needed */
	bool (*is_stopped)(void *user);                            /* asked often */
};

struct scan {
	struct matcher *matcher;
	const struct scan_events *events;
	void *user;
	char *buffer;
	size_t len;           /* held */
	uint64_t line;        /* of the first byte held */
	uint64_t line_offset; /* bytes of this line that are gone already */
	bool skips;           /* the rest of this line is of no interest */
};

void scan_init(struct scan *s, struct matcher *matcher, const struct scan_events *events, void *user);
void scan_done(struct scan *s);

enum scan_result { SCAN_DONE, SCAN_BINARY, SCAN_STOPPED, SCAN_LIMIT /* of the matcher: the file is given up */ };

/* From the descriptor's position on: a scan_result or a negative errno. */
int scan_file(struct scan *s, int fd) MUST_CHECK;
