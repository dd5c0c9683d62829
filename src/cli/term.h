/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What depends on whether a person looks at a terminal: colours, the progress line, and
 * foreign text that must not be able to drive the terminal.
 */
#pragma once

#include "base/buf.h"

bool term_is_out(void); /* stdout is a terminal */
bool term_is_err(void);
bool term_has_colour(void); /* stdout is a terminal and NO_COLOR is not set */

/* Text with control characters and bytes that are not UTF-8 as \xNN. */
void term_escape(struct buf *to, struct str text);

/* The same, to stdout; on a pipe the bytes as they are. */
void term_print(struct str text);

/* A line on stderr that redraws itself, on a terminal and without --quiet only.  total 0: not known. */
struct progress {
	const char *name;
	uint64_t done, total;
	int64_t started_ns, drawn_ns;
	bool on;
};

void term_progress_start(struct progress *p, const char *name, uint64_t total, bool quiet);
void term_progress_add(struct progress *p, size_t bytes);
void term_progress_end(struct progress *p);
void term_progress_clear(void); /* before another line is written to stderr */

/* "1.4 MiB"; returns text. */
enum { TERM_SIZE_TEXT = 24 };
char *term_size(uint64_t bytes, char text[static TERM_SIZE_TEXT]);
