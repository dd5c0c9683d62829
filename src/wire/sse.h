/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Server-Sent Events out.  The data is JSON on one line (json_write.h escapes what could
 * break a line), so an event is one "event:" and one "data:" line.
 */
#pragma once

#include "base/buf.h"

/* What stands before and after the JSON of an event. id NULL: none. */
void sse_begin(struct buf *out, const char *event, const char *id);
void sse_end(struct buf *out);

#define SSE_COMMENT ": \n\n" /* keeps proxies from closing a quiet stream */

/*
 * In, for our own clients: splits a stream at any byte into events.
 * Lines end with LF, CRLF or CR; one leading byte order mark is dropped; nothing else is special.
 */
struct sse_reader {
	struct buf line, data, event, id;
	bool after_cr, started, told;
};

void sse_reader_init(struct sse_reader *r, size_t limit);
void sse_reader_free(struct sse_reader *r);

/*
 * 1 when an event is complete (taken says how many bytes were used), 0 when all bytes were used,
 * -EMSGSIZE from then on when a line or the data is over the limit.  Event (empty: "message") and
 * data stand until the next call, id until another one comes.  What the end of the stream cuts is no event.
 */
int sse_reader_feed(struct sse_reader *r, struct str bytes, size_t *ret_taken) MUST_CHECK;
