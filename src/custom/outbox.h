/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines on their way to a worker, in order.  A worker that does not read holds them here, not the
 * loop; how many there may be is the sender's to say.
 */
#pragma once

#include "base/buf.h"
#include "base/list.h"
#include "loop/loop.h"

struct outbox {
	struct loop *loop;
	int fd; /* -1 when it is closed */
	struct watch watch;
	struct list_node letters;
	size_t sent;                         /* bytes of the first one */
	void (*on_broken)(struct outbox *o); /* the worker does not read any more; never from inside */
};

void outbox_init(struct outbox *o, struct loop *loop, int fd, void (*on_broken)(struct outbox *o));
void outbox_close(struct outbox *o); /* the worker reads end of file; what was not sent is dropped */

/* Takes over the bytes.  mark: to find them again, not 0 for those that may be dropped. */
void outbox_put(struct outbox *o, struct buf *line, uint64_t mark);

/* Takes a line back; false when a byte of it was sent, or it is not there. */
bool outbox_drop(struct outbox *o, uint64_t mark);
