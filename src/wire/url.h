/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Request targets and queries.  The path is split at '/' before it is decoded, so that a
 * %2F is never a separator; decoding happens once; a bad escape or %00 is refused.
 * What needs no decoding points into the text given, which must stay.
 */
#pragma once

#include "base/arena.h"

enum { URL_SEGMENTS_MAX = 8 };

struct url {
	struct str segments
		[URL_SEGMENTS_MAX]; /* decoded; "/" has none; empty ones (doubled slashes, a final one) are left out */
	size_t count;
	bool too_deep;    /* more segments than that: no op has this path */
	struct str query; /* raw, without '?' */
};

/*
 * Origin form, or absolute form with http or https (whose authority must equal the Host, which
 * is the caller's to check: *ret_authority is empty for origin form).  "*" has no segments; a user
 * in the authority, the authority form and a fragment are refused.
 * 0, -EINVAL, or -ENOMEM at the arena's limit.
 */
int url_parse(struct arena *arena, struct str target, struct url *ret_url, struct str *ret_authority) MUST_CHECK;

struct url_pair {
	struct str name, value; /* decoded: '+' is a blank, %2B a plus; the bytes need not be UTF-8 */
	bool has_value;         /* there was a '=' */
};

/* The next pair of *query, which is moved behind it: 1, 0 at the end, -EINVAL, -ENOMEM.  Empty ones are skipped. */
int url_query_next(struct arena *arena, struct str *query, struct url_pair *ret_pair) MUST_CHECK;

/* Percent-encodes everything but unreserved characters and, where asked, '/'. */
struct buf;
void url_encode(struct buf *out, struct str bytes, bool keep_slash);
