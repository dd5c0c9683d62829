/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ops/files/squeeze.h"

#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

enum { SIZE = 700000, OUT_MAX = 4 << 20 };

static unsigned char plain[SIZE], back[SIZE + 1];

/* Text that repeats itself from far away, and some that never does. */
static void fill(void)
{
	uint32_t state = 1;

	for (size_t i = 0; i < SIZE; i++) {
		state = state * 1664525 + 1013904223;
		plain[i] = i % 5000 < 4000 && i > 30000 ? plain[i - 30000] : (unsigned char)(state >> 24);
	}
}

static struct squeeze_block block_at(size_t at, size_t size)
{
	size_t seed = MIN(at, (size_t)SQUEEZE_SEED), len = MIN(size, SIZE - at);

	return (struct squeeze_block){
		.seed = { (char *)plain + at - seed, seed },
		.bytes = { (char *)plain + at, len },
		.last = at + len == SIZE,
	};
}

/* In blocks of this size; they are compressed from the last to the first, as workers may do it. */
static void gzip_by(size_t size, struct buf *out)
{
	size_t count = (SIZE + size - 1) / size;
	struct buf *parts = mem_alloc(count * sizeof *parts);
	uint32_t *sums = mem_alloc(count * sizeof *sums), sum = 0;

	for (size_t i = count; i-- > 0;) {
		struct squeeze_block block = block_at(i * size, size);

		buf_init(&parts[i], OUT_MAX);
		assert_int_equal(squeeze_gzip(&block, &parts[i], &sums[i]), 0);
	}
	squeeze_gzip_head(out);
	for (size_t i = 0; i < count; i++) {
		buf_add(out, parts[i].data, parts[i].len);
		sum = squeeze_gzip_sum(sum, sums[i], block_at(i * size, size).bytes.len);
		buf_free(&parts[i]);
	}
	squeeze_gzip_tail(out, sum, SIZE);
	free(parts);
	free(sums);
}

static void test_gzip_is_one_member(void **state)
{
	size_t sizes[] = { 1000, 32768, 262144, SIZE };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		AUTOBUF struct buf out;
		z_stream z = { 0 };

		buf_init(&out, OUT_MAX);
		gzip_by(sizes[i], &out);
		assert_false(buf_failed(&out));
		assert_int_equal(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
		z.next_in = (Bytef *)out.data;
		z.avail_in = (uInt)out.len;
		z.next_out = back;
		z.avail_out = sizeof back;
		assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
		assert_int_equal(z.total_out, SIZE);
		assert_int_equal(z.avail_in, 0);
		assert_memory_equal(back, plain, SIZE);
		inflateEnd(&z);
	}
}

static void test_blocks_look_back(void **state)
{
	AUTOBUF struct buf whole, parts;

	(void)state;
	buf_init(&whole, OUT_MAX);
	buf_init(&parts, OUT_MAX);
	gzip_by(SIZE, &whole);
	gzip_by(65536, &parts);
	assert_true(parts.len < whole.len + whole.len / 20);
}

static void test_zstd_is_one_frame(void **state)
{
	struct squeeze_zstd *z = squeeze_zstd_new();
	AUTOBUF struct buf out;

	(void)state;
	buf_init(&out, OUT_MAX);
	for (size_t at = 0; at < SIZE; at += 100000) {
		struct squeeze_block block = block_at(at, 100000);

		assert_int_equal(squeeze_zstd(z, &block, &out), 0);
	}
	squeeze_zstd_free(z);
	assert_int_equal(ZSTD_findFrameCompressedSize(out.data, out.len), out.len);
	assert_int_equal(ZSTD_decompress(back, sizeof back, out.data, out.len), SIZE);
	assert_memory_equal(back, plain, SIZE);
}

static void test_no_room(void **state)
{
	struct squeeze_zstd *z = squeeze_zstd_new();
	struct squeeze_block block = block_at(0, SIZE);
	AUTOBUF struct buf out;
	uint32_t sum;

	(void)state;
	buf_init(&out, 1000);
	assert_true(squeeze_gzip(&block, &out, &sum) < 0);
	assert_true(squeeze_zstd(z, &block, &out) < 0);
	squeeze_zstd_free(z);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gzip_is_one_member),
		cmocka_unit_test(test_blocks_look_back),
		cmocka_unit_test(test_zstd_is_one_frame),
		cmocka_unit_test(test_no_room),
	};

	fill();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
