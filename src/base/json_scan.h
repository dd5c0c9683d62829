/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a JSON string stops being plain: the one loop that reading and writing share.
 *
 * Plain is printable ASCII but quote and backslash; what is not (those two, controls,
 * DEL, all bytes from 0x80) is for the caller to look at.
 */
#pragma once

#include "base/str.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static inline bool json_is_plain(char c)
{
	unsigned char u = (unsigned char)c;

	return u >= 0x20 && u < 0x7f && u != '"' && u != '\\';
}

#ifdef __SSE2__
static inline size_t json_plain_blocks(const char *p, size_t len)
{
	const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
	const __m128i space = _mm_set1_epi8(' '), del = _mm_set1_epi8(0x7f);
	size_t done = 0;

	for (; len - done >= sizeof(__m128i); done += sizeof(__m128i)) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(p + done));
		/* The comparison is signed: bytes from 0x80 are below the space too. */
		__m128i low = _mm_or_si128(_mm_cmplt_epi8(bytes, space), _mm_cmpeq_epi8(bytes, del));
		__m128i named = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash));
		int mask = _mm_movemask_epi8(_mm_or_si128(low, named));

		if (mask)
			return done + (size_t)__builtin_ctz((unsigned)mask);
	}
	return done;
}
#else
/* The high bit of every byte that is zero, and perhaps of bytes above such a one: good enough to stop. */
static inline uint64_t json_zero_bytes(uint64_t v)
{
	return (v - UINT64_C(0x0101010101010101)) & ~v & UINT64_C(0x8080808080808080);
}

static inline size_t json_plain_blocks(const char *p, size_t len)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	size_t done = 0;

	for (; len - done >= sizeof(uint64_t); done += sizeof(uint64_t)) {
		uint64_t v, bad;

		memcpy(&v, p + done, sizeof v);
		bad = (v & ones * 0x80) | ((v - ones * 0x20) & ~v & ones * 0x80);
		bad |= json_zero_bytes(v ^ ones * '"') | json_zero_bytes(v ^ ones * '\\') |
		       json_zero_bytes(v ^ ones * 0x7f);
		if (bad)
			break;
	}
	return done;
}
#endif

/* How many bytes from the front are plain. */
static inline size_t json_plain_len(const char *p, size_t len)
{
	size_t done = json_plain_blocks(p, len);

	while (done < len && json_is_plain(p[done]))
		done++;
	return done;
}
