/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The head is read line by line, and what is wrong is found in the order of the bytes: so a
 * head gets the same verdict however it is cut into pieces.
 */
#include "wire/head.h"

#include <endian.h>
#include <errno.h>
#include <limits.h>

enum { CRLF_LEN = 2, EMPTY_LINES_MAX = 8, VERSION_LEN = 8, PORT_DIGITS_MAX = 5, WORD = sizeof(uint64_t) };

/* Both limits with the CRLF that ends the line or the fields. */
enum { LINE_ROOM = HEAD_LINE_MAX + CRLF_LEN, FIELDS_ROOM = HEAD_FIELDS_MAX + CRLF_LEN };

enum { IS_TOKEN = 1, IS_HOST = 2, IS_HEX = 4, IS_DIGIT = 8 };

/* RFC 9110, 5.6.2 (token) and RFC 3986, 3.2.2 (the name of a host, escapes apart). */
static const uint8_t classes[UCHAR_MAX + 1] = {
	['0' ... '9'] = IS_TOKEN | IS_HOST | IS_HEX | IS_DIGIT,
	['A' ... 'F'] = IS_TOKEN | IS_HOST | IS_HEX,
	['a' ... 'f'] = IS_TOKEN | IS_HOST | IS_HEX,
	['G' ... 'Z'] = IS_TOKEN | IS_HOST,
	['g' ... 'z'] = IS_TOKEN | IS_HOST,
	['!'] = IS_TOKEN | IS_HOST,
	['#'] = IS_TOKEN,
	['$'] = IS_TOKEN | IS_HOST,
	['%'] = IS_TOKEN,
	['&'] = IS_TOKEN | IS_HOST,
	['\''] = IS_TOKEN | IS_HOST,
	['('] = IS_HOST,
	[')'] = IS_HOST,
	['*'] = IS_TOKEN | IS_HOST,
	['+'] = IS_TOKEN | IS_HOST,
	[','] = IS_HOST,
	['-'] = IS_TOKEN | IS_HOST,
	['.'] = IS_TOKEN | IS_HOST,
	[';'] = IS_HOST,
	['='] = IS_HOST,
	['^'] = IS_TOKEN,
	['_'] = IS_TOKEN | IS_HOST,
	['`'] = IS_TOKEN,
	['|'] = IS_TOKEN,
	['~'] = IS_TOKEN | IS_HOST,
};

static inline bool is_class(char c, unsigned class)
{
	return (classes[(unsigned char)c] & class) != 0;
}

bool head_is_token_char(char c)
{
	return is_class(c, IS_TOKEN);
}

static size_t class_len(struct str text, unsigned class)
{
	size_t len = 0;

	while (len < text.len && is_class(text.p[len], class))
		len++;
	return len;
}

static int refuse(struct head *head, enum head_problem problem, const char *reason)
{
	head->reason = reason;
	return -(int)problem;
}

static bool is_control(char c)
{
	return ((unsigned char)c < ' ' && c != '\t') || c == 0x7f;
}

/* Which of eight bytes is the first below ' ' or DEL; 8 when none is. */
static inline unsigned first_control(const char *p)
{
	const uint64_t ones = UINT64_MAX / UCHAR_MAX, highs = ones << 7;
	uint64_t word, deleted, found;

	memcpy(&word, p, WORD);
	word = le64toh(word);
	deleted = word ^ (ones * 0x7f);
	/* A borrow marks bytes wrongly only above one that is marked rightly. */
	found = (((word - ones * ' ') & ~word) | ((deleted - ones) & ~deleted)) & highs;
	return found ? (unsigned)__builtin_ctzll(found) / CHAR_BIT : WORD;
}

/* Where the first control byte stands that is not a tab; end when there is none. */
static const char *find_control(const char *p, const char *end)
{
	while (end - p >= WORD) {
		unsigned at = first_control(p);

		p += at;
		if (at < WORD && *p != '\t')
			return p;
		p += at < WORD;
	}
	while (p < end && !is_control(*p))
		p++;
	return p;
}

/* The line at `at`, whose CRLF must end before `limit`: 1, 0 when it is not whole, or a refusal. */
static int take_line(struct str bytes, size_t at, size_t limit, struct head *head, struct str *ret_line)
{
	const char *start = bytes.p + at, *end = bytes.p + MIN(bytes.len, limit);
	const char *stop = find_control(start, end);

	if (stop == end)
		return 0;
	if (*stop == '\n')
		return refuse(head, HEAD_BAD, "line feed without carriage return");
	if (*stop != '\r')
		return refuse(head, HEAD_BAD, "control character");
	if (stop + 1 == end)
		return 0;
	if (stop[1] != '\n')
		return refuse(head, HEAD_BAD, "carriage return without line feed");
	*ret_line = (struct str){ start, (size_t)(stop - start) };
	return 1;
}

static bool is_nocase(struct str a, const char *lower, size_t len)
{
	if (a.len != len)
		return false;
	for (size_t i = 0; i < len; i++) {
		char c = a.p[i];

		if ((c >= 'A' && c <= 'Z' ? c | 32 : c) != lower[i])
			return false;
	}
	return true;
}
#define IS_NOCASE(text, literal) is_nocase((text), (literal), sizeof(literal) - 1)

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int parse_version(struct str version, struct head *head)
{
	if (version.len != VERSION_LEN || memcmp(version.p, "HTTP/", 5) != 0 || !is_digit(version.p[5]) ||
		version.p[6] != '.' || !is_digit(version.p[7]))
		return refuse(head, HEAD_BAD, "malformed request line");
	if (version.p[5] != '1' || version.p[7] > '1')
		return refuse(head, HEAD_VERSION, "HTTP version is not 1.0 or 1.1");
	head->minor = version.p[7] - '0';
	head->keep_alive = head->minor == 1;
	return 0;
}

static size_t target_len(struct str text)
{
	size_t len = 0;

	while (len < text.len && (unsigned char)text.p[len] > ' ' && (unsigned char)text.p[len] <= '~' &&
		text.p[len] != '#')
		len++;
	return len;
}

static int parse_request_line(struct str line, struct head *head)
{
	size_t len = class_len(line, IS_TOKEN);

	if (len == 0 || len == line.len || line.p[len] != ' ')
		return refuse(head, HEAD_BAD, "malformed request line");
	head->method = (struct str){ line.p, len };
	line.p += len + 1;
	line.len -= len + 1;
	len = target_len(line);
	if (len < line.len && line.p[len] != ' ')
		return refuse(head, HEAD_BAD, "character in the request target that cannot stand there");
	if (len == 0 || len == line.len)
		return refuse(head, HEAD_BAD, "malformed request line");
	head->target = (struct str){ line.p, len };
	return parse_version((struct str){ line.p + len + 1, line.len - len - 1 }, head);
}

static bool is_port(struct str text)
{
	return text.len == 0 || (text.p[0] == ':' && text.len <= 1 + PORT_DIGITS_MAX &&
					class_len((struct str){ text.p + 1, text.len - 1 }, IS_DIGIT) == text.len - 1);
}

static size_t address_len(struct str text)
{
	size_t len = 1;

	while (len < text.len && (is_class(text.p[len], IS_HEX) || text.p[len] == ':' || text.p[len] == '.'))
		len++;
	return len > 1 && len < text.len && text.p[len] == ']' ? len + 1 : 0;
}

static bool is_escape(const char *p, size_t len)
{
	return len >= 3 && p[0] == '%' && is_class(p[1], IS_HEX) && is_class(p[2], IS_HEX);
}

static bool is_host(struct str text)
{
	size_t len = 0;

	if (text.len && text.p[0] == '[') {
		len = address_len(text);
		if (len == 0)
			return false;
	} else {
		while (len < text.len && (is_class(text.p[len], IS_HOST) || is_escape(text.p + len, text.len - len)))
			len++;
	}
	return is_port((struct str){ text.p + len, text.len - len });
}

static int on_host(struct head *head, struct str value)
{
	if (head->host.p)
		return refuse(head, HEAD_BAD, "two Host fields");
	if (!is_host(value))
		return refuse(head, HEAD_BAD, "malformed Host");
	head->host = value;
	return 0;
}

static int on_length(struct head *head, struct str value)
{
	if (head->has_length)
		return refuse(head, HEAD_BAD, "two Content-Length fields");
	if (head->chunked)
		return refuse(head, HEAD_BAD, "Content-Length beside Transfer-Encoding");
	if (str_to_u64(value, &head->length) < 0)
		return refuse(head, HEAD_BAD, "malformed Content-Length");
	head->has_length = true;
	return 0;
}

static bool is_coding(struct str item)
{
	size_t len = class_len(item, IS_TOKEN);

	return len > 0 && (len == item.len || item.p[len] == ';' || item.p[len] == ' ' || item.p[len] == '\t');
}

static int on_coding(struct head *head, struct str value)
{
	bool unknown = false, more;

	if (head->minor == 0)
		return refuse(head, HEAD_BAD, "Transfer-Encoding in HTTP/1.0");
	if (head->has_length)
		return refuse(head, HEAD_BAD, "Content-Length beside Transfer-Encoding");
	do {
		struct str item;

		more = str_has(value, ',');
		item = str_trim(str_cut(&value, ','));
		if (IS_NOCASE(item, "chunked")) {
			if (head->chunked)
				return refuse(head, HEAD_BAD, "chunked twice");
			head->chunked = true;
		} else if (is_coding(item)) {
			unknown = true;
		} else {
			return refuse(head, HEAD_BAD, "malformed Transfer-Encoding");
		}
	} while (more);
	return unknown ? refuse(head, HEAD_NOT_IMPLEMENTED, "transfer coding other than chunked") : 0;
}

static int on_connection(struct head *head, struct str value)
{
	struct str item;

	while (head_list_next(&value, &item)) {
		if (IS_NOCASE(item, "close"))
			head->closes = true;
		else if (IS_NOCASE(item, "keep-alive"))
			head->keep_alive = true;
		else if (IS_NOCASE(item, "upgrade"))
			head->wants_upgrade = true;
	}
	return 0;
}

static int on_expect(struct head *head, struct str value)
{
	struct str item;

	while (head_list_next(&value, &item)) {
		if (!IS_NOCASE(item, "100-continue"))
			head->expects_unknown = true;
		else if (head->minor == 1)
			head->expects_continue = true;
	}
	return 0;
}

/* Fields that decide where the request ends and whom it is for. */
static int on_field(struct head *head, struct str name, struct str value)
{
	switch (name.len) {
	case sizeof("host") - 1:
		return IS_NOCASE(name, "host") ? on_host(head, value) : 0;
	case sizeof("expect") - 1:
		return IS_NOCASE(name, "expect") ? on_expect(head, value) : 0;
	case sizeof("connection") - 1:
		return IS_NOCASE(name, "connection") ? on_connection(head, value) : 0;
	case sizeof("content-length") - 1:
		return IS_NOCASE(name, "content-length") ? on_length(head, value) : 0;
	case sizeof("transfer-encoding") - 1:
		return IS_NOCASE(name, "transfer-encoding") ? on_coding(head, value) : 0;
	default:
		return 0;
	}
}

static int parse_field(struct str line, struct head *head)
{
	size_t len = class_len(line, IS_TOKEN);
	struct head_field *field = &head->fields[head->count];

	if (len == 0 || len == line.len || line.p[len] != ':')
		return refuse(head, HEAD_BAD, "malformed header field");
	field->name = (struct str){ line.p, len };
	field->value = str_trim((struct str){ line.p + len + 1, line.len - len - 1 });
	head->count++;
	return on_field(head, field->name, field->value);
}

/* What the first byte of a line tells already. */
static int check_field_start(char first, struct head *head)
{
	if (first == ' ' || first == '\t')
		return refuse(head, HEAD_BAD, "folded header field");
	if (head->count == HEAD_FIELDS_COUNT && first != '\r')
		return refuse(head, HEAD_FIELDS_TOO_LARGE, "more than 100 header fields");
	return 0;
}

static ssize_t finish(struct head *head, size_t len)
{
	if (head->minor == 1 && !head->host.p)
		return refuse(head, HEAD_BAD, "no Host");
	if (head->closes)
		head->keep_alive = false;
	return (ssize_t)len;
}

static ssize_t parse_fields(struct str bytes, size_t at, struct head *head)
{
	size_t limit = at + FIELDS_ROOM;

	while (at < bytes.len) {
		struct str line = { 0 };
		int r = at < limit ? check_field_start(bytes.p[at], head) : 0;

		if (r == 0)
			r = take_line(bytes, at, limit, head, &line);
		if (r < 0)
			return r;
		if (r == 0)
			break;
		at += line.len + CRLF_LEN;
		if (line.len == 0)
			return finish(head, at);
		r = parse_field(line, head);
		if (r < 0)
			return r;
	}
	return bytes.len >= limit ? refuse(head, HEAD_FIELDS_TOO_LARGE, "header fields longer than 32 KiB") : 0;
}

static ssize_t parse(struct str bytes, struct head *head)
{
	struct str line = { 0 };
	size_t at = 0;
	int r;

	memset(head, 0, offsetof(struct head, fields));
	for (;;) {
		r = take_line(bytes, at, LINE_ROOM, head, &line);
		if (r < 0)
			return r;
		if (r == 0)
			return bytes.len < LINE_ROOM
				       ? 0
				       : refuse(head, HEAD_LINE_TOO_LONG, "request line longer than 8 KiB");
		if (line.len)
			break;
		at += CRLF_LEN;
		if (at > EMPTY_LINES_MAX * CRLF_LEN)
			return refuse(head, HEAD_BAD, "empty lines instead of a request line");
	}
	r = parse_request_line(line, head);
	return r < 0 ? r : parse_fields(bytes, at + line.len + CRLF_LEN, head);
}

/* Whether a limit may have been reached, where no line has ended and nothing else can be wrong. */
static bool may_be_too_long(struct str bytes)
{
	const char *end = bytes.p + bytes.len, *at = bytes.p;

	if (bytes.len < LINE_ROOM)
		return false;
	while (at < end && (*at == '\r' || *at == '\n'))
		at++;
	at = memchr(at, '\n', (size_t)(end - at));
	return !at || end - at > FIELDS_ROOM;
}

/* Whether the bytes from `from` on only lengthen a line whose beginning was looked at. */
static bool only_lengthens(struct str bytes, size_t from)
{
	const char *end = bytes.p + bytes.len;

	return from > 0 && from <= bytes.len && !is_control(bytes.p[from - 1]) &&
	       find_control(bytes.p + from, end) == end && !may_be_too_long(bytes);
}

ssize_t head_parse(struct str bytes, size_t *from, struct head *ret_head)
{
	ssize_t r = only_lengthens(bytes, *from) ? 0 : parse(bytes, ret_head);

	*from = r == 0 ? bytes.len : 0;
	return r;
}

struct str head_get(const struct head *head, const char *name)
{
	for (size_t i = 0; i < head->count; i++)
		if (str_is_nocase(head->fields[i].name, name))
			return head->fields[i].value;
	return (struct str){ 0 };
}

size_t head_count(const struct head *head, const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < head->count; i++)
		count += str_is_nocase(head->fields[i].name, name);
	return count;
}

int head_join(struct arena *arena, const struct head *head, const char *name, struct str *ret_value)
{
	static const struct str comma = { ", ", 2 };
	size_t room = 0, len = 0;
	char *joined;

	for (size_t i = 0; i < head->count; i++)
		if (str_is_nocase(head->fields[i].name, name))
			room += head->fields[i].value.len + comma.len;
	*ret_value = (struct str){ 0 };
	if (room == 0)
		return 0;
	joined = arena_alloc(arena, room);
	if (!joined)
		return -ENOMEM;
	for (size_t i = 0; i < head->count; i++) {
		struct str value = head->fields[i].value;

		if (!str_is_nocase(head->fields[i].name, name))
			continue;
		memcpy(joined + len, value.p, value.len);
		memcpy(joined + len + value.len, comma.p, comma.len);
		len += value.len + comma.len;
	}
	*ret_value = (struct str){ joined, len - comma.len };
	return 0;
}

struct str head_peek(struct str bytes, const char *name)
{
	str_cut(&bytes, '\n'); /* the request line */
	while (str_has(bytes, '\n')) {
		struct str line = str_cut(&bytes, '\n'), found;

		if (line.len && line.p[line.len - 1] == '\r')
			line.len--;
		if (line.len == 0)
			break;
		found = str_cut(&line, ':');
		if (str_is_nocase(found, name))
			return str_trim(line);
	}
	return (struct str){ 0 };
}

/* Up to the first comma outside of a quoted string. */
static struct str cut_item(struct str *rest)
{
	struct str item = *rest;
	bool quoted = false;
	size_t len;

	for (len = 0; len < rest->len && (quoted || rest->p[len] != ','); len++) {
		if (rest->p[len] == '"')
			quoted = !quoted;
		else if (quoted && rest->p[len] == '\\' && len + 1 < rest->len)
			len++;
	}
	item.len = len;
	len = MIN(len + 1, rest->len);
	rest->p += len;
	rest->len -= len;
	return str_trim(item);
}

bool head_list_next(struct str *list, struct str *ret_item)
{
	while (list->len) {
		struct str item = cut_item(list);

		if (item.len) {
			*ret_item = item;
			return true;
		}
	}
	return false;
}

bool head_has_token(const struct head *head, const char *name, const char *token)
{
	for (size_t i = 0; i < head->count; i++) {
		struct str list = head->fields[i].value, item;

		if (!str_is_nocase(head->fields[i].name, name))
			continue;
		while (head_list_next(&list, &item))
			if (str_is_nocase(str_trim(str_cut(&item, ';')), token))
				return true;
	}
	return false;
}
