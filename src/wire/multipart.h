/* SPDX-License-Identifier: Apache-2.0 */
/*
 * multipart/form-data (RFC 7578), read as it comes: bytes in, events out, no part is held.
 * State is fixed in size; headers of a part are bounded to 8 KiB.
 */
#pragma once

#include "base/buf.h"

enum { MULTIPART_BOUNDARY_MAX = 70 };

enum multipart_event {
	MULTIPART_MORE,  /* everything given was taken, nothing to tell */
	MULTIPART_PART,  /* a part with a file name begins: multipart.filename */
	MULTIPART_FIELD, /* a part without a file name begins */
	MULTIPART_DATA,  /* *ret_data is content of the current part */
	MULTIPART_END,   /* the current part is complete */
	MULTIPART_DONE,  /* the final boundary was seen; what follows (epilogue) is skipped */
};

struct multipart {
	char boundary[MULTIPART_BOUNDARY_MAX + 5]; /* CRLF "--" boundary */
	size_t boundary_len, matched;
	int state;
	bool in_part;
	struct buf header;   /* of the part whose header is being read */
	char filename[1024]; /* as sent, unquoted, UTF-8 or not; filename* is not used (RFC 7578, 4.2) */
	size_t filename_len;
};

/* From a Content-Type value; -EINVAL when it is not multipart/form-data with a good boundary. */
int multipart_init(struct multipart *m, struct str content_type) MUST_CHECK;
void multipart_free(struct multipart *m);

/*
 * Takes from the front of *bytes (moved) until there is an event.  -EINVAL when malformed.
 * Data that turns out not to be a boundary may point into m.
 */
int multipart_next(
	struct multipart *m, struct str *bytes, enum multipart_event *ret_event, struct str *ret_data) MUST_CHECK;
bool multipart_done(const struct multipart *m);
