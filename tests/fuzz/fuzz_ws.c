/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaches wire/ws.c: heads of frames, assembly of messages, unmasking, close payloads, keys.
 * Properties: a head gets the same verdict with any number of further bytes and never when
 * bytes are missing; written again without the mask it is the same head; unmasking in two
 * pieces equals unmasking at once, and twice gives the bytes back.
 */
#include "wire/ws.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_pieces(struct str bytes, ssize_t whole)
{
	struct ws_frame frame;
	ssize_t r = 0;

	for (size_t len = 0; r == 0 && len <= MIN(bytes.len, (size_t)16); len++) {
		char *copy = malloc(len + !len);

		memcpy(copy, bytes.p, len);
		r = ws_frame_parse((struct str){ copy, len }, &frame);
		free(copy);
		assert(r == 0 || r == whole);
		assert(r <= 0 || (size_t)r == len);
	}
	assert(r == whole);
}

static void check_written(struct str head, const struct ws_frame *frame)
{
	char to[WS_HEAD_MAX];
	size_t len = ws_frame_head(to, frame->opcode, frame->fin, frame->len);

	assert(len + 4 == head.len && to[0] == head.p[0] && (to[1] | (char)0x80) == head.p[1]);
	assert(memcmp(to + 2, head.p + 2, len - 2) == 0);
}

static void check_unmask(struct str payload, const struct ws_frame *frame)
{
	char *once = malloc(payload.len + 1), *twice = malloc(payload.len + 1);
	size_t cut = payload.len ? frame->mask[0] % payload.len : 0;

	memcpy(once, payload.p, payload.len);
	memcpy(twice, payload.p, payload.len);
	ws_unmask(once, payload.len, frame->mask, 0);
	ws_unmask(twice, cut, frame->mask, 0);
	ws_unmask(twice + cut, payload.len - cut, frame->mask, cut);
	assert(memcmp(once, twice, payload.len) == 0);
	for (size_t i = 0; i < payload.len; i++)
		assert((uint8_t)once[i] == ((uint8_t)payload.p[i] ^ frame->mask[i % 4]));
	ws_unmask(once, payload.len, frame->mask, 0);
	assert(memcmp(once, payload.p, payload.len) == 0);
	free(once);
	free(twice);
}

static void check_close(struct str payload)
{
	char to[WS_CONTROL_MAX], text[WS_CONTROL_MAX + 1] = "", key[29];
	struct str reason, again;
	int code = ws_close_parse(payload, &reason);

	assert(ws_accept(payload, key) < 0 || strlen(key) == WS_ACCEPT_LEN);
	if (code < 0 || code == WS_CLOSE_NO_CODE || str_has(reason, '\0'))
		return;
	memcpy(text, reason.p, reason.len);
	assert(ws_close_parse((struct str){ to, ws_close_payload(to, (enum ws_close)code, text) }, &again) == code);
	assert(str_eq(again, reason));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = { (const char *)data, size };
	struct ws_message message = { 0 };
	struct ws_frame frame;
	ssize_t r;

	check_close((struct str){ bytes.p, MIN(bytes.len, (size_t)WS_CONTROL_MAX) });
	while ((r = ws_frame_parse(bytes, &frame)) > 0) {
		struct str payload = { bytes.p + r, MIN(frame.len, bytes.len - (size_t)r) };
		bool was_open = message.open;
		int step = ws_message_add(&message, &frame);

		check_pieces(bytes, r);
		check_written((struct str){ bytes.p, (size_t)r }, &frame);
		check_unmask(payload, &frame);
		assert(message.len <= WS_MESSAGE_MAX);
		assert(step != WS_STEP_CONTROL || (message.open == was_open && frame.len <= WS_CONTROL_MAX));
		if (step < 0)
			return 0;
		bytes.p += (size_t)r + payload.len;
		bytes.len -= (size_t)r + payload.len;
	}
	check_pieces(bytes, r);
	return 0;
}
