/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chunked transfer coding (RFC 9112, 7.1).  The reader is strict: CRLF only, 1 to 15 hex
 * digits, extensions of at most 1024 bytes a chunk which are ignored, trailer fields of at
 * most 4 KiB in all which are dropped.
 */
#pragma once

#include "base/buf.h"

struct chunked {
	int state;
	uint64_t left;          /* bytes of this chunk not yet seen */
	unsigned digits, extra; /* of the size line; bytes of extension or trailer */
};

void chunked_init(struct chunked *c);

/*
 * Looks at bytes and says how many it took (the result, >= 0; -EINVAL when malformed).
 * *ret_data is the stretch among those taken that is body, possibly empty; the caller calls
 * again with the rest until all is taken or chunked_done().
 */
ssize_t chunked_read(struct chunked *c, struct str bytes, struct str *ret_data) MUST_CHECK;
bool chunked_done(const struct chunked *c);

enum { CHUNKED_HEAD_MAX = 18, CHUNKED_END_LEN = 5 };

/* Out: the line before and the CRLF after len bytes (len > 0), and the end. */
size_t chunked_head(char to[static CHUNKED_HEAD_MAX], size_t len);
#define CHUNKED_TAIL "\r\n"
#define CHUNKED_END "0\r\n\r\n"
