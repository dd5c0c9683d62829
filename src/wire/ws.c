/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/ws.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <nettle/base64.h>
#include <nettle/sha1.h>

enum { FIN = 0x80, RESERVED = 0x70, OPCODE = 0x0f, CONTROL = 0x08, MASKED = 0x80, LENGTH = 0x7f };
enum { LENGTH_16 = 126, LENGTH_64 = 127 }; /* instead of a length: it follows in so many bits */
enum { MASK_LEN = 4, CODE_LEN = 2, KEY_LEN = 24, KEY_DIGITS = 22, WORD = sizeof(uint64_t) };

static int check_first(uint8_t byte)
{
	unsigned opcode = byte & OPCODE;

	if (byte & RESERVED)
		return -WS_CLOSE_PROTOCOL;
	if (opcode > WS_PONG || (opcode > WS_BINARY && opcode < WS_CLOSE))
		return -WS_CLOSE_PROTOCOL;
	return opcode & CONTROL && !(byte & FIN) ? -WS_CLOSE_PROTOCOL : 0;
}

static int check_second(uint8_t first, uint8_t byte)
{
	if (!(byte & MASKED))
		return -WS_CLOSE_PROTOCOL;
	return first & CONTROL && (byte & LENGTH) > WS_CONTROL_MAX ? -WS_CLOSE_PROTOCOL : 0;
}

static uint64_t big_endian(const uint8_t *bytes, size_t count)
{
	uint64_t value = 0;

	for (size_t i = 0; i < count; i++)
		value = value << 8 | bytes[i];
	return value;
}

/* How many bytes hold the length behind the second byte. */
static size_t length_bytes(uint8_t second)
{
	switch (second & LENGTH) {
	case LENGTH_16:
		return 2;
	case LENGTH_64:
		return 8;
	default:
		return 0;
	}
}

/* The shortest form is the only one, and the highest bit is 0. */
static int check_length(uint64_t len, size_t bytes)
{
	if ((bytes == 2 && len < LENGTH_16) || (bytes == 8 && (len <= UINT16_MAX || len >> 63)))
		return -WS_CLOSE_PROTOCOL;
	return len > WS_FRAME_MAX ? -WS_CLOSE_TOO_BIG : 0;
}

ssize_t ws_frame_parse(struct str bytes, struct ws_frame *ret_frame)
{
	const uint8_t *p = (const uint8_t *)bytes.p;
	size_t extended;
	uint64_t len;
	int r = 0;

	if (bytes.len >= 1)
		r = check_first(p[0]);
	if (r == 0 && bytes.len >= 2)
		r = check_second(p[0], p[1]);
	if (r < 0 || bytes.len < 2)
		return r;
	extended = length_bytes(p[1]);
	if (bytes.len < 2 + extended)
		return 0;
	len = extended ? big_endian(p + 2, extended) : p[1] & LENGTH;
	r = check_length(len, extended);
	if (r < 0 || bytes.len < 2 + extended + MASK_LEN)
		return r;
	*ret_frame = (struct ws_frame){ .opcode = p[0] & OPCODE, .fin = p[0] & FIN, .len = (size_t)len };
	memcpy(ret_frame->mask, p + 2 + extended, MASK_LEN);
	return (ssize_t)(2 + extended + MASK_LEN);
}

void ws_unmask(void *bytes, size_t len, const uint8_t mask[static 4], size_t offset)
{
	uint8_t pattern[WORD], *p = bytes;
	uint64_t key, word;

	for (size_t i = 0; i < WORD; i++)
		pattern[i] = mask[(offset + i) % MASK_LEN];
	memcpy(&key, pattern, WORD);
	for (; len >= WORD; p += WORD, len -= WORD) {
		memcpy(&word, p, WORD);
		word ^= key;
		memcpy(p, &word, WORD);
	}
	for (size_t i = 0; i < len; i++)
		p[i] ^= pattern[i];
}

int ws_message_add(struct ws_message *m, const struct ws_frame *frame)
{
	if (frame->opcode & CONTROL)
		return WS_STEP_CONTROL;
	if (m->open != (frame->opcode == WS_CONTINUATION))
		return -WS_CLOSE_PROTOCOL;
	if (!m->open)
		*m = (struct ws_message){ .opcode = frame->opcode };
	if (frame->len > WS_MESSAGE_MAX - m->len)
		return -WS_CLOSE_TOO_BIG;
	m->len += frame->len;
	m->open = !frame->fin;
	return frame->fin ? WS_STEP_LAST : WS_STEP_PART;
}

bool ws_close_is_valid(unsigned code)
{
	/* 1004 to 1006 and 1015 are names for what happened, not for what is sent. */
	return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
}

int ws_close_parse(struct str payload, struct str *ret_reason)
{
	unsigned code;

	if (payload.len == 0) {
		*ret_reason = payload;
		return WS_CLOSE_NO_CODE;
	}
	if (payload.len < CODE_LEN)
		return -WS_CLOSE_PROTOCOL;
	code = (unsigned)big_endian((const uint8_t *)payload.p, CODE_LEN);
	if (!ws_close_is_valid(code))
		return -WS_CLOSE_PROTOCOL;
	*ret_reason = (struct str){ payload.p + CODE_LEN, payload.len - CODE_LEN };
	return (int)code;
}

size_t ws_close_payload(char to[static WS_CONTROL_MAX], enum ws_close code, const char *reason)
{
	size_t len = strlen(reason);

	assert(ws_close_is_valid(code));
	if (len > WS_CONTROL_MAX - CODE_LEN) {
		len = WS_CONTROL_MAX - CODE_LEN;
		while (len && ((unsigned char)reason[len] & 0xc0) == 0x80)
			len--;
	}
	to[0] = (char)(code >> 8);
	to[1] = (char)(code & 0xff);
	memcpy(to + CODE_LEN, reason, len);
	return CODE_LEN + len;
}

size_t ws_frame_head(char to[static WS_HEAD_MAX], enum ws_opcode opcode, bool fin, size_t len)
{
	size_t extended = len < LENGTH_16 ? 0 : len <= UINT16_MAX ? 2 : 8;
	uint64_t big = htobe64((uint64_t)len);

	assert(!(opcode & CONTROL) || (fin && len <= WS_CONTROL_MAX));
	to[0] = (char)((fin ? FIN : 0) | opcode);
	to[1] = (char)(extended == 0 ? len : extended == 2 ? LENGTH_16 : LENGTH_64);
	memcpy(to + 2, (const char *)&big + sizeof big - extended, extended);
	return 2 + extended;
}

static bool is_key(struct str key)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	if (key.len != KEY_LEN || memcmp(key.p + KEY_DIGITS, "==", 2) != 0)
		return false;
	for (size_t i = 0; i < KEY_DIGITS; i++)
		if (!memchr(digits, key.p[i], sizeof digits - 1))
			return false;
	return true;
}

int ws_accept(struct str key, char to[static WS_ACCEPT_LEN + 1])
{
	static const char salt[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
	uint8_t digest[SHA1_DIGEST_SIZE];
	struct sha1_ctx sha1;

	static_assert(BASE64_ENCODE_RAW_LENGTH(SHA1_DIGEST_SIZE) == WS_ACCEPT_LEN, "the length of the answer");
	if (!is_key(key))
		return -EINVAL;
	sha1_init(&sha1);
	sha1_update(&sha1, key.len, (const uint8_t *)key.p);
	sha1_update(&sha1, sizeof salt - 1, (const uint8_t *)salt);
	sha1_digest(&sha1, sizeof digest, digest);
	base64_encode_raw(to, sizeof digest, digest);
	to[WS_ACCEPT_LEN] = '\0';
	return 0;
}
