/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A JSON document whose large strings are not copied until they are sent.
 *
 * Written through a json_writer on rope->text; rope_text() and rope_base64() put a string
 * value that is only referred to (small ones are written at once).  rope_read() gives the
 * document piece by piece, so that an answer of 10 MB costs a window of it and not its
 * escaped length.  The bytes referred to must outlive the rope; the rope does not own them.
 */
#pragma once

#include "base/json_write.h"

enum { ROPE_INLINE_MAX = 16 * 1024 };

enum rope_encoding { ROPE_TEXT, ROPE_BASE64 };

struct rope_part {
	size_t at; /* where in text it stands */
	struct str bytes;
	enum rope_encoding encoding;
	struct rope_part *next;
};

struct rope {
	struct buf text;
	struct arena *arena; /* of the parts */
	struct rope_part *first, **last;
	struct json_writer writer; /* on text */
	/* the reader's position */
	struct rope_part **reading; /* where the next part is, or will be */
	size_t text_done, part_done;
};

/* text_limit bounds what is written directly; parts come from the arena. */
void rope_init(struct rope *r, struct arena *arena, size_t text_limit);
void rope_free(struct rope *r);

void rope_text(struct rope *r, struct str text);
void rope_base64(struct rope *r, struct str bytes);

bool rope_failed(const struct rope *r);
bool rope_is_short(const struct rope *r); /* all of it is in text: no parts */

/*
 * Appends about room bytes (at least one step, at most room + 16) to out; false, with nothing
 * appended, when nothing is left or the rope or out has failed.
 */
bool rope_read(struct rope *r, struct buf *out, size_t room) MUST_CHECK;
