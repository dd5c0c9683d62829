/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditional and range headers of RFC 9110, for one file.
 */
#pragma once

#include "base/str.h"

enum range_kind {
	RANGE_WHOLE,         /* no range, another unit, several ranges or bad syntax: the whole file */
	RANGE_PART,          /* first to last, both included and inside the file */
	RANGE_UNSATISFIABLE, /* 416 */
};

struct range {
	enum range_kind kind;
	uint64_t first, last;
};

/* The value of a Range header against a file of size bytes. */
struct range range_parse(struct str value, uint64_t size);

/*
 * Whether an If-Match or If-None-Match list holds the tag, given with its quotes ("*" holds any).
 * weak: W/ prefixes are ignored; else a tag that has one equals none.
 */
bool etag_list_has(struct str list, struct str tag, bool weak);

/* An HTTP date in any of the three forms as seconds since 1970 (years of two digits: 1970 to 2069): 0 or -EINVAL. */
int http_date_parse(struct str value, int64_t *ret_seconds) MUST_CHECK;

/*
 * Whether an Accept header takes what we have by name with q > 0.  Wildcards do not count, but where we
 * have one kind or another of a family (a star behind the slash) every name of that family does.
 */
bool accept_names(struct str accept, const char *media_type);
