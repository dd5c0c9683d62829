/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaches wire/multipart.c: boundaries and their like, part headers, file names, content types.
 * Properties: pieces of any size tell the same story as the whole; content that holds no
 * boundary comes out as it went in, and so does a file name quoted as browsers do it.
 */
#include "wire/multipart.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STORY_MAX = 1 << 20 };

static void tell(const struct multipart *m, enum multipart_event event, struct str data, struct buf *story)
{
	static const char *const marks[] = { "", "\nPART ", "\nFIELD", "", "\nEND", "\nDONE" };

	buf_adds(story, marks[event]);
	if (event == MULTIPART_PART)
		buf_add(story, m->filename, m->filename_len);
	if (event == MULTIPART_PART || event == MULTIPART_FIELD)
		buf_adds(story, "\n");
	if (event == MULTIPART_DATA)
		buf_add(story, data.p, data.len);
}

static int feed(struct multipart *m, struct str bytes, struct buf *story)
{
	enum multipart_event event = MULTIPART_MORE;
	struct str data = { 0 };

	do {
		int r = multipart_next(m, &bytes, &event, &data);

		if (r < 0)
			return r;
		assert(event != MULTIPART_DATA || data.len > 0);
		tell(m, event, data, story);
	} while (event != MULTIPART_MORE);
	assert(bytes.len == 0);
	return 0;
}

static int read_pieces(struct str bytes, size_t step, struct buf *story)
{
	struct multipart m;
	size_t piece;
	int r = multipart_init(&m, STR("multipart/form-data; boundary=B"));

	assert(r == 0);
	for (size_t at = 0; at < bytes.len && r == 0; at += piece) {
		char *copy;

		piece = MIN(step, bytes.len - at);
		copy = malloc(piece);
		memcpy(copy, bytes.p + at, piece);
		r = feed(&m, (struct str){ copy, piece }, story);
		free(copy);
	}
	if (r == 0)
		r = multipart_done(&m);
	multipart_free(&m);
	return r;
}

static void add_browser_quoted(struct buf *out, struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		if (name.p[i] == '"')
			buf_adds(out, "%22");
		else if (name.p[i] == '\r')
			buf_adds(out, "%0D");
		else if (name.p[i] == '\n')
			buf_adds(out, "%0A");
		else
			buf_addc(out, name.p[i]);
	}
}

/* What a browser's quoting cannot carry: controls, and what itself looks quoted. */
static bool can_be_named(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (((unsigned char)name.p[i] < ' ' && !strchr("\r\n\t", name.p[i])) || name.p[i] == 0x7f ||
			name.p[i] == '%' || name.p[i] == '\\' || name.p[i] == '\0')
			return false;
	return name.len <= 1024;
}

/* Behind a header content may begin with the boundary without its CRLF. */
static bool holds_boundary(struct str content)
{
	if (str_starts(content, "--B"))
		return true;
	for (size_t i = 0; i < content.len; i++)
		if (str_starts((struct str){ content.p + i, content.len - i }, "\r\n--B"))
			return true;
	return false;
}

static void check_written(struct str name, struct str content, size_t step)
{
	AUTOBUF struct buf text = { .limit = STORY_MAX }, story = { .limit = STORY_MAX }, want = { .limit = STORY_MAX };

	if (!can_be_named(name) || holds_boundary(content))
		return;
	buf_adds(&text, "--B\r\nContent-Disposition: form-data; filename=\"");
	add_browser_quoted(&text, name);
	buf_adds(&text, "\"\r\n\r\n");
	buf_add(&text, content.p, content.len);
	buf_adds(&text, "\r\n--B--\r\n");
	buf_adds(&want, "\nPART ");
	buf_add(&want, name.p, name.len);
	buf_adds(&want, "\n");
	buf_add(&want, content.p, content.len);
	buf_adds(&want, "\nEND\nDONE");
	assert(read_pieces(buf_str(&text), step, &story) == 1);
	assert(str_eq(buf_str(&story), buf_str(&want)));
}

static void check_content_type(struct str value)
{
	struct multipart m;

	if (multipart_init(&m, value) == 0) {
		assert(m.boundary_len > 4 && m.boundary_len <= 4 + MULTIPART_BOUNDARY_MAX);
		multipart_free(&m);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTOBUF struct buf whole = { .limit = STORY_MAX }, pieces = { .limit = STORY_MAX };
	struct str bytes = { (const char *)data + 1, size - 1 };
	size_t step = size ? (size_t)data[0] % 16 + 1 : 0, name_len;
	int r;

	if (size < 2)
		return 0;
	r = read_pieces(bytes, bytes.len, &whole);
	assert(read_pieces(bytes, step, &pieces) == r);
	assert(str_eq(buf_str(&whole), buf_str(&pieces)));
	name_len = MIN(bytes.len, (size_t)data[0] / 16);
	check_written(
		(struct str){ bytes.p, name_len }, (struct str){ bytes.p + name_len, bytes.len - name_len }, step);
	check_content_type(bytes);
	return 0;
}
