/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_write.h"

#include "base/base64.h"
#include "base/budget.h"
#include "base/json_scan.h"
#include "base/real.h"
#include "base/utf8.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { ESCAPE_MAX = 6 }; /* \u0000 */

void json_write_init(struct json_writer *w, struct buf *out)
{
	*w = (struct json_writer){ .out = out };
}

/* Before a value or a key. */
static void begin(struct json_writer *w)
{
	if (w->comma)
		buf_addc(w->out, ',');
	w->comma = true;
}

static void open_with(struct json_writer *w, char bracket)
{
	begin(w);
	buf_addc(w->out, bracket);
	w->comma = false;
	w->depth++;
}

static void close_with(struct json_writer *w, char bracket)
{
	assert(w->depth > 0);
	buf_addc(w->out, bracket);
	w->comma = true;
	w->depth--;
}

void json_object_begin(struct json_writer *w)
{
	open_with(w, '{');
}

void json_object_end(struct json_writer *w)
{
	close_with(w, '}');
}

void json_array_begin(struct json_writer *w)
{
	open_with(w, '[');
}

void json_array_end(struct json_writer *w)
{
	close_with(w, ']');
}

void json_key(struct json_writer *w, const char *key)
{
	json_key_str(w, str_of(key));
}

void json_key_str(struct json_writer *w, struct str key)
{
	json_text(w, key);
	buf_addc(w->out, ':');
	w->comma = false;
}

void json_raw(struct json_writer *w, struct str json)
{
	begin(w);
	buf_add(w->out, json.p, json.len);
}

void json_null(struct json_writer *w)
{
	json_raw(w, STR("null"));
}

void json_bool(struct json_writer *w, bool value)
{
	json_raw(w, value ? STR("true") : STR("false"));
}

void json_int(struct json_writer *w, int64_t value)
{
	char digits[24];
	char *p = digits + sizeof digits;
	/* Unsigned, because the smallest integer has no positive counterpart. */
	uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

	do {
		*--p = (char)('0' + left % 10);
		left /= 10;
	} while (left);
	if (value < 0)
		*--p = '-';
	json_raw(w, (struct str){ p, (size_t)(digits + sizeof digits - p) });
}

void json_double(struct json_writer *w, double value)
{
	char text[REAL_TEXT_SIZE];

	if (isfinite(value))
		json_raw(w, (struct str){ text, real_text(value, text) });
	else
		json_null(w);
}

void json_text(struct json_writer *w, struct str text)
{
	begin(w);
	buf_addc(w->out, '"');
	json_escape(w->out, text);
	buf_addc(w->out, '"');
}

void json_string(struct json_writer *w, const char *text)
{
	if (text)
		json_text(w, str_of(text));
	else
		json_null(w);
}

void json_base64(struct json_writer *w, struct str bytes)
{
	begin(w);
	buf_addc(w->out, '"');
	base64_encode(w->out, bytes);
	buf_addc(w->out, '"');
}

static void add_code(struct buf *out, unsigned code)
{
	static const char hex[] = "0123456789abcdef";
	char text[6] = { '\\', 'u', hex[code >> 12 & 15], hex[code >> 8 & 15], hex[code >> 4 & 15], hex[code & 15] };

	buf_add(out, text, sizeof text);
}

static size_t put_ascii(char *to, char c)
{
	static const char names[] = "\"\\bfnrt", meant[] = "\"\\\b\f\n\r\t";
	static const char hex[] = "0123456789abcdef";
	const char *at = c ? strchr(meant, c) : NULL;

	to[0] = '\\';
	if (at) {
		to[1] = names[at - meant];
		return 2;
	}
	memcpy(to + 1, "u00", 3);
	to[4] = hex[(unsigned char)c >> 4];
	to[5] = hex[c & 15];
	return ESCAPE_MAX;
}

/* The code of a character that is written as an escape although JSON would take it, else 0. */
static unsigned escaped_code(const char *p, size_t len)
{
	const unsigned char *u = (const unsigned char *)p;

	if (len == 2 && u[0] == 0xc2 && u[1] < 0xa0)
		return u[1];
	if (len == 3 && u[0] == 0xe2 && u[1] == 0x80 && (u[2] == 0xa8 || u[2] == 0xa9))
		return 0x2000u | (u[2] & 0x3fu);
	return 0;
}

/* How many bytes from the front need no change. */
static size_t unchanged_len(struct str text)
{
	size_t done = 0;

	while (done < text.len) {
		const char *p = text.p + done;
		size_t left = text.len - done;
		size_t len = (unsigned char)*p < 0x80 ? json_plain_len(p, left)
						      : utf8_char_len((struct str){ p, left });

		if (len == 0 || escaped_code(p, len))
			break;
		done += len;
	}
	return done;
}

/* Writes the character or the bad part at the front, which cannot stay as it is; returns its length. */
static size_t add_changed(struct buf *out, struct str text)
{
	char ascii[ESCAPE_MAX];
	size_t len;

	if ((unsigned char)text.p[0] < 0x80) {
		buf_add(out, ascii, put_ascii(ascii, text.p[0]));
		return 1;
	}
	len = utf8_char_len(text);
	if (len) {
		add_code(out, escaped_code(text.p, len));
		return len;
	}
	buf_adds(out, "\xef\xbf\xbd");
	return utf8_bad_len(text);
}

/* ASCII from the front, escaped where it must be, into room that out has already; how much of text it was. */
static size_t add_ascii(struct buf *out, struct str text)
{
	size_t room = out->cap > out->skipped + out->len ? out->cap - out->skipped - out->len - 1 : 0;
	size_t len = MIN(text.len, room / ESCAPE_MAX), done = 0;
	char *to, *at;

	if (len == 0)
		return 0;
	to = at = out->data + out->len;
	while (done < len && (unsigned char)text.p[done] < 0x80) {
		size_t plain = json_plain_len(text.p + done, len - done);

		memcpy(at, text.p + done, plain);
		at += plain;
		done += plain;
		if (done < len && (unsigned char)text.p[done] < 0x80)
			at += put_ascii(at, text.p[done++]);
	}
	buf_commit(out, (size_t)(at - to));
	return done;
}

void json_escape(struct buf *out, struct str text)
{
	while (text.len && !buf_failed(out)) {
		size_t len = add_ascii(out, text);

		text.p += len;
		text.len -= len;
		len = unchanged_len(text);
		buf_add(out, text.p, len);
		if (len < text.len)
			len += add_changed(out, (struct str){ text.p + len, text.len - len });
		text.p += len;
		text.len -= len;
	}
}

static int compare_keys(const void *a, const void *b)
{
	struct str x = (*(const struct json *const *)a)->key, y = (*(const struct json *const *)b)->key;
	int order = memcmp(x.p, y.p, MIN(x.len, y.len));

	return order ? order : (x.len > y.len) - (x.len < y.len);
}

static void write_member(struct json_writer *w, const struct json *member, bool sorted)
{
	json_key_str(w, member->key);
	json_tree(w, member, sorted);
}

static void write_sorted(struct json_writer *w, const struct json *object)
{
	size_t size = object->count * sizeof(struct json *);
	const struct json **members = budget_take(size) ? malloc(size + 1) : NULL;
	size_t count = 0;

	if (!members) {
		buf_fail(w->out);
		return;
	}
	for (const struct json *member = object->first; member; member = member->next)
		members[count++] = member;
	assert(count == object->count);
	qsort(members, count, sizeof *members, compare_keys);
	for (size_t i = 0; i < count; i++)
		write_member(w, members[i], true);
	free(members);
	budget_give(size);
}

static void write_object(struct json_writer *w, const struct json *object, bool sorted)
{
	json_object_begin(w);
	if (sorted) {
		write_sorted(w, object);
	} else {
		for (const struct json *member = object->first; member; member = member->next)
			write_member(w, member, false);
	}
	json_object_end(w);
}

static void write_array(struct json_writer *w, const struct json *array, bool sorted)
{
	json_array_begin(w);
	for (const struct json *element = array->first; element; element = element->next)
		json_tree(w, element, sorted);
	json_array_end(w);
}

/* Calls itself, but never deeper than the parser lets a tree be. */
void json_tree(struct json_writer *w, const struct json *value, bool sorted)
{
	switch (value->type) {
	case JSON_NULL:
		json_null(w);
		break;
	case JSON_BOOL:
		json_bool(w, value->boolean);
		break;
	case JSON_NUMBER:
		json_raw(w, value->text);
		break;
	case JSON_STRING:
		json_text(w, value->text);
		break;
	case JSON_ARRAY:
		write_array(w, value, sorted);
		break;
	case JSON_OBJECT:
		write_object(w, value, sorted);
		break;
	}
}
