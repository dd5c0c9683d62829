/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes into lines, as they come: what a worker writes.  A line is bounded, and what is held of an
 * unfinished one comes from the budget; where that is used up the line is lost but for its head.
 */
#pragma once

#include "base/buf.h"

struct lines;

/* One line without its newline, which may be changed in place.  False: no more of them. */
typedef bool lines_fn(struct lines *l, char *line, size_t len);

enum { LINES_HEAD = 64 };

struct lines {
	struct buf buf; /* the beginning of a line */
	lines_fn *fn;
	bool is_lost; /* of the line that fn is given: only its head is there */
	char head[LINES_HEAD];
	size_t head_len;
};

void lines_init(struct lines *l, size_t line_max, lines_fn *fn);
void lines_free(struct lines *l);

/* 0, or -EMSGSIZE: a line is longer than it may be. */
int lines_add(struct lines *l, struct str bytes) MUST_CHECK;
