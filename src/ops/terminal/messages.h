/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The messages of a terminal's WebSocket: their rows, and the reading of those that come in.
 */
#pragma once

#include "base/arena.h"
#include "catalog/op.h"

/* server_messages, in the order of their list. */
enum { MESSAGE_OUTPUT, MESSAGE_STARTED, MESSAGE_REPLAY, MESSAGE_LIVE, MESSAGE_GAP, MESSAGE_EXITED };

struct output_message {
	const char *type;
	struct str data;
	bool lossy;
};

struct started_message {
	const char *type, *event, *session_id;
	int64_t pid, cols, rows;
};

struct replay_message {
	const char *type, *event;
	int64_t bytes, dropped;
};

struct live_message {
	const char *type, *event;
};

struct gap_message {
	const char *type, *event;
	int64_t from, to, dropped;
};

struct exited_message {
	const char *type, *event, *session_id;
	int64_t exit_code;
	const char *signal;
};

/* client_messages, in the order of theirs. */
enum { MESSAGE_INPUT, MESSAGE_RESIZE, MESSAGE_SIGNAL };
enum { MESSAGE_MEMORY_MAX = 64 * 1024 }; /* of the arena that a message is read in: no known one needs more */

extern const struct socket_shape messages_shape;

struct client_message {
	struct str data;
	unsigned columns, rows;
	int signal;
};

/* Which one it is; -1 when it is none of them, or its members are not as they should be. */
int message_read(struct arena *arena, char *text, size_t len, struct client_message *ret_message) MUST_CHECK;
