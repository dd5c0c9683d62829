/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server's one inotify instance, which all watches share (R69).
 *
 * A mark says that a user wants to hear of one folder.  Marks of the same folder share the
 * kernel's watch, which goes with the last of them; the instance goes with the last user.
 * Marks are added and dropped from any thread.  Events come on the loop: a callback takes
 * them down and calls nothing here.
 */
#pragma once

#include "base/list.h"
#include "loop/loop.h"

#include <sys/inotify.h>

struct notify_mark;

struct notify_user {
	struct list_node node;
	void (*on_event)(struct notify_user *user, struct notify_mark *mark, const struct inotify_event *event);
	void (*on_overflow)(struct notify_user *user); /* events were lost, nobody knows whose */
};

struct notify_mark {
	struct list_node node;
	struct notify_user *user;
	int wd; /* -1: the kernel watches nothing for it (any more) */
};

/* 0 or a negative errno: -EMFILE when there are as many instances as the kernel allows.  On the loop. */
int notify_join(struct notify_user *user, struct loop *loop) MUST_CHECK;
void notify_leave(struct notify_user *user); /* its marks are dropped before */

/* fd: the folder, O_PATH is enough.  0 or a negative errno: -ENOSPC when the kernel's watches are used up. */
int notify_add(struct notify_user *user, struct notify_mark *mark, int fd) MUST_CHECK;
/* The same for nothing but the folder's own move; the wishes of others for the same folder stay. */
int notify_add_self(struct notify_user *user, struct notify_mark *mark, int fd) MUST_CHECK;
void notify_drop(struct notify_mark *mark);

/* The kernel's watches that are in use. */
size_t notify_count(void);
