/* SPDX-License-Identifier: Apache-2.0 */
/*
 * multipart/form-data (RFC 7578), read as it comes: bytes in, events out, no part is held.
 * State is fixed in size; headers of a part are bounded to 8 KiB.
 *
 * A boundary is the whole line: one with more behind it is content.  Refused besides what is
 * malformed: a bare LF in a header, a transfer encoding that would have to be undone, a file
 * that is named by "filename*" alone, and anything but a blank or CRLF behind the final boundary.
 */
#pragma once

#include "base/buf.h"

enum {
	MULTIPART_BOUNDARY_MAX = 70,
	MULTIPART_PADDING_MAX = 16, /* blanks behind a boundary */
	MULTIPART_HELD_MAX = 4 + MULTIPART_BOUNDARY_MAX + MULTIPART_PADDING_MAX + 2,
};

enum multipart_event {
	MULTIPART_MORE,  /* everything given was taken, nothing to tell */
	MULTIPART_PART,  /* a part with a file name begins: multipart.filename */
	MULTIPART_FIELD, /* a part without a file name begins */
	MULTIPART_DATA,  /* *ret_data is content of the current part */
	MULTIPART_END,   /* the current part is complete */
	MULTIPART_DONE,  /* the final boundary was seen; what follows (epilogue) is skipped */
};

struct multipart {
	char held[MULTIPART_HELD_MAX];         /* CRLF "--" boundary, and what came behind it */
	size_t boundary_len, matched, implied; /* implied: matched bytes that are not content if it is none */
	int state;
	bool in_part;
	struct buf header; /* of the part whose header is being read */
	/* Without quotes; \" \\ and browsers' %22 %0D %0A undone, nothing else; any bytes but NUL, may be empty. */
	char filename[1024]; /* filename* is not used (RFC 7578, 4.2) */
	size_t filename_len;
};

/* From a Content-Type value; -EINVAL when it is not multipart/form-data with a good boundary. */
int multipart_init(struct multipart *m, struct str content_type) MUST_CHECK;
void multipart_free(struct multipart *m);

/*
 * Takes from the front of *bytes (moved) until there is an event.  -EINVAL when malformed.
 * Data that turned out not to be a boundary points into m until the next call.  Call again until
 * MULTIPART_MORE, also when *bytes is empty by then.
 */
int multipart_next(
	struct multipart *m, struct str *bytes, enum multipart_event *ret_event, struct str *ret_data) MUST_CHECK;
bool multipart_done(const struct multipart *m);
