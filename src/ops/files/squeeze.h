/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compression of a stream that comes in blocks.  Takes its time: only in workers.
 *
 * gzip: each block is compressed apart from the others, so that several workers do it at once, with what
 * stands before it as its dictionary; head, blocks in their order and tail are one stream of one member.
 * zstd: one block after the other, with the state that the last one left.
 */
#pragma once

#include "base/buf.h"

enum { SQUEEZE_SEED = 32 * 1024 }; /* how far back gzip looks */

struct squeeze_block {
	struct str seed, bytes; /* seed: the last bytes before, as many as there are */
	bool last;
};

void squeeze_gzip_head(struct buf *out);
int squeeze_gzip(const struct squeeze_block *block, struct buf *out, uint32_t *ret_sum) MUST_CHECK;
/* Makes of the sum of what came before, and that of a block, the sum of both. */
uint32_t squeeze_gzip_sum(uint32_t before, uint32_t sum, size_t len);
void squeeze_gzip_tail(struct buf *out, uint32_t sum, uint64_t size);

struct squeeze_zstd;
struct squeeze_zstd *squeeze_zstd_new(void); /* NULL: no memory */
void squeeze_zstd_free(struct squeeze_zstd *z);
int squeeze_zstd(struct squeeze_zstd *z, const struct squeeze_block *block, struct buf *out) MUST_CHECK;
