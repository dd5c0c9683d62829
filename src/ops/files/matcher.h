/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A regular expression (PCRE2) or a fixed text, looked for in one line at a time.
 *
 * Bytes that are not UTF-8 match nothing and break nothing.  A match that needs too many steps
 * is given up.  One thread at a time.
 */
#pragma once

#include "base/err.h"

struct matcher;

struct matcher_how {
	bool literal, ignore_case;
};

/* NULL with err: args.invalid with the offset of what is wrong. */
struct matcher *matcher_new(struct str pattern, struct matcher_how how, struct err *err);
void matcher_free(struct matcher *m);

/* The text where it is all that is looked for, and blocks of lines may be searched with memmem(); else p NULL. */
struct str matcher_literal(const struct matcher *m);

/* A line or a part of one. */
struct matcher_text {
	struct str text;
	bool begin_cut, end_cut; /* it goes on there */
};

enum matcher_result { MATCHER_NONE, MATCHER_FOUND, MATCHER_LIMIT };

/* The first match that begins at `from` or behind it, before `until`. */
enum matcher_result matcher_find(struct matcher *m, const struct matcher_text *in, size_t from, size_t until,
	size_t *ret_start, size_t *ret_end);
