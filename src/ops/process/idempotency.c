/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/process/idempotency.h"

#include <nettle/sha2.h>
#include <stdlib.h>

_Static_assert(IDEMPOTENCY_HASH_SIZE == SHA256_DIGEST_SIZE, "hashes are SHA-256");

struct entry {
	uint8_t name[IDEMPOTENCY_HASH_SIZE]; /* of principal and key: of one size, whatever was sent */
	uint8_t body[IDEMPOTENCY_HASH_SIZE];
	int64_t at_ns;
	char *id, *command, *started_at; /* id NULL: a free place */
	pid_t pid;
};

/* A ring: the oldest makes room.  Made at the first use, most servers never need it. */
static struct entry *entries;
static size_t next;

static void hash_name(const char *principal, struct str key, uint8_t ret_hash[static IDEMPOTENCY_HASH_SIZE])
{
	struct sha256_ctx sha;

	sha256_init(&sha);
	sha256_update(&sha, strlen(principal) + 1, (const uint8_t *)principal);
	sha256_update(&sha, key.len, (const uint8_t *)key.p);
	sha256_digest(&sha, IDEMPOTENCY_HASH_SIZE, ret_hash);
}

static bool is_used(const struct entry *e, int64_t now_ns)
{
	return e->id && now_ns - e->at_ns < IDEMPOTENCY_NS;
}

static void drop(struct entry *e)
{
	free(e->id);
	free(e->command);
	free(e->started_at);
	*e = (struct entry){ 0 };
}

enum idempotency idempotency_find(const char *principal, struct str key,
	const uint8_t body[static IDEMPOTENCY_HASH_SIZE], int64_t now_ns, struct idempotency_answer *ret_answer)
{
	uint8_t name[IDEMPOTENCY_HASH_SIZE];

	hash_name(principal, key, name);
	for (size_t i = 0; entries && i < IDEMPOTENCY_KEYS; i++) {
		const struct entry *e = &entries[i];

		if (!is_used(e, now_ns) || memcmp(e->name, name, sizeof name) != 0)
			continue;
		if (memcmp(e->body, body, IDEMPOTENCY_HASH_SIZE) != 0)
			return IDEMPOTENCY_OTHER;
		*ret_answer = (struct idempotency_answer){ e->id, e->command, e->started_at, e->pid };
		return IDEMPOTENCY_AGAIN;
	}
	return IDEMPOTENCY_NEW;
}

void idempotency_put(const char *principal, struct str key, const uint8_t body[static IDEMPOTENCY_HASH_SIZE],
	int64_t now_ns, const struct idempotency_answer *answer)
{
	struct entry *e;

	if (!entries)
		entries = mem_alloc(IDEMPOTENCY_KEYS * sizeof *entries);
	e = &entries[next];
	next = (next + 1) % IDEMPOTENCY_KEYS;
	drop(e);
	hash_name(principal, key, e->name);
	memcpy(e->body, body, IDEMPOTENCY_HASH_SIZE);
	e->at_ns = now_ns;
	e->id = mem_strdup(answer->id);
	e->command = mem_strdup(answer->command);
	e->started_at = mem_strdup(answer->started_at);
	e->pid = answer->pid;
}

void idempotency_clear(void)
{
	for (size_t i = 0; entries && i < IDEMPOTENCY_KEYS; i++)
		drop(&entries[i]);
	free(take_ptr(entries));
	next = 0;
}
