/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UTF-8 by RFC 3629: no overlong forms, no surrogates, nothing over U+10FFFF.
 */
#pragma once

#include "base/str.h"

bool utf8_valid(struct str text);

/* How many bytes from the front are valid; text.len when all are. */
size_t utf8_valid_prefix(struct str text);

/*
 * How many bytes at the end are the beginning of a character that is not complete yet (0 to 3):
 * what a reader of a stream keeps back until more bytes come.
 */
size_t utf8_incomplete_tail(struct str text);

/* The length of the maximal ill-formed part at the front, at least 1; text must begin ill-formed. */
size_t utf8_bad_len(struct str text);

/* The longest prefix of at most max bytes that cuts no character that is complete in text. */
size_t utf8_cut(struct str text, size_t max);
