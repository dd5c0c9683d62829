/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first bytes of one stream, and the count of all (R03).  What is kept is taken from the
 * process's budget; when that is used up, less is kept and it is told as truncated; the first 4 KiB are always there.
 */
#pragma once

#include "base/str.h"

struct capture {
	char *data;
	size_t len, size, max;
	uint64_t total;
	bool full;
};

void capture_init(struct capture *c, size_t max);
void capture_add(struct capture *c, struct str bytes);
void capture_free(struct capture *c);

/* What was kept; as text without a character that the limit cut. */
struct str capture_bytes(const struct capture *c, bool as_text);

static inline bool capture_truncated(const struct capture *c)
{
	return c->total > c->len;
}
