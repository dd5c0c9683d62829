/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include "base/json_keys.h"
#include "base/json_scan.h"
#include "base/real.h"
#include "base/utf8.h"

#include <assert.h>
#include <errno.h>

/* What may come next. */
enum expect { VALUE, VALUE_OR_END, KEY, KEY_OR_END, COMMA_OR_END };

struct frame {
	struct json *container;
	struct json *last; /* child */
	struct json_keys keys;
};

struct parser {
	struct arena *arena;
	char *p, *end;
	char *line_start; /* strings hold no raw line feed, so unescaping them in place moves no line */
	size_t line;
	enum expect expect;
	unsigned depth;
	struct json *root;
	struct json *member; /* named and waiting for its value */
	struct frame frames[JSON_DEPTH_MAX];
	struct json_error error;
};

static int refuse(struct parser *ps, const char *at, const char *reason)
{
	ps->error = (struct json_error){ ps->line, (size_t)(at - ps->line_start) + 1, reason, false };
	return -EINVAL;
}

/* What others may take for JSON. */
static int refuse_json(struct parser *ps, const char *at, const char *reason)
{
	refuse(ps, at, reason);
	ps->error.is_json = true;
	return -EINVAL;
}

static int no_memory(struct parser *ps)
{
	refuse(ps, ps->p, "too large for the memory of one request");
	return -ENOMEM;
}

static int unexpected(struct parser *ps, const char *wanted)
{
	if (ps->p == ps->end)
		return refuse(ps, ps->p, "the text ends too early");
	return refuse(ps, ps->p, wanted);
}

static void skip_blanks(struct parser *ps)
{
	for (; ps->p < ps->end; ps->p++) {
		if (*ps->p == '\n') {
			ps->line++;
			ps->line_start = ps->p + 1;
		} else if (*ps->p != ' ' && *ps->p != '\t' && *ps->p != '\r') {
			return;
		}
	}
}

static int hex4(const char *p, const char *end)
{
	int value = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char lower = (char)(p[i] | 0x20);

		if (p[i] >= '0' && p[i] <= '9')
			value = value << 4 | (p[i] - '0');
		else if (lower >= 'a' && lower <= 'f')
			value = value << 4 | (lower - 'a' + 10);
		else
			return -1;
	}
	return value;
}

static char *put_utf8(char *to, int c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	} else {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	}
	return to;
}

/* from is at a backslash that a 'u' follows. */
static int read_code(struct parser *ps, char **from, char **to)
{
	int c = hex4(*from + 2, ps->end);
	size_t used = 6;

	if (c < 0)
		return refuse(ps, *from, "four hexadecimal digits must follow '\\u'");
	if (c >= 0xd800 && c < 0xdc00) {
		const char *pair = *from + 6;
		int low = ps->end - pair >= 6 && pair[0] == '\\' && pair[1] == 'u' ? hex4(pair + 2, ps->end) : -1;

		if (low < 0xdc00 || low >= 0xe000)
			return refuse_json(ps, *from, "half of a surrogate pair");
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		used = 12;
	} else if (c >= 0xdc00 && c < 0xe000) {
		return refuse_json(ps, *from, "half of a surrogate pair");
	}
	*from += used;
	*to = put_utf8(*to, c);
	return 0;
}

static int read_escape(struct parser *ps, char **from, char **to)
{
	static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	char name = ps->end - *from > 1 ? (*from)[1] : '\0';
	const char *at;

	if (name == 'u')
		return read_code(ps, from, to);
	at = name ? strchr(names, name) : NULL;
	if (!at)
		return refuse(ps, *from, "unknown escape in a string");
	*(*to)++ = meant[at - names];
	*from += 2;
	return 0;
}

/* Moves over bytes that are not ASCII, and DEL. */
static int read_wide(struct parser *ps, char **from, char **to)
{
	const char *start = *from, *p = start;

	while (p < ps->end && ((unsigned char)*p >= 0x7f)) {
		size_t len = utf8_char_len((struct str){ p, (size_t)(ps->end - p) });

		if (len == 0)
			return refuse(ps, p, "bytes that are not UTF-8");
		p += len;
	}
	if (*to != start)
		memmove(*to, start, (size_t)(p - start));
	*to += p - start;
	*from += p - start;
	return 0;
}

/* ps->p is at the quote. */
static int read_string(struct parser *ps, struct str *ret_text)
{
	char *const start = ps->p + 1;
	char *from = start, *to = start;

	for (;;) {
		size_t plain = json_plain_len(from, (size_t)(ps->end - from));
		int rc;

		if (to != from)
			memmove(to, from, plain);
		from += plain;
		to += plain;
		if (from == ps->end)
			return refuse(ps, from, "the text ends inside a string");
		if (*from == '"')
			break;
		if ((unsigned char)*from < 0x20)
			return refuse(ps, from, "a control character in a string must be escaped");
		rc = *from == '\\' ? read_escape(ps, &from, &to) : read_wide(ps, &from, &to);
		if (rc < 0)
			return rc;
	}
	*ret_text = (struct str){ start, (size_t)(to - start) };
	ps->p = from + 1;
	return 0;
}

static const char *skip_digits(const char *p, const char *end)
{
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p;
}

static bool is_digit_at(const char *p, const char *end)
{
	return p < end && *p >= '0' && *p <= '9';
}

/* The grammar; *ret_end is behind the number, *ret_whole says that it has no fraction and no exponent. */
static int scan_number(struct parser *ps, const char **ret_end, bool *ret_whole)
{
	const char *p = ps->p + (*ps->p == '-');
	const char *first = p;

	p = skip_digits(p, ps->end);
	if (p == first)
		return refuse(ps, p, "a digit must follow the minus sign");
	if (*first == '0' && p - first > 1)
		return refuse(ps, first, "a number with a leading zero");
	*ret_whole = true;
	if (p < ps->end && *p == '.') {
		*ret_whole = false;
		if (!is_digit_at(++p, ps->end))
			return refuse(ps, p, "a digit must follow the decimal point");
		p = skip_digits(p, ps->end);
	}
	if (p < ps->end && (*p | 0x20) == 'e') {
		*ret_whole = false;
		p++;
		p += p < ps->end && (*p == '+' || *p == '-');
		if (!is_digit_at(p, ps->end))
			return refuse(ps, p, "a digit must follow the exponent sign");
		p = skip_digits(p, ps->end);
	}
	*ret_end = p;
	return 0;
}

static bool to_integer(struct str text, int64_t *ret_value)
{
	bool negative = text.p[0] == '-';
	int64_t value = 0;

	for (size_t i = negative; i < text.len; i++) {
		int digit = text.p[i] - '0';

		/* Counted downwards, because the smallest integer has no positive counterpart. */
		if (__builtin_mul_overflow(value, 10, &value) || __builtin_sub_overflow(value, digit, &value))
			return false;
	}
	if (!negative && value == INT64_MIN)
		return false;
	*ret_value = negative ? value : -value;
	return true;
}

/* real_parse() wants a terminated text: what stands behind the number gives its place for a moment. */
static int to_real(struct parser *ps, struct json *value)
{
	char *behind = ps->p + value->text.len;
	char *copy;
	char saved;

	if (behind < ps->end) {
		saved = *behind;
		*behind = '\0';
		value->number = real_parse(ps->p);
		*behind = saved;
		return 0;
	}
	copy = arena_strndup(ps->arena, ps->p, value->text.len);
	if (!copy)
		return no_memory(ps);
	value->number = real_parse(copy);
	return 0;
}

static int read_number(struct parser *ps, struct json *value)
{
	const char *end;
	bool whole;
	int rc = scan_number(ps, &end, &whole);

	if (rc < 0)
		return rc;
	value->type = JSON_NUMBER;
	value->text = (struct str){ ps->p, (size_t)(end - ps->p) };
	value->is_integer = whole && to_integer(value->text, &value->integer);
	/* "-0" is the integer zero and the real number minus zero. */
	value->number = value->integer == 0 && *ps->p == '-' ? -0.0 : (double)value->integer;
	if (!value->is_integer) {
		rc = to_real(ps, value);
		if (rc < 0)
			return rc;
	}
	ps->p += value->text.len;
	return 0;
}

static int read_word(struct parser *ps, struct json *value)
{
	static const struct {
		struct str word;
		enum json_type type;
		bool boolean;
	} words[] = {
		{ { "null", 4 }, JSON_NULL, false },
		{ { "true", 4 }, JSON_BOOL, true },
		{ { "false", 5 }, JSON_BOOL, false },
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		struct str word = words[i].word;

		if ((size_t)(ps->end - ps->p) >= word.len && memcmp(ps->p, word.p, word.len) == 0) {
			value->type = words[i].type;
			value->boolean = words[i].boolean;
			ps->p += word.len;
			return 0;
		}
	}
	return unexpected(ps, "a value must stand here");
}

static void attach(struct parser *ps, struct json *value)
{
	struct frame *frame;

	if (ps->depth == 0) {
		ps->root = value;
		return;
	}
	frame = &ps->frames[ps->depth - 1];
	if (frame->last)
		frame->last->next = value;
	else
		frame->container->first = value;
	frame->last = value;
	frame->container->count++;
}

static int open_container(struct parser *ps, struct json *value)
{
	if (ps->depth == JSON_DEPTH_MAX)
		return refuse_json(ps, ps->p, "nested deeper than 64 levels");
	value->type = *ps->p == '[' ? JSON_ARRAY : JSON_OBJECT;
	ps->expect = *ps->p == '[' ? VALUE_OR_END : KEY_OR_END;
	ps->frames[ps->depth++] = (struct frame){ .container = value };
	ps->p++;
	return 0;
}

static int read_value(struct parser *ps)
{
	struct json *value = ps->member ? ps->member : arena_new(ps->arena, struct json);
	char c = ps->p < ps->end ? *ps->p : '\0';

	if (!value)
		return no_memory(ps);
	ps->member = NULL;
	attach(ps, value);
	ps->expect = COMMA_OR_END;
	if (c == '{' || c == '[')
		return open_container(ps, value);
	if (c == '"') {
		value->type = JSON_STRING;
		return read_string(ps, &value->text);
	}
	if (c == '-' || (c >= '0' && c <= '9'))
		return read_number(ps, value);
	return read_word(ps, value);
}

static int read_key(struct parser *ps)
{
	struct frame *frame = &ps->frames[ps->depth - 1];
	const char *quote = ps->p;
	int rc;

	if (ps->p == ps->end || *ps->p != '"')
		return unexpected(ps, "a name in quotes must stand here");
	ps->member = arena_new(ps->arena, struct json);
	if (!ps->member)
		return no_memory(ps);
	rc = read_string(ps, &ps->member->key);
	if (rc < 0)
		return rc;
	rc = json_keys_add(&frame->keys, frame->container, ps->member);
	if (rc == -EEXIST)
		return refuse_json(ps, quote, "a name that the object has already");
	if (rc < 0)
		return no_memory(ps);
	skip_blanks(ps);
	if (ps->p == ps->end || *ps->p != ':')
		return unexpected(ps, "a colon must stand here");
	ps->p++;
	ps->expect = VALUE;
	return 0;
}

static char closing(const struct frame *frame)
{
	return frame->container->type == JSON_ARRAY ? ']' : '}';
}

static int close_container(struct parser *ps)
{
	json_keys_free(&ps->frames[--ps->depth].keys);
	ps->p++;
	ps->expect = COMMA_OR_END;
	return 0;
}

/* Inside a container, behind a value. */
static int read_comma(struct parser *ps)
{
	bool array = ps->frames[ps->depth - 1].container->type == JSON_ARRAY;

	if (ps->p == ps->end || *ps->p != ',')
		return unexpected(ps, array ? "a comma or ']' must stand here" : "a comma or '}' must stand here");
	ps->p++;
	ps->expect = array ? VALUE : KEY;
	return 0;
}

static int step(struct parser *ps)
{
	bool may_end = ps->expect == VALUE_OR_END || ps->expect == KEY_OR_END || ps->expect == COMMA_OR_END;

	if (may_end && ps->p < ps->end && *ps->p == closing(&ps->frames[ps->depth - 1]))
		return close_container(ps);
	switch (ps->expect) {
	case VALUE:
	case VALUE_OR_END:
		return read_value(ps);
	case KEY:
	case KEY_OR_END:
		return read_key(ps);
	case COMMA_OR_END:
		break;
	}
	return read_comma(ps);
}

static int parse(struct parser *ps)
{
	int rc;

	if (ps->end - ps->p >= 3 && memcmp(ps->p, "\xef\xbb\xbf", 3) == 0)
		return refuse(ps, ps->p, "a byte order mark");
	do {
		skip_blanks(ps);
		rc = step(ps);
	} while (rc == 0 && (ps->depth > 0 || ps->expect == VALUE));
	if (rc < 0)
		return rc;
	skip_blanks(ps);
	return ps->p == ps->end ? 0 : refuse(ps, ps->p, "something stands behind the value");
}

int json_parse(struct arena *arena, char *text, size_t len, struct json **ret_value, struct json_error *ret_error)
{
	char nothing[1];
	char *start = len ? text : nothing;
	struct parser ps = {
		.arena = arena, .p = start, .end = start + len, .line_start = start, .line = 1, .expect = VALUE
	};
	int rc = parse(&ps);

	while (ps.depth > 0)
		json_keys_free(&ps.frames[--ps.depth].keys);
	if (rc < 0)
		*ret_error = ps.error;
	else
		*ret_value = ps.root;
	return rc;
}

const struct json *json_get(const struct json *object, const char *key)
{
	struct str name = str_of(key);

	if (!object || object->type != JSON_OBJECT)
		return NULL;
	for (const struct json *member = object->first; member; member = member->next) {
		if (str_eq(member->key, name))
			return member;
	}
	return NULL;
}

const char *json_type_name(enum json_type type)
{
	static const char *const names[] = { [JSON_NULL] = "null",
		[JSON_BOOL] = "boolean",
		[JSON_NUMBER] = "number",
		[JSON_STRING] = "string",
		[JSON_ARRAY] = "array",
		[JSON_OBJECT] = "object" };

	assert((size_t)type < ARRAY_LEN(names));
	return names[type];
}
