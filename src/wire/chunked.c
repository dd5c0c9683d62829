/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/chunked.h"

#include "wire/head.h"

#include <errno.h>

enum { DIGITS_MAX = 15, EXTENSION_MAX = 1024, TRAILER_MAX = 4 * 1024 };

enum state {
	SIZE,
	EXTENSION,
	SIZE_LF,
	DATA,
	DATA_CR,
	DATA_LF,
	TRAILER, /* the first byte of a line behind the last chunk */
	TRAILER_NAME,
	TRAILER_VALUE,
	TRAILER_LF,
	END_LF,
	DONE,
	BROKEN,
};

void chunked_init(struct chunked *c)
{
	*c = (struct chunked){ .state = SIZE };
}

static bool is_text(char c)
{
	return c == '\t' || ((unsigned char)c >= ' ' && c != 0x7f);
}

static int on_size(struct chunked *c, char byte)
{
	int digit = str_hex_digit(byte);

	if (digit >= 0) {
		c->left = c->left * 16 + (uint64_t)digit;
		return ++c->digits <= DIGITS_MAX ? SIZE : BROKEN;
	}
	if (c->digits == 0)
		return BROKEN;
	if (byte == '\r')
		return SIZE_LF;
	c->extra = 1;
	return byte == ';' ? EXTENSION : BROKEN;
}

static int on_extension(struct chunked *c, char byte)
{
	if (byte == '\r')
		return SIZE_LF;
	return ++c->extra <= EXTENSION_MAX && is_text(byte) ? EXTENSION : BROKEN;
}

static int on_size_end(struct chunked *c, char byte)
{
	if (byte != '\n')
		return BROKEN;
	c->digits = c->extra = 0;
	return c->left ? DATA : TRAILER;
}

static int on_trailer(struct chunked *c, char byte)
{
	if (++c->extra > TRAILER_MAX)
		return BROKEN;
	switch (c->state) {
	case TRAILER_NAME:
		return byte == ':' ? TRAILER_VALUE : head_is_token_char(byte) ? TRAILER_NAME : BROKEN;
	case TRAILER_VALUE:
		return byte == '\r' ? TRAILER_LF : is_text(byte) ? TRAILER_VALUE : BROKEN;
	default:
		return byte == '\n' ? TRAILER : BROKEN;
	}
}

static int next_state(struct chunked *c, char byte)
{
	switch (c->state) {
	case SIZE:
		return on_size(c, byte);
	case EXTENSION:
		return on_extension(c, byte);
	case SIZE_LF:
		return on_size_end(c, byte);
	case DATA_CR:
		return byte == '\r' ? DATA_LF : BROKEN;
	case DATA_LF:
		return byte == '\n' ? SIZE : BROKEN;
	case TRAILER:
		c->extra++;
		return byte == '\r' ? END_LF : head_is_token_char(byte) ? TRAILER_NAME : BROKEN;
	case END_LF:
		return byte == '\n' ? DONE : BROKEN;
	default:
		return on_trailer(c, byte);
	}
}

ssize_t chunked_read(struct chunked *c, struct str bytes, struct str *ret_data)
{
	size_t at = 0, len;

	while (at < bytes.len && c->state != DATA && c->state != DONE && c->state != BROKEN)
		c->state = next_state(c, bytes.p[at++]);
	if (c->state == BROKEN)
		return -EINVAL;
	len = c->state == DATA ? (size_t)MIN(c->left, bytes.len - at) : 0;
	*ret_data = (struct str){ bytes.p + at, len };
	c->left -= len;
	if (c->state == DATA && c->left == 0)
		c->state = DATA_CR;
	return (ssize_t)(at + len);
}

bool chunked_done(const struct chunked *c)
{
	return c->state == DONE;
}

size_t chunked_head(char to[static CHUNKED_HEAD_MAX], size_t len)
{
	size_t digits = 1;

	while (digits < 2 * sizeof len && len >> (4 * digits))
		digits++;
	for (size_t i = 0; i < digits; i++)
		to[i] = "0123456789abcdef"[(len >> (4 * (digits - 1 - i))) & 15];
	to[digits] = '\r';
	to[digits + 1] = '\n';
	return digits + 2;
}
