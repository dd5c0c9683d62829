/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Base64 by RFC 4648: section 4 with padding; reading also takes the URL alphabet of
 * section 5 and missing padding, and refuses everything else (blanks, bits left over).
 */
#pragma once

#include "base/buf.h"

void base64_encode(struct buf *out, struct str bytes);
size_t base64_encoded_len(size_t len);

void base64url_encode(struct buf *out, struct str bytes); /* without padding */

/* Decodes in place: to may be text.p.  The count of bytes, or -EINVAL. */
ssize_t base64_decode(char *to, struct str text) MUST_CHECK;
