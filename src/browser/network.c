/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/network.h"

/* FNV-1a: nobody gains anything by two that are the same. */
static uint64_t hash(struct str id)
{
	uint64_t value = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < id.len; i++)
		value = (value ^ (unsigned char)id.p[i]) * UINT64_C(0x100000001b3);
	return value;
}

static size_t find(const struct network *n, uint64_t id)
{
	size_t at = 0;

	while (at < n->count && n->ids[at] != id)
		at++;
	return at;
}

void network_reset(struct network *n, int64_t now_ns)
{
	n->count = 0;
	n->quiet_since_ns = now_ns;
}

void network_begin(struct network *n, struct str id)
{
	uint64_t value = hash(id);

	if (n->count < NETWORK_REQUESTS_MAX && find(n, value) == n->count)
		n->ids[n->count++] = value;
}

void network_end(struct network *n, struct str id, int64_t now_ns)
{
	size_t at = find(n, hash(id));

	if (at == n->count)
		return;
	n->ids[at] = n->ids[--n->count];
	n->quiet_since_ns = now_ns;
}
