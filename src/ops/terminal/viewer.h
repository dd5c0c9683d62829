/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One who watches a terminal over a WebSocket, and types.
 *
 * A cursor on the session's output: first the scrollback, between the events "replay" and "live",
 * then all that comes, then "exited".  Who reads too slowly is skipped to the end with "gap" and
 * holds nobody up (R27, R30).  Input does not wait behind output; when very much of it waits for
 * the terminal the connection is not read until there is room (R41).
 */
#pragma once

#include "call/socket.h"
#include "ops/terminal/terminal.h"

/* Subprotocols, in the order of the op's list. */
enum { VIEWER_JSON, VIEWER_BINARY };

/* Makes a socket of the call and attaches it. */
void viewer_start(struct call *call, struct terminal *t);

/* The offset that it wants next, and what to do when there is room for input again; by its node in the session's list. */
uint64_t viewer_wants(const struct list_node *node);
void viewer_resume(struct list_node *node);
