/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The browser's messages, as they come out of its pipe: JSON, a NUL behind each.
 *
 * The owner says how long each may be when its beginning is known.  One that is longer, or for which
 * the budget has nothing left, is read over and only its beginning told, so a page that floods its
 * console cannot make us hold more than the owner wants.
 */
#pragma once

#include "base/buf.h"

enum { MESSAGE_HEAD = 256 }; /* bytes by which the owner judges */

struct messages;

struct messages_events {
	/* How long a message that begins so may be.  It may be whole already. */
	size_t (*room)(struct messages *m, struct str head);
	/* A whole one, terminated; may be changed, and taken with messages_take(). */
	void (*on_message)(struct messages *m, struct buf *text);
	/* One that was not kept.  starved: there was no memory for it. */
	void (*on_cut)(struct messages *m, struct str head, bool starved);
};

struct messages {
	const struct messages_events *events;
	struct buf text; /* of the message that is being read */
	char head[MESSAGE_HEAD];
	size_t head_len, max; /* max: what the owner said */
	bool judged, cut, starved, stopped;
};

void messages_init(struct messages *m, const struct messages_events *events);
void messages_free(struct messages *m);

/* Bytes that came; calls the events. */
void messages_add(struct messages *m, struct str bytes);

/* In an event: the rest of the bytes is not wanted any more. */
void messages_stop(struct messages *m);

/* The message's memory, from on_message; given back with buf_free(). */
struct buf messages_take(struct buf *text);
