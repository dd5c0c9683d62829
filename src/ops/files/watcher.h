/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work of one watch: its scans and polls off the loop, one at a time, and what they find.
 *
 * The owner takes what changed through its `tell` while watcher_go() runs, and says there whether it
 * has room for more.  watcher_stop() may be called at any time; the watcher is freed by itself
 * when no worker uses it any more.
 */
#pragma once

#include "ops/files/changes.h"
#include "ops/files/snapshot.h"
#include "policy/place.h"

enum watch_mode { WATCH_MODE_AUTO, WATCH_MODE_INOTIFY, WATCH_MODE_POLL };
enum watch_end { WATCH_GOES_ON, WATCH_DELETED, WATCH_MOVED, WATCH_FAILED };

struct watcher;

struct watcher_fns {
	void (*ready)(void *user, enum watch_mode mode, const char *limit, int64_t uncovered);
	void (*partial)(void *user, enum watch_mode mode, const char *limit, int64_t uncovered);
	void (*change)(void *user, enum change_type type, const char *path, const char *old_path, bool is_dir);
	void (*overflow)(void *user);
	void (*end)(void *user, enum watch_end why, const struct err *err);
	bool (*has_room)(void *user);
};

/* path: of the folder; only: the one name in it that counts, or NULL.  Copied. */
struct watcher *watcher_new(struct loop *loop, const struct principal *who, const char *path, const char *only,
	bool recursive, enum watch_mode mode, int64_t poll_ns);
void watcher_start(struct watcher *w, const struct watcher_fns *fns, void *user);
void watcher_go(struct watcher *w); /* there is room again */
void watcher_stop(struct watcher *w);
