/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The standard input of a process.
 *
 * Whoever has bytes for it waits in line until the pipe has taken all of them; nothing is kept
 * beyond that, so the memory is the waiting caller's and a slow reader slows its writers down.
 * When no byte was taken for a while all that wait are told how far they came.
 */
#pragma once

#include "base/list.h"
#include "base/str.h"
#include "loop/loop.h"

enum feed_end {
	FEED_TAKEN,   /* all of it is in the pipe */
	FEED_STALLED, /* the child does not read */
	FEED_CLOSED,  /* the child, or an earlier end of file, closed it */
};

struct feed_item;
typedef void feed_fn(struct feed_item *item, enum feed_end how);

/* A member of the caller's state. */
struct feed_item {
	struct list_node node;
	struct str left; /* the caller's memory */
	size_t taken;
	bool eof; /* close behind it */
	int64_t give_up_ns;
	feed_fn *fn;
};

struct feed {
	struct loop *loop;
	int fd; /* -1 when it is closed, or there is none */
	struct watch watch;
	struct timer stall;
	struct list_node items;
};

void feed_init(struct feed *f, struct loop *loop, int fd); /* takes the descriptor */
void feed_close(struct feed *f);                           /* all that wait are told FEED_CLOSED */

/* fn is called once, perhaps from inside; the item is in no list then. */
void feed_put(struct feed *f, struct feed_item *item, struct str bytes, bool eof, feed_fn *fn);
void feed_leave(struct feed_item *item); /* fn is not called */
