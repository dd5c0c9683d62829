/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

/* How many bytes a character has that begins with this byte; 0 when none does. */
static size_t full_len(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead < 0xc2)
		return 0;
	if (lead < 0xe0)
		return 2;
	if (lead < 0xf0)
		return 3;
	return lead < 0xf5 ? 4 : 0;
}

/* The second byte is where overlong forms, surrogates and what lies over U+10FFFF are told. */
static bool second_fits(unsigned char lead, unsigned char second)
{
	switch (lead) {
	case 0xe0:
		return second >= 0xa0 && second <= 0xbf;
	case 0xed:
		return second >= 0x80 && second <= 0x9f;
	case 0xf0:
		return second >= 0x90 && second <= 0xbf;
	case 0xf4:
		return second >= 0x80 && second <= 0x8f;
	default:
		return (second & 0xc0) == 0x80;
	}
}

/* How many bytes at the front are the beginning of one character, at most *ret_full of them. */
static size_t begun_len(const char *text, size_t len, size_t *ret_full)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t full = len ? full_len(p[0]) : 0;
	size_t begun = 1;

	*ret_full = full;
	if (full == 0)
		return 0;
	if (full == 1 || len == 1 || !second_fits(p[0], p[1]))
		return 1;
	while (++begun < full && begun < len && (p[begun] & 0xc0) == 0x80)
		;
	return begun;
}

static size_t ascii_len(const char *p, size_t len)
{
	size_t done = 0;

	for (; len - done >= sizeof(uint64_t); done += sizeof(uint64_t)) {
		uint64_t v;

		memcpy(&v, p + done, sizeof v);
		if (v & UINT64_C(0x8080808080808080))
			break;
	}
	while (done < len && (unsigned char)p[done] < 0x80)
		done++;
	return done;
}

size_t utf8_valid_prefix(struct str text)
{
	size_t done = 0;

	while (done < text.len) {
		const char *p = text.p + done;
		size_t left = text.len - done;
		size_t len = (unsigned char)*p < 0x80 ? ascii_len(p, left) : utf8_char_len((struct str){ p, left });

		if (len == 0)
			break;
		done += len;
	}
	return done;
}

bool utf8_valid(struct str text)
{
	return utf8_valid_prefix(text) == text.len;
}

static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

size_t utf8_incomplete_tail(struct str text)
{
	for (size_t back = 1; back <= 3 && back <= text.len; back++) {
		const char *p = text.p + text.len - back;
		size_t full;

		if (!continues(*p))
			return begun_len(p, back, &full) == back && back < full ? back : 0;
	}
	return 0;
}

size_t utf8_bad_len(struct str text)
{
	size_t full;

	return MAX(begun_len(text.p, text.len, &full), (size_t)1);
}

size_t utf8_cut(struct str text, size_t max)
{
	if (text.len <= max)
		return text.len;
	for (size_t back = 1; back <= 3 && back <= max; back++) {
		size_t start = max - back;

		if (!continues(text.p[start])) {
			struct str rest = { text.p + start, text.len - start };

			return utf8_char_len(rest) > back ? start : max;
		}
	}
	return max;
}
