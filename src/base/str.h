/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stretch of bytes that somebody else owns.  Not terminated; may hold NUL.
 */
#pragma once

#include "base/base.h"

#include <string.h>

struct str {
	const char *p;
	size_t len;
};

#define STR(literal) ((struct str){ (literal), sizeof(literal) - 1 })
#define STR_FMT "%.*s"
#define STR_ARG(s) (int)(s).len, (s).p

static inline struct str str_of(const char *text)
{
	return (struct str){ text, text ? strlen(text) : 0 };
}

static inline bool str_eq(struct str a, struct str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

static inline bool str_is(struct str a, const char *text)
{
	return str_eq(a, str_of(text));
}

/* ASCII letters compare without regard to case. */
bool str_is_nocase(struct str a, const char *text);

bool str_starts(struct str a, const char *prefix);
bool str_has(struct str a, char c);

/* Splits at the first `sep`: returns what stands before it, leaves the rest in *rest. */
struct str str_cut(struct str *rest, char sep);

/* Without blanks and tabs at both ends. */
struct str str_trim(struct str a);

/* Unsigned decimal, digits only, at most 18 of them: 0 or -EINVAL. */
int str_to_u64(struct str a, uint64_t *ret_value) MUST_CHECK;

/* 0 to 15 for a hexadecimal digit of either case, else -1. */
int str_hex_digit(char c);

/* How many single-character edits turn a into b; for "did you mean". */
size_t str_distance(struct str a, struct str b);

/* The entry of a NULL-terminated list nearest to `word`, or NULL when none is near. */
const char *str_nearest(struct str word, const char *const *list);
