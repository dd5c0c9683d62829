/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_keys.h"

#include "base/budget.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

enum { COMPARED_MAX = 8, FIRST_SIZE = 32 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint64_t seed[2];

static void make_seed(void)
{
	struct timespec now;

	if (getrandom(seed, sizeof seed, GRND_NONBLOCK) == (ssize_t)sizeof seed)
		return;
	/* Without random bytes the clock and where we were loaded are what a client knows least. */
	clock_gettime(CLOCK_MONOTONIC, &now);
	seed[0] = (uint64_t)now.tv_nsec * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)now.tv_sec;
	seed[1] = (uint64_t)(uintptr_t)&now ^ (uint64_t)(uintptr_t)&make_seed << 17;
}

static uint64_t rotate(uint64_t v, int by)
{
	return v << by | v >> (64 - by);
}

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] = rotate(v[0], 32) + v[3];
	v[2] += v[1];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] = rotate(v[2], 32);
}

static void sip_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	sip_round(v);
	v[0] ^= word;
}

/* SipHash-1-3 in this machine's byte order. */
static uint64_t hash(struct str key)
{
	uint64_t v[4] = { seed[0] ^ UINT64_C(0x736f6d6570736575), seed[1] ^ UINT64_C(0x646f72616e646f6d),
		seed[0] ^ UINT64_C(0x6c7967656e657261), seed[1] ^ UINT64_C(0x7465646279746573) };
	uint64_t last = (uint64_t)key.len << 56;
	size_t left = key.len;
	uint64_t word;

	for (; left >= sizeof word; left -= sizeof word) {
		memcpy(&word, key.p + key.len - left, sizeof word);
		sip_word(v, word);
	}
	for (size_t i = 0; i < left; i++)
		last |= (uint64_t)(unsigned char)key.p[key.len - left + i] << (8 * i);
	sip_word(v, last);
	v[2] ^= 0xff;
	for (int i = 0; i < 3; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* Where the member's name stands, or the empty slot where it belongs. */
static const struct json **slot_of(const struct json_keys *keys, struct str key)
{
	size_t at = hash(key) & (keys->size - 1);

	while (keys->slots[at] && !str_eq(keys->slots[at]->key, key))
		at = (at + 1) & (keys->size - 1);
	return &keys->slots[at];
}

/* Makes the table anew with all members of the object. */
static int rebuild(struct json_keys *keys, const struct json *object, size_t size)
{
	struct json_keys larger = { .size = size };

	if (!budget_take(size * sizeof *larger.slots))
		return -ENOMEM;
	larger.slots = calloc(size, sizeof *larger.slots);
	if (!larger.slots) {
		budget_give(size * sizeof *larger.slots);
		return -ENOMEM;
	}
	for (const struct json *member = object->first; member; member = member->next)
		*slot_of(&larger, member->key) = member;
	larger.used = object->count;
	json_keys_free(keys);
	*keys = larger;
	return 0;
}

static int compare_all(const struct json *object, struct str key)
{
	for (const struct json *member = object->first; member; member = member->next) {
		if (str_eq(member->key, key))
			return -EEXIST;
	}
	return 0;
}

int json_keys_add(struct json_keys *keys, const struct json *object, const struct json *member)
{
	const struct json **slot;

	if (object->count < COMPARED_MAX)
		return compare_all(object, member->key);
	pthread_once(&once, make_seed);
	if (keys->used >= keys->size / 4 * 3) {
		int rc = rebuild(keys, object, keys->size ? keys->size * 2 : (size_t)FIRST_SIZE);

		if (rc < 0)
			return rc;
	}
	slot = slot_of(keys, member->key);
	if (*slot)
		return -EEXIST;
	*slot = member;
	keys->used++;
	return 0;
}

void json_keys_free(struct json_keys *keys)
{
	if (!keys->slots)
		return;
	free(keys->slots);
	budget_give(keys->size * sizeof *keys->slots);
	*keys = (struct json_keys){ .slots = NULL };
}
