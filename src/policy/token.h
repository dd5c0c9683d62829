/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens: what a secret's digest is, how it is compared, when it ends.
 *
 * Only digests are compared, all of the same length, and every configured one each time, so
 * that the time taken tells nothing of how near a guess came or which token it was.
 */
#pragma once

#include "base/err.h"

enum { TOKEN_HASH_SIZE = 32, TOKEN_BYTES_MAX = 4096 };

void token_digest(struct str secret, uint8_t ret_hash[static TOKEN_HASH_SIZE]);

/* 64 hexadecimal digits, either case: 0 or -EINVAL. */
int token_parse_digest(struct str hex, uint8_t ret_hash[static TOKEN_HASH_SIZE]) MUST_CHECK;

/* The index of the hash that is equal, or -1; takes the same time for every outcome. */
ptrdiff_t token_find(
	const uint8_t (*hashes)[TOKEN_HASH_SIZE], size_t count, const uint8_t hash[static TOKEN_HASH_SIZE]);

bool token_equal(struct str a, struct str b);

/* "2027-01-01T00:00:00Z", a fraction and an offset allowed, or a date alone (its first moment, UTC): 0 or -EINVAL. */
int token_parse_time(struct str text, int64_t *ret_seconds) MUST_CHECK;

/*
 * A secret that can be sent in a header and is one: not empty or blank, no control characters,
 * no blank at either end.  `what` names it in the message.
 */
int token_check(struct str secret, const char *what, struct err *err) MUST_CHECK;

/* The secret of a file, without its final newline: to be freed by the caller.  NULL with err. */
char *token_read_file(const char *path, struct err *err);
