/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts that were asked for with an Idempotency-Key (R28, R102): the newest 1000, for an hour,
 * in memory only.  A key belongs to its principal.  Nothing is remembered of a start that failed.
 */
#pragma once

#include "base/clock.h"
#include "base/str.h"

enum { IDEMPOTENCY_KEYS = 1000, IDEMPOTENCY_HASH_SIZE = 32 };

#define IDEMPOTENCY_NS (3600 * NS_PER_S)

/* The first answer. */
struct idempotency_answer {
	const char *id, *command, *started_at;
	pid_t pid;
};

enum idempotency { IDEMPOTENCY_NEW, IDEMPOTENCY_AGAIN, IDEMPOTENCY_OTHER };

/* What this key was used for; AGAIN: with the answer, which stands until the next idempotency_put(). */
enum idempotency idempotency_find(const char *principal, struct str key,
	const uint8_t body[static IDEMPOTENCY_HASH_SIZE], int64_t now_ns, struct idempotency_answer *ret_answer);

void idempotency_put(const char *principal, struct str key, const uint8_t body[static IDEMPOTENCY_HASH_SIZE],
	int64_t now_ns, const struct idempotency_answer *answer);

void idempotency_clear(void);
