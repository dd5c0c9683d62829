/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last bytes of a stream: what a program said before it failed.
 */
#pragma once

#include "base/str.h"

enum { TAIL_SIZE = 4096 };

struct tail {
	char bytes[TAIL_SIZE];
	uint64_t total; /* of the stream so far */
};

void tail_add(struct tail *t, struct str bytes);

/* What is kept of the bytes from offset `from` on, without a character cut at its front. */
struct str tail_since(const struct tail *t, uint64_t from, char to[static TAIL_SIZE]);
