/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The matches that a grep answers, with the lines around them, within what an answer may hold.
 * Everything lives in the call's arena, but for the lines that may come to stand before a match.
 */
#pragma once

#include "call/call.h"
#include "ops/files/scan.h"

enum { HITS_CONTEXT_MAX = 50 };

struct hit {
	struct str path, path_b64;
	int64_t line, column;
	struct str text;
	bool cut, lossy;
	struct list before, after; /* items NULL: no context was asked for */
	struct hit *previous;
};

struct recent;

struct hits {
	struct call *call;
	size_t most, context;
	struct str path; /* of the current file; the arena's after its first hit */
	bool path_kept;
	struct hit *last;
	size_t count, in_file;
	size_t cost;           /* about the bytes of the answer */
	bool full;             /* there are more */
	bool failed;           /* call->err is filled in */
	struct recent *recent; /* a ring of the last `context` lines */
	size_t recent_count;   /* lines put into it, of this file */
};

void hits_init(struct hits *h, struct call *call, size_t most, size_t context);
void hits_done(struct hits *h);

/* The path must live until the next file. */
void hits_file(struct hits *h, struct str path);

/* As scan_events want them: false when nothing more is needed of this file. */
bool hits_match(struct hits *h, const struct scan_match *match);
bool hits_line(struct hits *h, uint64_t line, struct str text);

/* As an array sorted by path and line: 0 or -1 with call->err. */
int hits_list(struct hits *h, struct list *ret_list) MUST_CHECK;
