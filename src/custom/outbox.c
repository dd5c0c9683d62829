/* SPDX-License-Identifier: Apache-2.0 */
#include "custom/outbox.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { TURN_WRITES = 16 }; /* in a turn of the loop, so that others get theirs */

struct letter {
	struct list_node node;
	struct buf line;
	uint64_t mark;
};

void outbox_init(struct outbox *o, struct loop *loop, int fd, void (*on_broken)(struct outbox *o))
{
	*o = (struct outbox){ .loop = loop, .fd = fd, .on_broken = on_broken };
	list_init(&o->letters);
}

static void letter_free(struct letter *letter)
{
	list_remove(&letter->node);
	buf_free(&letter->line);
	free(letter);
}

void outbox_close(struct outbox *o)
{
	watch_stop(&o->watch);
	close_fd(take_fd(&o->fd));
	while (!list_is_empty(&o->letters))
		letter_free(OWNER(o->letters.next, struct letter, node));
	o->sent = 0;
}

/* False when nothing more goes now. */
static bool write_once(struct outbox *o)
{
	struct letter *letter = OWNER(o->letters.next, struct letter, node);
	ssize_t len = write(o->fd, letter->line.data + o->sent, letter->line.len - o->sent);

	if (len < 0)
		return errno == EINTR;
	o->sent += (size_t)len;
	if (o->sent < letter->line.len)
		return true;
	letter_free(letter);
	o->sent = 0;
	return true;
}

static void on_writable(struct watch *w, unsigned events)
{
	struct outbox *o = OWNER(w, struct outbox, watch);
	bool broken = events & WATCH_ERROR;

	for (int i = 0; i < TURN_WRITES && !broken && !list_is_empty(&o->letters); i++) {
		errno = 0;
		if (!write_once(o)) {
			broken = errno != EAGAIN;
			break;
		}
	}
	if (broken) {
		outbox_close(o);
		o->on_broken(o);
	} else if (list_is_empty(&o->letters)) {
		watch_change(&o->watch, 0);
	}
}

void outbox_put(struct outbox *o, struct buf *line, uint64_t mark)
{
	struct letter *letter = mem_new(struct letter);

	letter->line = *line;
	letter->mark = mark;
	*line = (struct buf){ .data = NULL };
	list_append(&o->letters, &letter->node);
	if (o->fd < 0)
		return;
	watch_change(&o->watch, WATCH_WRITE);
	if (!o->watch.handle && watch_start(&o->watch, o->loop, o->fd, WATCH_WRITE, on_writable) < 0)
		outbox_close(o);
}

bool outbox_drop(struct outbox *o, uint64_t mark)
{
	LIST_EACH(node, &o->letters)
	{
		struct letter *letter = OWNER(node, struct letter, node);

		if (letter->mark != mark)
			continue;
		if (node == o->letters.next && o->sent > 0)
			return false;
		letter_free(letter);
		return true;
	}
	return false;
}
