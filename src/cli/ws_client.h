/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The client's side of a WebSocket (RFC 6455), without extensions, over the connection of an
 * api: what was received is looked at message by message, what is to be sent waits in `out`.
 */
#pragma once

#include "cli/api.h"
#include "wire/ws.h"

struct ws_client {
	struct api *api;
	struct buf in, out, whole;
	size_t lent; /* bytes at the front of in that the caller may still look at */
	struct ws_message message;
	bool ended;       /* the peer closed the connection */
	int64_t heard_ns; /* when something came last */
};

/* A GET of target with an upgrade, and a strict check of the answer. */
int ws_client_open(struct ws_client *c, struct api *api, const char *op, struct str target, const char *protocol,
	struct problem *p) MUST_CHECK;
void ws_client_free(struct ws_client *c);
int ws_client_fd(const struct ws_client *c);

/* Tells the peer that it is over, and waits a moment until it has said so too: then nothing that was sent is lost. */
void ws_client_close(struct ws_client *c, enum ws_close code);

/* Reads and writes what is possible without waiting. */
int ws_client_receive(struct ws_client *c, struct problem *p) MUST_CHECK;
int ws_client_flush(struct ws_client *c, struct problem *p) MUST_CHECK;

/* 1 with the next message (WS_TEXT, WS_BINARY or WS_CLOSE), there until the next call; 0: none yet; -1. */
int ws_client_next(
	struct ws_client *c, enum ws_opcode *ret_opcode, struct str *ret_payload, struct problem *p) MUST_CHECK;

/* Appends one masked frame to what is to be sent. */
int ws_client_send(struct ws_client *c, enum ws_opcode opcode, struct str payload, struct problem *p) MUST_CHECK;
