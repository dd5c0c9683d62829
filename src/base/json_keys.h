/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of one JSON object while it is read, to find one that comes twice.
 *
 * Small objects are compared name by name; from the ninth member on a hash table takes
 * over.  The hash is keyed per process with random bytes, so that nobody can send names
 * that all collide.  The table comes from the budget and lives as long as the object is open.
 */
#pragma once

#include "base/json.h"

struct json_keys {
	const struct json **slots; /* NULL while the object is small */
	size_t size, used;         /* size is a power of two */
};

/* Before the member becomes one of the object's: 0, -EEXIST, or -ENOMEM. */
int json_keys_add(struct json_keys *keys, const struct json *object, const struct json *member) MUST_CHECK;

void json_keys_free(struct json_keys *keys);
