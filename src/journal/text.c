/* SPDX-License-Identifier: Apache-2.0 */
#include "journal/text.h"

#include "base/utf8.h"

static const char replacement[] = "\xef\xbf\xbd";

static void replace(struct text *t, struct buf *out)
{
	buf_add(out, replacement, sizeof replacement - 1);
	t->lossy = true;
}

/* Goes on with the held character: complete, still not complete, or broken by the next byte, which is left. */
static void complete_held(struct text *t, struct str *bytes, struct buf *out)
{
	char whole[TEXT_HELD_MAX + 1];
	struct str so_far = { whole, t->held_len };

	memcpy(whole, t->held, t->held_len);
	while (bytes->len > 0) {
		whole[so_far.len++] = bytes->p[0];
		if (utf8_incomplete_tail(so_far) == so_far.len) {
			t->held[t->held_len++] = bytes->p[0];
		} else if (utf8_valid(so_far)) {
			buf_add(out, whole, so_far.len);
			t->held_len = 0;
		} else {
			replace(t, out);
			t->held_len = 0;
			return;
		}
		bytes->p++;
		bytes->len--;
		if (t->held_len == 0)
			return;
	}
}

void text_add(struct text *t, struct str bytes, struct buf *out)
{
	size_t tail;

	if (t->held_len)
		complete_held(t, &bytes, out);
	if (bytes.len == 0)
		return;
	tail = utf8_incomplete_tail(bytes);
	bytes.len -= tail;
	while (bytes.len > 0) {
		size_t valid = utf8_valid_prefix(bytes);

		buf_add(out, bytes.p, valid);
		bytes.p += valid;
		bytes.len -= valid;
		if (bytes.len > 0) {
			size_t bad = utf8_bad_len(bytes);

			replace(t, out);
			bytes.p += bad;
			bytes.len -= bad;
		}
	}
	memcpy(t->held, bytes.p, tail);
	t->held_len = tail;
}

void text_end(struct text *t, struct buf *out)
{
	if (t->held_len)
		replace(t, out);
	t->held_len = 0;
}

void text_drop(struct text *t)
{
	t->held_len = 0;
}
