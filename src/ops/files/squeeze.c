/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/squeeze.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

enum { ROOM = 64 * 1024, GZIP_LEVEL = 6, GZIP_MEMORY = 8, ZSTD_LEVEL = 3 };

static int deflate_all(z_stream *z, int flush, struct buf *out)
{
	do {
		char *room = buf_reserve(out, ROOM);

		if (!room)
			return -ENOMEM;
		z->next_out = (Bytef *)room;
		z->avail_out = ROOM;
		if (deflate(z, flush) == Z_STREAM_ERROR)
			return -EINVAL;
		buf_commit(out, ROOM - z->avail_out);
	} while (z->avail_out == 0);
	return 0;
}

/* The head says neither a name nor a time: the same files give the same bytes. */
void squeeze_gzip_head(struct buf *out)
{
	buf_add(out, "\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
}

int squeeze_gzip(const struct squeeze_block *block, struct buf *out, uint32_t *ret_sum)
{
	z_stream z = { .next_in = (z_const Bytef *)block->bytes.p, .avail_in = (uInt)block->bytes.len };
	int status;

	if (deflateInit2(&z, GZIP_LEVEL, Z_DEFLATED, -MAX_WBITS, GZIP_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	if (block->seed.len)
		deflateSetDictionary(&z, (const Bytef *)block->seed.p, (uInt)block->seed.len);
	/* A block that is not the last ends at a whole byte, so that the next can stand behind it. */
	status = deflate_all(&z, block->last ? Z_FINISH : Z_SYNC_FLUSH, out);
	deflateEnd(&z);
	*ret_sum = (uint32_t)crc32(0, (const Bytef *)block->bytes.p, (uInt)block->bytes.len);
	return status;
}

uint32_t squeeze_gzip_sum(uint32_t before, uint32_t sum, size_t len)
{
	return (uint32_t)crc32_combine(before, sum, (z_off_t)len);
}

void squeeze_gzip_tail(struct buf *out, uint32_t sum, uint64_t size)
{
	for (unsigned i = 0; i < 4; i++)
		buf_addc(out, (char)(sum >> 8 * i));
	for (unsigned i = 0; i < 4; i++)
		buf_addc(out, (char)(size >> 8 * i));
}

struct squeeze_zstd *squeeze_zstd_new(void)
{
	ZSTD_CCtx *z = ZSTD_createCCtx();

	if (!z)
		return NULL;
	ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
	return (struct squeeze_zstd *)z;
}

void squeeze_zstd_free(struct squeeze_zstd *z)
{
	ZSTD_freeCCtx((ZSTD_CCtx *)z);
}

int squeeze_zstd(struct squeeze_zstd *z, const struct squeeze_block *block, struct buf *out)
{
	ZSTD_inBuffer in = { block->bytes.p, block->bytes.len, 0 };
	size_t left;

	do {
		ZSTD_outBuffer to = { buf_reserve(out, ROOM), ROOM, 0 };

		if (!to.dst)
			return -ENOMEM;
		left = ZSTD_compressStream2((ZSTD_CCtx *)z, &to, &in, block->last ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return -ENOMEM; /* nothing else can go wrong */
		buf_commit(out, to.pos);
	} while (block->last ? left > 0 : in.pos < in.size);
	return 0;
}
