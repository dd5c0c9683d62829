/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/response.h"

#include <errno.h>
#include <string.h>

static ssize_t refuse(struct response *r, const char *reason)
{
	r->reason = reason;
	return -EINVAL;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_token_char(char c)
{
	return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c && strchr("!#$%&'*+-.^_`|~", c));
}

/* The length of the head with its empty line, 0 when it is not whole; refuses a bare CR, LF or NUL on the way. */
static ssize_t find_end(struct str bytes, struct response *r)
{
	size_t len = MIN(bytes.len, (size_t)RESPONSE_HEAD_MAX);

	for (size_t i = 0; i < len; i++) {
		char c = bytes.p[i];

		if (c == '\0')
			return refuse(r, "a NUL in the head");
		if (c == '\n' && (i == 0 || bytes.p[i - 1] != '\r'))
			return refuse(r, "a line that ends without CR");
		if (c == '\r' && i + 1 < len && bytes.p[i + 1] != '\n')
			return refuse(r, "a CR inside a line");
		if (c == '\n' && i >= 3 && bytes.p[i - 2] == '\n')
			return (ssize_t)i + 1;
	}
	return bytes.len >= RESPONSE_HEAD_MAX ? refuse(r, "a head that is too large") : 0;
}

/* "HTTP/1.1 200 OK" */
static int parse_status_line(struct str line, struct response *r)
{
	const char *p = line.p;

	if (line.len < 12 || memcmp(p, "HTTP/1.", 7) != 0 || !is_digit(p[7]) || p[8] != ' ')
		return -EINVAL;
	if (!is_digit(p[9]) || !is_digit(p[10]) || !is_digit(p[11]) || p[9] == '0' || (line.len > 12 && p[12] != ' '))
		return -EINVAL;
	r->minor = p[7] - '0';
	r->status = (p[9] - '0') * 100 + (p[10] - '0') * 10 + (p[11] - '0');
	return 0;
}

static int add_field(struct str line, struct response *r)
{
	struct str value = line;
	struct str name = str_cut(&value, ':');

	if (r->count == RESPONSE_FIELDS_MAX || name.len == 0 || name.len == line.len)
		return -EINVAL;
	for (size_t i = 0; i < name.len; i++) {
		if (!is_token_char(name.p[i]))
			return -EINVAL;
	}
	r->fields[r->count++] = (struct response_field){ name, str_trim(value) };
	return 0;
}

static size_t count_of(const struct response *r, const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < r->count; i++)
		count += str_is_nocase(r->fields[i].name, name);
	return count;
}

/* How the body is framed: what is contradictory is refused. */
static ssize_t read_framing(struct response *r)
{
	struct str length = response_get(r, "Content-Length"), coding = response_get(r, "Transfer-Encoding");
	struct str connection = response_get(r, "Connection");

	if (count_of(r, "Content-Length") > 1 || count_of(r, "Transfer-Encoding") > 1 || (length.p && coding.p))
		return refuse(r, "two lengths of one body");
	if (length.p && str_to_u64(length, &r->length) < 0)
		return refuse(r, "a Content-Length that is no number");
	if (coding.p && !str_is_nocase(coding, "chunked"))
		return refuse(r, "a transfer coding that is not known");
	r->has_length = length.p != NULL;
	r->chunked = coding.p != NULL;
	r->keep_alive = r->minor >= 1 ? !str_is_nocase(connection, "close") : str_is_nocase(connection, "keep-alive");
	return 0;
}

ssize_t response_parse(struct str bytes, struct response *ret_response)
{
	struct response *r = ret_response;
	ssize_t len;
	struct str rest, line;

	memset(r, 0, sizeof *r);
	len = find_end(bytes, r);
	if (len <= 0)
		return len;
	rest = (struct str){ bytes.p, (size_t)len - 2 };
	line = str_cut(&rest, '\n');
	line.len--;
	if (parse_status_line(line, r) < 0)
		return refuse(r, "no HTTP/1 status line");
	while (rest.len) {
		line = str_cut(&rest, '\n');
		line.len--;
		if (add_field(line, r) < 0)
			return refuse(r, "a bad header line");
	}
	if (read_framing(r) < 0)
		return -EINVAL;
	return len;
}

struct str response_get(const struct response *r, const char *name)
{
	for (size_t i = 0; i < r->count; i++) {
		if (str_is_nocase(r->fields[i].name, name))
			return r->fields[i].value;
	}
	return (struct str){ 0 };
}

bool response_is_type(const struct response *r, const char *media_type)
{
	struct str type = response_get(r, "Content-Type");

	return type.p && str_is_nocase(str_trim(str_cut(&type, ';')), media_type);
}
