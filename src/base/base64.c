/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base64.h"

#include <endian.h>
#include <errno.h>
#include <pthread.h>

enum alphabet { STANDARD, FOR_URLS };

static const char alphabets[2][64 + 1] = {
	[STANDARD] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
	[FOR_URLS] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
};

enum { BAD = 0x80 };

/* Both characters of every twelve bits: half as many look-ups. */
static char pairs[2][64 * 64][2];

/* The six bits of each character of both alphabets. */
static uint8_t sextets[256];

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_tables(void)
{
	memset(sextets, BAD, sizeof sextets);
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		for (size_t bits = 0; bits < ARRAY_LEN(pairs[i]); bits++) {
			pairs[i][bits][0] = alphabets[i][bits / 64];
			pairs[i][bits][1] = alphabets[i][bits % 64];
		}
		for (size_t bits = 0; bits < 64; bits++)
			sextets[(unsigned char)alphabets[i][bits]] = (uint8_t)bits;
	}
}

size_t base64_encoded_len(size_t len)
{
	return len / 3 * 4 + (len % 3 ? 4 : 0);
}

static char *encode_3(char *to, const uint8_t *from, enum alphabet which)
{
	uint32_t bits = (uint32_t)from[0] << 16 | (uint32_t)from[1] << 8 | from[2];

	memcpy(to, pairs[which][bits >> 12], 2);
	memcpy(to + 2, pairs[which][bits & 0xfff], 2);
	return to + 4;
}

/* Six bytes at a time, read as eight; returns how many bytes are done. */
static size_t encode_blocks(char *to, struct str bytes, enum alphabet which)
{
	const char(*const pair)[2] = pairs[which];
	size_t done = 0;

	for (; bytes.len - done >= sizeof(uint64_t); done += 6, to += 8) {
		uint64_t bits;

		memcpy(&bits, bytes.p + done, sizeof bits);
		bits = be64toh(bits);
		memcpy(to, pair[bits >> 52], 2);
		memcpy(to + 2, pair[bits >> 40 & 0xfff], 2);
		memcpy(to + 4, pair[bits >> 28 & 0xfff], 2);
		memcpy(to + 6, pair[bits >> 16 & 0xfff], 2);
	}
	return done;
}

/* Returns what stands behind the text. */
static char *encode(char *to, struct str bytes, enum alphabet which, bool pad)
{
	size_t done = encode_blocks(to, bytes, which);
	const uint8_t *from = (const uint8_t *)bytes.p + done;
	size_t left = bytes.len - done;

	to += done / 3 * 4;
	for (; left >= 3; left -= 3, from += 3)
		to = encode_3(to, from, which);
	if (left) {
		uint8_t last[3] = { from[0], left > 1 ? from[1] : 0, 0 };
		char *behind = encode_3(to, last, which);

		to += left + 1;
		while (pad && to < behind)
			*to++ = '=';
	}
	return to;
}

static void append(struct buf *out, struct str bytes, enum alphabet which, bool pad)
{
	char *to;

	if (bytes.len == 0)
		return;
	to = buf_reserve(out, bytes.len > SIZE_MAX / 2 ? SIZE_MAX : base64_encoded_len(bytes.len));
	if (!to)
		return;
	pthread_once(&once, make_tables);
	buf_commit(out, (size_t)(encode(to, bytes, which, pad) - to));
}

void base64_encode(struct buf *out, struct str bytes)
{
	append(out, bytes, STANDARD, true);
}

void base64url_encode(struct buf *out, struct str bytes)
{
	append(out, bytes, FOR_URLS, false);
}

static ssize_t decode_last(uint8_t *to, const uint8_t *from, size_t count)
{
	uint8_t a, b, c;

	if (count == 0)
		return 0;
	if (count == 1)
		return -EINVAL;
	a = sextets[from[0]];
	b = sextets[from[1]];
	c = count == 3 ? sextets[from[2]] : 0;
	/* The bits behind the last byte must be zero, or two texts would mean the same bytes. */
	if ((a | b | c) & BAD || (count == 2 ? b & 15 : c & 3))
		return -EINVAL;
	to[0] = (uint8_t)(a << 2 | b >> 4);
	if (count == 3)
		to[1] = (uint8_t)(b << 4 | c >> 2);
	return (ssize_t)count - 1;
}

ssize_t base64_decode(char *to, struct str text)
{
	const uint8_t *from = (const uint8_t *)text.p;
	uint8_t *out = (uint8_t *)to;
	size_t left = text.len;
	size_t padding = 0;
	unsigned bad = 0;
	ssize_t last;

	pthread_once(&once, make_tables);
	while (padding < 2 && padding < left && from[left - 1 - padding] == '=')
		padding++;
	if (padding && left % 4)
		return -EINVAL;
	left -= padding;
	for (; left >= 4; left -= 4, from += 4, out += 3) {
		unsigned a = sextets[from[0]], b = sextets[from[1]], c = sextets[from[2]], d = sextets[from[3]];

		bad |= a | b | c | d;
		out[0] = (uint8_t)(a << 2 | b >> 4);
		out[1] = (uint8_t)(b << 4 | c >> 2);
		out[2] = (uint8_t)(c << 6 | d);
	}
	if (bad & BAD)
		return -EINVAL;
	last = decode_last(out, from, left);
	return last < 0 ? last : (ssize_t)((char *)out - to) + last;
}
