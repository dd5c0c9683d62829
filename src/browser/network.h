/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which requests of a document are under way, and since when there is none.
 *
 * Only so many are remembered; a page that starts more at once is waited for as if the others did
 * not exist.
 */
#pragma once

#include "base/str.h"

enum { NETWORK_REQUESTS_MAX = 512 };

struct network {
	uint64_t ids[NETWORK_REQUESTS_MAX]; /* hashes of the browser's names for them */
	size_t count;
	int64_t quiet_since_ns; /* when the last one ended */
};

void network_reset(struct network *n, int64_t now_ns);
void network_begin(struct network *n, struct str id);
void network_end(struct network *n, struct str id, int64_t now_ns);
