/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/process/feed.h"

#include "base/clock.h"

#include <errno.h>
#include <unistd.h>

enum { TURN_WRITES = 16 }; /* in a turn of the loop, so that others get theirs */

#define STALL_NS (5 * NS_PER_S)
#define BROKEN_NS NS_PER_S /* a child's pipes close a moment before its end is told, which is long on a busy machine */
#define LONGEST_NS (60 * NS_PER_S) /* for one caller, however slowly it goes on */

void feed_init(struct feed *f, struct loop *loop, int fd)
{
	*f = (struct feed){ .loop = loop, .fd = fd };
	list_init(&f->items);
}

static void tell_all(struct feed *f, enum feed_end how)
{
	struct list_node *node;

	while ((node = list_shift(&f->items))) {
		struct feed_item *item = OWNER(node, struct feed_item, node);

		item->fn(item, how);
	}
}

void feed_close(struct feed *f)
{
	watch_stop(&f->watch);
	timer_free(&f->stall);
	close_fd(take_fd(&f->fd));
	tell_all(f, FEED_CLOSED);
}

static void on_broken(struct timer *t)
{
	tell_all(OWNER(t, struct feed, stall), FEED_CLOSED);
}

/* Nobody reads any more.  Whether the child has ended as well is known in a moment. */
static void give_up(struct feed *f)
{
	watch_stop(&f->watch);
	close_fd(take_fd(&f->fd));
	timer_start(&f->stall, f->loop, BROKEN_NS, on_broken);
}

static void on_stall(struct timer *t)
{
	struct feed *f = OWNER(t, struct feed, stall);

	watch_change(&f->watch, 0);
	tell_all(f, FEED_STALLED);
}

/* One write for the first in line: false when nothing more goes now. */
static bool write_once(struct feed *f)
{
	struct feed_item *item = OWNER(f->items.next, struct feed_item, node);
	ssize_t len = item->left.len ? write(f->fd, item->left.p, item->left.len) : 0;

	if (len < 0 && errno == EINTR)
		return true;
	if (len < 0 && errno == EAGAIN)
		return false;
	if (len < 0) {
		give_up(f);
		return false;
	}
	item->left.p += len;
	item->left.len -= (size_t)len;
	item->taken += (size_t)len;
	if (len > 0)
		timer_start(&f->stall, f->loop, STALL_NS, on_stall);
	if (item->left.len)
		return true;
	list_remove(&item->node);
	if (!item->eof) {
		item->fn(item, FEED_TAKEN);
		return f->fd >= 0;
	}
	/* The child must see the end before the caller hears of it. */
	watch_stop(&f->watch);
	close_fd(take_fd(&f->fd));
	item->fn(item, FEED_TAKEN);
	feed_close(f);
	return false;
}

static void give_up_late(struct feed *f)
{
	int64_t now = clock_now_ns();

	/* In the order of their coming, so of their ends. */
	while (!list_is_empty(&f->items)) {
		struct feed_item *item = OWNER(f->items.next, struct feed_item, node);

		if (now < item->give_up_ns)
			return;
		list_remove(&item->node);
		item->fn(item, FEED_STALLED);
	}
}

static void on_writable(struct watch *w, unsigned events);

static void pump(struct feed *f)
{
	for (int i = 0; i < TURN_WRITES && f->fd >= 0 && !list_is_empty(&f->items); i++) {
		if (!write_once(f))
			break;
	}
	if (f->fd < 0)
		return;
	if (list_is_empty(&f->items)) {
		timer_stop(&f->stall);
		watch_change(&f->watch, 0);
		return;
	}
	watch_change(&f->watch, WATCH_WRITE);
	if (!f->watch.handle && watch_start(&f->watch, f->loop, f->fd, WATCH_WRITE, on_writable) < 0)
		feed_close(f);
}

static void on_writable(struct watch *w, unsigned events)
{
	struct feed *f = OWNER(w, struct feed, watch);

	if (events & WATCH_ERROR) {
		give_up(f);
		return;
	}
	pump(f);
	give_up_late(f);
}

void feed_put(struct feed *f, struct feed_item *item, struct str bytes, bool eof, feed_fn *fn)
{
	*item = (struct feed_item){ .left = bytes, .eof = eof, .fn = fn, .give_up_ns = clock_now_ns() + LONGEST_NS };
	list_append(&f->items, &item->node);
	if (!timer_running(&f->stall))
		timer_start(&f->stall, f->loop, STALL_NS, on_stall);
	/* Only the first in line may write. */
	if (f->items.next == &item->node)
		pump(f);
}

void feed_leave(struct feed_item *item)
{
	if (item->node.next)
		list_remove(&item->node);
}
