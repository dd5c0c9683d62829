/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/changes.h"

#include "base/budget.h"
#include "base/clock.h"

#include <stdlib.h>

enum { QUEUE_MAX = 16384, PAIR_WITHIN = 64, PATH_LIMIT = 1 << 20 };

struct raw {
	struct list_node node;
	struct folder *folder; /* held; NULL: the outermost, seen from above */
	uint32_t mask, cookie;
	int64_t at_ns;
	size_t size;
	char name[];
};

static void raw_free(struct changes *c, struct raw *r)
{
	list_remove(&r->node);
	c->queued--;
	if (r->folder)
		folder_release(r->folder);
	budget_give(r->size);
	free(r);
}

void changes_clear(struct changes *c)
{
	LIST_EACH(n, &c->queue)
	raw_free(c, OWNER(n, struct raw, node));
	c->lost = false;
}

/* Many small writes of one file are one event. */
static bool repeats_last(const struct changes *c, const struct folder *folder, const struct inotify_event *event)
{
	const struct raw *last = OWNER(c->queue.prev, struct raw, node);

	return c->queued && event->mask == IN_MODIFY && last->mask == IN_MODIFY && last->folder == folder &&
	       strcmp(last->name, event->name) == 0;
}

static void queue(struct changes *c, struct folder *folder, const struct inotify_event *event)
{
	const char *name = event->len ? event->name : "";
	size_t size = sizeof(struct raw) + strlen(name) + 1;
	struct raw *r;

	if (c->lost || repeats_last(c, folder, event))
		return;
	if (c->queued >= QUEUE_MAX || !budget_take(size)) {
		c->lost = true;
		return;
	}
	r = mem_alloc(size);
	*r = (struct raw){ .folder = folder, .mask = event->mask, .cookie = event->cookie, .size = size };
	r->at_ns = clock_now_ns();
	memcpy(r->name, name, strlen(name) + 1);
	if (folder)
		folder_hold(folder);
	list_append(&c->queue, &r->node);
	c->queued++;
}

static bool is_wanted(const struct changes *c, const struct notify_mark *mark, const struct inotify_event *event)
{
	if (mark == &c->above)
		return event->len && event->mask & (IN_DELETE | IN_MOVED_FROM) &&
		       strcmp(event->name, strrchr(c->root, '/') + 1) == 0;
	return !event->len || !c->only || strcmp(c->only, event->name) == 0;
}

static void on_event(struct notify_user *user, struct notify_mark *mark, const struct inotify_event *event)
{
	struct changes *c = OWNER(user, struct changes, user);

	if (c->closed || !is_wanted(c, mark, event))
		return;
	queue(c, mark == &c->above ? NULL : OWNER(mark, struct folder, mark), event);
	c->wake(c);
}

static void on_outer_event(struct notify_user *user, struct notify_mark *mark, const struct inotify_event *event)
{
	struct changes *c = OWNER(user, struct changes, outer);

	(void)mark;
	if (c->closed || !(event->mask & IN_MOVE_SELF))
		return;
	queue(c, NULL, event);
	c->wake(c);
}

static void on_overflow(struct notify_user *user)
{
	struct changes *c = OWNER(user, struct changes, user);

	c->lost = true;
	c->wake(c);
}

void changes_init(struct changes *c)
{
	c->user.on_event = on_event;
	c->user.on_overflow = on_overflow;
	c->outer.on_event = on_outer_event;
	c->above.wd = -1;
	list_init(&c->above.node);
	list_init(&c->queue);
}

void changes_done(struct changes *c)
{
	c->closed = true;
	changes_clear(c);
	if (c->scan_folder)
		folder_release(take_ptr(c->scan_folder));
}

static void tell(struct changes *c, enum change_type type, struct folder *folder, const char *name, bool is_dir)
{
	AUTOBUF struct buf path;

	buf_init(&path, PATH_LIMIT);
	cover_path(&path, c->root, folder, name);
	buf_addc(&path, '\0');
	if (!buf_failed(&path))
		c->tell(c, type, path.data, NULL, is_dir);
}

static enum changes_next cover_below(struct changes *c, struct folder *folder, const char *name)
{
	c->scan_folder = folder;
	folder_hold(folder);
	memcpy(c->scan_name, name, MIN(strlen(name) + 1, sizeof c->scan_name));
	return CHANGES_SCAN;
}

static enum changes_next appeared(struct changes *c, const struct raw *r, bool is_dir)
{
	bool is_new = cover_learn(&c->cover, r->folder, r->name);

	if (!is_new && r->mask & IN_MOVED_TO)
		tell(c, CHANGE_WRITE, r->folder, r->name, is_dir);
	else if (is_new)
		tell(c, CHANGE_CREATE, r->folder, r->name, is_dir);
	if (!is_dir || !c->recursive || cover_find(&c->cover, r->folder, r->name))
		return CHANGES_MORE;
	return cover_below(c, r->folder, r->name);
}

static enum changes_next went(struct changes *c, const struct raw *r, bool is_dir)
{
	struct folder *folder = is_dir ? cover_find(&c->cover, r->folder, r->name) : NULL;

	if (folder)
		cover_drop(&c->cover, folder);
	cover_forget(&c->cover, r->folder, r->name);
	tell(c, CHANGE_REMOVE, r->folder, r->name, is_dir);
	return CHANGES_MORE;
}

static struct raw *other_half(const struct changes *c, const struct raw *from)
{
	unsigned count = 0;

	LIST_EACH(n, &c->queue)
	{
		struct raw *r = OWNER(n, struct raw, node);

		if (r->mask & IN_MOVED_TO && r->cookie == from->cookie && r->folder)
			return r;
		if (++count > PAIR_WITHIN)
			return NULL;
	}
	return NULL;
}

/* The folder goes along with its name; what was there under the new one is gone. */
static enum changes_next carry(struct changes *c, const struct raw *from, const struct raw *to)
{
	struct folder *moved = cover_find(&c->cover, from->folder, from->name);
	struct folder *replaced = cover_find(&c->cover, to->folder, to->name);

	if (!moved)
		return replaced || !c->recursive ? CHANGES_MORE : cover_below(c, to->folder, to->name);
	if (replaced && replaced != moved)
		cover_drop(&c->cover, replaced);
	cover_move(&c->cover, moved, to->folder, to->name);
	return CHANGES_MORE;
}

static enum changes_next renamed(struct changes *c, const struct raw *from, const struct raw *to, bool is_dir)
{
	AUTOBUF struct buf path, old_path;
	enum changes_next next = CHANGES_MORE;
	bool is_new;

	buf_init(&path, PATH_LIMIT);
	buf_init(&old_path, PATH_LIMIT);
	cover_path(&old_path, c->root, from->folder, from->name);
	cover_path(&path, c->root, to->folder, to->name);
	buf_addc(&path, '\0');
	buf_addc(&old_path, '\0');
	is_new = cover_learn(&c->cover, to->folder, to->name);
	if (is_dir)
		next = carry(c, from, to);
	cover_forget(&c->cover, from->folder, from->name);
	if (!buf_failed(&path) && !buf_failed(&old_path))
		c->tell(c, is_new || is_dir ? CHANGE_RENAME : CHANGE_WRITE, path.data, old_path.data, is_dir);
	return next;
}

static bool waits(const struct raw *r)
{
	return clock_now_ns() - r->at_ns < CHANGES_PAIR_MS * NS_PER_MS;
}

static enum changes_next moved_from(struct changes *c, struct raw *r, bool is_dir)
{
	struct raw *to = other_half(c, r);
	enum changes_next next;

	if (!to)
		return !c->only && c->queued <= PAIR_WITHIN && waits(r) ? CHANGES_WAIT : went(c, r, is_dir);
	if (to->folder->gone)
		next = went(c, r, is_dir);
	else
		next = renamed(c, r, to, is_dir);
	raw_free(c, to);
	return next;
}

/* Events without a name are about the folder itself; of those below, the parent tells too. */
static enum changes_next about_self(struct changes *c, const struct raw *r)
{
	if (r->folder != c->cover.root)
		return CHANGES_MORE;
	if (r->mask & (IN_DELETE_SELF | IN_UNMOUNT | IN_IGNORED))
		return CHANGES_DELETED;
	if (r->mask & IN_MOVE_SELF)
		return CHANGES_MOVED;
	if (r->mask & IN_ATTRIB && !c->only)
		tell(c, CHANGE_CHMOD, r->folder, NULL, true);
	return CHANGES_MORE;
}

static enum changes_next handle(struct changes *c, struct raw *r)
{
	bool is_dir = r->mask & IN_ISDIR;

	if (!r->folder)
		return r->mask & IN_DELETE ? CHANGES_DELETED : CHANGES_MOVED;
	if (r->folder->gone)
		return CHANGES_MORE;
	if (!r->name[0])
		return about_self(c, r);
	if (r->mask & (IN_CREATE | IN_MOVED_TO))
		return appeared(c, r, is_dir);
	if (r->mask & IN_DELETE)
		return went(c, r, is_dir);
	if (r->mask & IN_MOVED_FROM)
		return moved_from(c, r, is_dir);
	if (r->mask & (IN_MODIFY | IN_ATTRIB))
		tell(c, r->mask & IN_MODIFY ? CHANGE_WRITE : CHANGE_CHMOD, r->folder, r->name, is_dir);
	return CHANGES_MORE;
}

enum changes_next changes_step(struct changes *c)
{
	struct raw *r = OWNER(c->queue.next, struct raw, node);
	enum changes_next next;

	if (c->lost || c->cover.lossy)
		return CHANGES_LOST;
	if (!c->queued)
		return CHANGES_NONE;
	next = handle(c, r);
	if (next != CHANGES_WAIT)
		raw_free(c, r);
	return next;
}

void changes_scanned(struct changes *c, struct cover *part, const struct buf *found)
{
	struct folder *in = take_ptr(c->scan_folder);

	bool usable = !in->gone && part->root;

	if (usable)
		cover_take(&c->cover, in, c->scan_name, part);
	else
		cover_free(part);
	folder_release(in);
	if (!usable || c->cover.lossy)
		return;
	for (size_t at = 0; at + sizeof(struct found) <= found->len;) {
		struct found head;

		memcpy(&head, found->data + at, sizeof head);
		at += sizeof head;
		tell(c, CHANGE_CREATE, head.folder, found->data + at, head.is_dir);
		at += head.name_size;
	}
}
