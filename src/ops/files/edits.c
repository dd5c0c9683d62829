/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/edits.h"

enum { COMPARED_MAX = 512 /* bytes of a line */ };

/* Moves *text behind the next old; *ret_before is what stands in front of it. */
static bool find(struct str *text, struct str old, struct str *ret_before)
{
	const char *at = text->len ? memmem(text->p, text->len, old.p, old.len) : NULL;
	size_t len;

	if (!at)
		return false;
	len = (size_t)(at - text->p);
	*ret_before = (struct str){ text->p, len };
	text->p += len + old.len;
	text->len -= len + old.len;
	return true;
}

size_t edit_count(struct str text, struct str old)
{
	struct str before;
	size_t count = 0;

	while (old.len && find(&text, old, &before))
		count++;
	return count;
}

void edit_replace(struct buf *out, struct str text, const struct edit *edit)
{
	struct str before;

	while (find(&text, edit->old, &before)) {
		buf_add(out, before.p, before.len);
		buf_add(out, edit->new.p, edit->new.len);
	}
	buf_add(out, text.p, text.len);
}

/* How many bytes at the front and at the back are the same, in 1000 of the longer one. */
static size_t likeness(struct str a, struct str b)
{
	size_t most, front = 0, back = 0;

	a.len = MIN(a.len, (size_t)COMPARED_MAX);
	b.len = MIN(b.len, (size_t)COMPARED_MAX);
	most = MIN(a.len, b.len);
	while (front < most && a.p[front] == b.p[front])
		front++;
	while (back < most - front && a.p[a.len - 1 - back] == b.p[b.len - 1 - back])
		back++;
	return most ? (front + back) * 1000 / MAX(a.len, b.len) : 0;
}

/* The first line that is not blank. */
static struct str first_line(struct str text)
{
	struct str line = { 0 };

	while (text.len && !line.len)
		line = str_trim(str_cut(&text, '\n'));
	return line;
}

struct str edit_nearest(struct str text, struct str old, size_t *ret_number)
{
	struct str wanted = first_line(old), best = { 0 };
	size_t score = 0;

	*ret_number = 0;
	for (size_t number = 1; text.len; number++) {
		struct str line = str_cut(&text, '\n');
		size_t like = likeness(str_trim(line), wanted);

		if (like > score) {
			score = like;
			best = line;
			*ret_number = number;
		}
	}
	return best;
}
