/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UTF-8 by RFC 3629: no overlong forms, no surrogates, nothing over U+10FFFF.
 */
#pragma once

#include "base/str.h"

bool utf8_valid(struct str text);

/* How many bytes from the front are valid; text.len when all are. */
size_t utf8_valid_prefix(struct str text);

/* The length of the character at the front, 1 to 4; 0 when text is empty or begins ill-formed. */
static inline size_t utf8_char_len(struct str text)
{
	const unsigned char *p = (const unsigned char *)text.p;

	if (text.len == 0 || p[0] < 0x80)
		return text.len != 0;
	if (p[0] < 0xc2 || p[0] > 0xf4 || text.len < 2 || (p[1] & 0xc0) != 0x80)
		return 0;
	if (p[0] < 0xe0)
		return 2;
	if (text.len < 3 || (p[2] & 0xc0) != 0x80)
		return 0;
	/* The second byte tells overlong forms, surrogates and what lies over U+10FFFF. */
	if (p[0] < 0xf0)
		return (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ? 0 : 3;
	if (text.len < 4 || (p[3] & 0xc0) != 0x80)
		return 0;
	return (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f) ? 0 : 4;
}

/*
 * How many bytes at the end are the beginning of a character that is not complete yet (0 to 3):
 * what a reader of a stream keeps back until more bytes come.
 */
size_t utf8_incomplete_tail(struct str text);

/* The length of the maximal ill-formed part at the front, at least 1; text must not be empty and begin ill-formed. */
size_t utf8_bad_len(struct str text);

/* The longest prefix of at most max bytes that cuts no character that is complete in text. */
size_t utf8_cut(struct str text, size_t max);
