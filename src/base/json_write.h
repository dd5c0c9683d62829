/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON out, as it is written: commas and colons are the writer's.
 *
 * Text that is not UTF-8 comes out with U+FFFD for each maximal bad part (the practice of
 * Unicode 15, section 3.9), so that what is written is always strict JSON.  All control
 * characters, U+2028 and U+2029 are escaped, so that a value is one line for everybody.
 * Failure is the buffer's: ask buf_failed() at the end.
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"

struct json_writer {
	struct buf *out;
	unsigned depth;
	bool comma; /* the next value or key needs one */
};

void json_write_init(struct json_writer *w, struct buf *out);

void json_object_begin(struct json_writer *w);
void json_object_end(struct json_writer *w);
void json_array_begin(struct json_writer *w);
void json_array_end(struct json_writer *w);
void json_key(struct json_writer *w, const char *key);
void json_key_str(struct json_writer *w, struct str key);

void json_null(struct json_writer *w);
void json_bool(struct json_writer *w, bool value);
void json_int(struct json_writer *w, int64_t value);
void json_double(struct json_writer *w, double value); /* shortest that reads back the same; null when not finite */
void json_text(struct json_writer *w, struct str text);
void json_string(struct json_writer *w, const char *text); /* NULL is null */
void json_base64(struct json_writer *w, struct str bytes);
void json_raw(struct json_writer *w, struct str json); /* trusted JSON, written as it is */

/* A whole tree; sorted puts members in order of their keys (the canonical form, no blanks). */
void json_tree(struct json_writer *w, const struct json *value, bool sorted);

/* The inside of a JSON string: text, cleaned and escaped, without quotes.  Used in pieces by rope.h. */
void json_escape(struct buf *out, struct str text);
