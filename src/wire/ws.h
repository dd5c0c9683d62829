/* SPDX-License-Identifier: Apache-2.0 */
/*
 * WebSocket frames (RFC 6455) from the server's side, without extensions.
 *
 * Reading: ws_frame_parse() on what is at the front, ws_message_add() with each frame, then
 * ws_unmask() its payload as it comes.  A refusal is minus the code to close with.  Whether
 * text is UTF-8 is the caller's to ask, of the whole message (BAD_DATA when it is not).
 */
#pragma once

#include "base/str.h"

enum {
	WS_FRAME_MAX = 1 << 20,   /* payload of one frame, in */
	WS_MESSAGE_MAX = 4 << 20, /* of all frames of a message, in */
	WS_CONTROL_MAX = 125,
	WS_HEAD_MAX = 10, /* of a frame that we write */
	WS_ACCEPT_LEN = 28,
};

enum ws_opcode {
	WS_CONTINUATION = 0,
	WS_TEXT = 1,
	WS_BINARY = 2,
	WS_CLOSE = 8,
	WS_PING = 9,
	WS_PONG = 10,
};

enum ws_close {
	WS_CLOSE_NORMAL = 1000,
	WS_CLOSE_GOING_AWAY = 1001,
	WS_CLOSE_PROTOCOL = 1002,
	WS_CLOSE_UNSUPPORTED = 1003,
	WS_CLOSE_NO_CODE = 1005, /* never sent: what an empty close frame means */
	WS_CLOSE_BAD_DATA = 1007,
	WS_CLOSE_POLICY = 1008,
	WS_CLOSE_TOO_BIG = 1009,
	WS_CLOSE_INTERNAL = 1011,
};

struct ws_frame {
	enum ws_opcode opcode;
	bool fin;
	size_t len; /* of the payload */
	uint8_t mask[4];
};

/* The length of the frame head at the front, 0 when more bytes are needed, or -(enum ws_close). */
ssize_t ws_frame_parse(struct str bytes, struct ws_frame *ret_frame) MUST_CHECK;

/* Masks or unmasks in place; offset says how many bytes of the payload came before these. */
void ws_unmask(void *bytes, size_t len, const uint8_t mask[static 4], size_t offset);

/* A message of one or more frames, between which control frames may stand. Zeroed: none has begun. */
struct ws_message {
	enum ws_opcode opcode; /* WS_TEXT or WS_BINARY while open, and of the last one after that */
	bool open;
	size_t len; /* payload so far, with the frame just added */
};

enum ws_step {
	WS_STEP_PART,    /* the message goes on after this frame */
	WS_STEP_LAST,    /* the message is whole with this frame */
	WS_STEP_CONTROL, /* the frame stands alone: close, ping or pong */
};

/* An enum ws_step, or -(enum ws_close). */
int ws_message_add(struct ws_message *m, const struct ws_frame *frame) MUST_CHECK;

/* Whether a peer may send this code. */
bool ws_close_is_valid(unsigned code);

/* The payload of a close frame, unmasked: the code (WS_CLOSE_NO_CODE when empty), or -(enum ws_close). */
int ws_close_parse(struct str payload, struct str *ret_reason) MUST_CHECK;

/* Writes a close payload: its length. A reason that is too long is cut between characters. */
size_t ws_close_payload(char to[static WS_CONTROL_MAX], enum ws_close code, const char *reason);

/* Writes the head of a frame with len bytes of payload, not masked: its length. */
size_t ws_frame_head(char to[static WS_HEAD_MAX], enum ws_opcode opcode, bool fin, size_t len);

/* Sec-WebSocket-Accept for a Sec-WebSocket-Key, terminated: 0, or -EINVAL when the key is not 16 bytes in base64. */
int ws_accept(struct str key, char to[static WS_ACCEPT_LEN + 1]) MUST_CHECK;
