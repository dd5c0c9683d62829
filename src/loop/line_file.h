/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines that go to the end of a file, by a thread of their own: who puts one never waits.
 *
 * A line is a JSON object without its closing brace, which the thread adds.  What cannot be
 * written (a full disk, a pipe that nobody reads, more than the queue's limit) is lost and
 * counted; the next line that reaches the file carries "lost": how many are missing before it.
 * A line that was written in part is left torn, and the next begins on a line of its own.
 *
 * Whoever makes one owns it; put, switch, figures and free are called by one thread.
 */
#pragma once

#include "base/str.h"

struct line_file;

/* written and lost: lines since the start. number: errno of the last loss, 0 when the last line was written; ENOBUFS: the queue was full. */
struct line_file_figures {
	uint64_t written, lost;
	int number;
};

enum { LINE_FILE_LINE_MAX = 4000 }; /* a pipe takes so much whole or not at all */

/*
 * Opens for appending, made with mode 0600 when it is not there: a descriptor or a negative
 * errno.  No symbolic link is followed; a pipe is opened whether anybody reads it or not.
 */
int line_file_open(const char *path) MUST_CHECK;
/* What stands against it, as a negative errno, or 0; nothing is made, and no reader of a pipe sees a writer come and go. */
int line_file_try(const char *path) MUST_CHECK;

struct line_file *line_file_new(int fd, size_t limit); /* takes over fd; limit: bytes that wait */
void line_file_put(struct line_file *f, struct str line);
/* Lines that are put from now on go to fd, which is taken over; -1: nowhere. */
void line_file_switch(struct line_file *f, int fd);
struct line_file_figures line_file_figures(struct line_file *f);
/* Writes what waits, but for wait_ns at most; NULL is fine. */
void line_file_free(struct line_file *f, int64_t wait_ns);
