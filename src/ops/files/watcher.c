/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/watcher.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { RETRY_MS = 20, ARENA_LIMIT = 256 * 1024, FOUND_MAX = 64 << 20, DELTAS_MAX = 64 << 20 };

struct watcher {
	struct loop *loop;
	struct policy *policy;
	const struct principal *who;
	const struct watcher_fns *fns;
	void *user;
	char *path, *only;
	enum watch_mode mode; /* auto until the first scan has shown what works */
	bool may_poll, joined, recursive, told_ready, stopped, ended, polled, rescan;
	int64_t poll_ns, told_uncovered;
	struct turn turn;
	struct timer timer;
	struct changes changes;
	/* the job's, while it runs */
	struct job job;
	bool busy;
	int status;
	struct cover fresh;
	struct buf found;
	struct snapshot last, next;
	/* what the last poll found, and how much of it was told */
	struct buf deltas;
	size_t delta_at;
};

struct delta {
	enum change_type type;
	bool is_dir;
	unsigned path_size, old_size; /* with their NULs; old_size 0: none */
};

static void go(struct watcher *w);

static void on_turn(struct turn *t)
{
	go(OWNER(t, struct watcher, turn));
}

static void on_timer(struct timer *t)
{
	go(OWNER(t, struct watcher, timer));
}

static void go_soon(struct watcher *w)
{
	if (!w->stopped)
		turn_start(&w->turn, w->loop, on_turn);
}

static void on_changes(struct changes *c)
{
	struct watcher *w = OWNER(c, struct watcher, changes);

	if (!w->busy)
		go_soon(w);
}

static void on_tell(struct changes *c, enum change_type type, const char *path, const char *old_path, bool is_dir)
{
	struct watcher *w = OWNER(c, struct watcher, changes);

	w->fns->change(w->user, type, path, old_path, is_dir);
}

static void watcher_free(struct watcher *w)
{
	turn_free(&w->turn);
	timer_free(&w->timer);
	if (w->joined)
		notify_leave(&w->changes.user);
	buf_free(&w->found);
	buf_free(&w->deltas);
	policy_unref(w->policy);
	free(w->path);
	free(w->only);
	free(w);
}

static void unmark_above(struct watcher *w)
{
	notify_drop(&w->changes.above);
	ancestors_drop(&w->changes.ancestors);
}

/* In a worker, or on the loop when none is free: thousands of marks take milliseconds. */
static void let_go(struct watcher *w)
{
	cover_free(&w->changes.cover);
	cover_free(&w->fresh);
	unmark_above(w);
	snapshot_free(&w->last);
	snapshot_free(&w->next);
}

static void work_end(struct job *job)
{
	let_go(OWNER(job, struct watcher, job));
}

static void ended(struct job *job)
{
	watcher_free(OWNER(job, struct watcher, job));
}

static void finish(struct watcher *w)
{
	changes_done(&w->changes);
	w->job = (struct job){ .work = work_end, .done = ended, .lane = LANE_SHORT };
	if (job_start(&w->job, w->loop) == 0)
		return;
	let_go(w);
	watcher_free(w);
}

void watcher_stop(struct watcher *w)
{
	w->stopped = true;
	timer_stop(&w->timer);
	if (w->busy)
		job_cancel(&w->job);
	else
		finish(w);
}

static void fail(struct watcher *w, const struct err *err)
{
	w->ended = true;
	w->fns->end(w->user, WATCH_FAILED, err);
}

static void end(struct watcher *w, enum watch_end why)
{
	w->ended = true;
	w->fns->end(w->user, why, NULL);
}

static void start_job(struct watcher *w, enum lane lane, job_fn *work, job_fn *done)
{
	w->job = (struct job){ .work = work, .done = done, .lane = lane, .user = policy_file_user(w->policy) };
	w->busy = job_start(&w->job, w->loop) == 0;
	if (!w->busy) /* every worker has enough to do */
		timer_start(&w->timer, w->loop, RETRY_MS * NS_PER_MS, on_timer);
}

/* A folder by its path, as the policy sees it now: open to be read, or a negative errno. */
static int open_folder(struct watcher *w, const char *path, struct notify_mark *above)
{
	struct arena arena;
	struct place *place;
	struct err err;
	int fd;

	arena_init(&arena, ARENA_LIMIT);
	place = place_resolve(&arena, w->who, str_of(path), 0, &err);
	fd = place ? place_open_dir(place) : err.sys_errno ? -err.sys_errno : -ENOENT;
	/* Who holds the folder open keeps its own last event back; its parent tells at once. */
	if (fd >= 0 && above && !place->is_root && notify_add(&w->changes.user, above, place->parent_fd) < 0)
		above->wd = -1;
	place_close(place);
	arena_free(&arena);
	return fd;
}

static void work_scan(struct job *job)
{
	struct watcher *w = OWNER(job, struct watcher, job);
	struct cover_scan scan = { &w->changes.user, w->who, job, w->recursive, w->only, NULL };
	int fd;

	unmark_above(w);
	ancestors_mark(&w->changes.ancestors, &w->changes.outer, w->who, w->path);
	fd = open_folder(w, w->path, &w->changes.above);
	w->status = fd < 0 ? fd : cover_build(&w->fresh, &scan, fd, w->path);
}

static void work_scan_below(struct job *job)
{
	struct watcher *w = OWNER(job, struct watcher, job);
	struct cover_scan scan = { &w->changes.user, w->who, job, true, NULL, &w->found };
	AUTOBUF struct buf path;
	int fd;

	buf_init(&path, 1 << 20);
	cover_path(&path, w->path, w->changes.scan_folder, w->changes.scan_name);
	buf_addc(&path, '\0');
	fd = buf_failed(&path) ? -ENAMETOOLONG : open_folder(w, path.data, NULL);
	w->status = fd < 0 ? fd : cover_build(&w->fresh, &scan, fd, path.data);
}

static void put_delta(void *user, enum snapshot_change change, const char *path, const char *old_path, bool is_dir)
{
	static const enum change_type types[] = { CHANGE_CREATE, CHANGE_WRITE, CHANGE_REMOVE, CHANGE_RENAME,
		CHANGE_CHMOD };
	struct buf *to = user;
	struct delta d = { types[change], is_dir, (unsigned)strlen(path) + 1,
		old_path ? (unsigned)strlen(old_path) + 1 : 0 };

	buf_add(to, &d, sizeof d);
	buf_add(to, path, d.path_size);
	buf_add(to, old_path ? old_path : "", d.old_size);
}

static void work_poll(struct job *job)
{
	struct watcher *w = OWNER(job, struct watcher, job);
	struct snapshot_scan scan = { w->who, job, w->recursive, w->only };
	int fd = open_folder(w, w->path, NULL);

	w->status = fd < 0 ? fd : snapshot_take(&w->next, &scan, fd, w->path);
	if (w->status == 0 && w->polled)
		w->status = snapshot_compare(&w->last, &w->next, put_delta, &w->deltas);
	if (w->status == 0 && buf_failed(&w->deltas))
		w->status = -ENOMEM;
}

/* False: the watch is over, and nothing of it may be touched. */
static bool back(struct watcher *w)
{
	w->busy = false;
	if (!w->stopped)
		return true;
	finish(w);
	return false;
}

static void judge(struct watcher *w)
{
	struct err err;

	if (w->status == -ENOENT || w->status == -ENOTDIR) {
		end(w, WATCH_DELETED);
		return;
	}
	if (w->status == -ENOMEM)
		err_set(&err, ERR_BUSY, "watching '%s' needs more memory than is left", w->path);
	else
		err_system(&err, -w->status, "cannot watch '%s'", w->path);
	fail(w, &err);
}

static void tell_cover(struct watcher *w, const char *limit, int64_t uncovered)
{
	if (!w->told_ready)
		w->fns->ready(w->user, w->mode, limit, uncovered);
	else if (uncovered > w->told_uncovered)
		w->fns->partial(w->user, w->mode, limit, uncovered);
	w->told_ready = true;
	w->told_uncovered = uncovered;
}

static bool is_used_up(const struct cover *c)
{
	return c->limit && strncmp(c->limit, "fs.", 3) == 0;
}

/* Where the kernel's watches do not suffice, nothing is covered by them. */
static void turn_to_polling(struct watcher *w, const char *limit, int64_t uncovered)
{
	changes_clear(&w->changes);
	cover_free(&w->changes.cover);
	cover_free(&w->fresh);
	unmark_above(w);
	if (w->joined)
		notify_leave(&w->changes.user);
	w->joined = false;
	w->mode = WATCH_MODE_POLL;
	/* Told when the first snapshot is there. */
	w->fresh.limit = limit;
	w->fresh.uncovered = uncovered;
}

static void check_cover(struct watcher *w)
{
	struct cover *c = &w->changes.cover;

	if (w->may_poll && is_used_up(c))
		turn_to_polling(w, c->limit, c->uncovered);
	else
		tell_cover(w, c->limit, c->uncovered);
}

static void scanned(struct job *job)
{
	struct watcher *w = OWNER(job, struct watcher, job);

	if (!back(w))
		return;
	if (w->status == 0 && w->fresh.lossy)
		w->status = -ENOMEM;
	if (w->status < 0) {
		judge(w);
		return;
	}
	w->mode = WATCH_MODE_INOTIFY;
	cover_free(&w->changes.cover);
	w->changes.cover = w->fresh;
	w->fresh = (struct cover){ 0 };
	check_cover(w);
	go_soon(w);
}

static void scanned_below(struct job *job)
{
	struct watcher *w = OWNER(job, struct watcher, job);

	if (!back(w))
		return;
	if (w->status == -EACCES) {
		w->changes.cover.uncovered++;
		w->changes.cover.limit = w->changes.cover.limit ? w->changes.cover.limit : "permission";
	} else if (w->status < 0 && w->status != -ENOENT && w->status != -ENOTDIR && w->status != -ELOOP) {
		w->changes.lost = true; /* what is there is not known: all anew */
	}
	w->fresh.lossy |= buf_failed(&w->found);
	changes_scanned(&w->changes, &w->fresh, &w->found);
	w->fresh = (struct cover){ 0 };
	buf_free(&w->found);
	check_cover(w);
	go_soon(w);
}

static void polled(struct job *job)
{
	struct watcher *w = OWNER(job, struct watcher, job);

	if (!back(w))
		return;
	if (w->status < 0) {
		judge(w);
		return;
	}
	snapshot_free(&w->last);
	w->last = w->next;
	w->next = (struct snapshot){ 0 };
	if (!w->polled)
		tell_cover(w, w->fresh.limit, w->fresh.uncovered);
	w->polled = true;
	timer_start(&w->timer, w->loop, w->poll_ns, on_timer);
	go_soon(w);
}

/* What the last poll found; false while some of it waits for room. */
static bool tell_deltas(struct watcher *w)
{
	AUTOBUF struct buf path, old_path;

	buf_init(&path, 1 << 20);
	buf_init(&old_path, 1 << 20);
	while (w->delta_at < w->deltas.len && w->fns->has_room(w->user)) {
		const char *text = w->deltas.data + w->delta_at + sizeof(struct delta);
		const char *slash = w->path[1] ? "/" : "";
		struct delta d;

		memcpy(&d, w->deltas.data + w->delta_at, sizeof d);
		w->delta_at += sizeof d + d.path_size + d.old_size;
		buf_truncate(&path, 0);
		buf_truncate(&old_path, 0);
		buf_addf(&path, "%s%s%s", w->path, slash, text);
		buf_addf(&old_path, "%s%s%s", w->path, slash, d.old_size ? text + d.path_size : "");
		if (!buf_failed(&path) && !buf_failed(&old_path))
			w->fns->change(w->user, d.type, path.data, d.old_size ? old_path.data : NULL, d.is_dir);
	}
	if (w->delta_at < w->deltas.len)
		return false;
	buf_free(&w->deltas);
	w->delta_at = 0;
	return true;
}

static void go_on_polling(struct watcher *w)
{
	if (tell_deltas(w) && !timer_running(&w->timer))
		start_job(w, LANE_LONG, work_poll, polled);
}

static void scan_all(struct watcher *w)
{
	changes_clear(&w->changes);
	start_job(w, LANE_LONG, work_scan, scanned);
	w->rescan = !w->busy;
}

static void scan_below(struct watcher *w)
{
	buf_init_budgeted(&w->found, FOUND_MAX);
	start_job(w, LANE_SHORT, work_scan_below, scanned_below);
}

static void step_all(struct watcher *w)
{
	enum changes_next next = CHANGES_MORE;

	if (w->changes.scan_folder) { /* no worker was free */
		scan_below(w);
		return;
	}
	while (next == CHANGES_MORE && w->fns->has_room(w->user))
		next = changes_step(&w->changes);
	if (next == CHANGES_WAIT)
		timer_start(&w->timer, w->loop, CHANGES_PAIR_MS * NS_PER_MS, on_timer);
	else if (next == CHANGES_SCAN)
		scan_below(w);
	else if (next == CHANGES_DELETED || next == CHANGES_MOVED)
		end(w, next == CHANGES_MOVED ? WATCH_MOVED : WATCH_DELETED);
	else if (next == CHANGES_LOST) {
		w->fns->overflow(w->user);
		scan_all(w);
	}
}

static void go(struct watcher *w)
{
	if (w->stopped || w->ended || w->busy || !w->fns->has_room(w->user))
		return;
	if (w->mode == WATCH_MODE_POLL)
		go_on_polling(w);
	else if (!w->changes.cover.root || w->rescan)
		scan_all(w);
	else
		step_all(w);
}

void watcher_go(struct watcher *w)
{
	go_soon(w);
}

struct watcher *watcher_new(struct loop *loop, const struct principal *who, const char *path, const char *only,
	bool recursive, enum watch_mode mode, int64_t poll_ns)
{
	struct watcher *w = mem_new(struct watcher);

	w->loop = loop;
	w->who = who;
	w->policy = policy_ref((struct policy *)principal_policy(who));
	w->path = mem_strdup(path);
	w->only = only ? mem_strdup(only) : NULL;
	w->recursive = recursive;
	w->mode = mode;
	w->may_poll = mode == WATCH_MODE_AUTO;
	w->poll_ns = poll_ns;
	buf_init_budgeted(&w->deltas, DELTAS_MAX);
	w->changes = (struct changes){ .root = w->path, .only = w->only, .recursive = recursive };
	w->changes.wake = on_changes;
	w->changes.tell = on_tell;
	changes_init(&w->changes);
	return w;
}

void watcher_start(struct watcher *w, const struct watcher_fns *fns, void *user)
{
	int status = w->mode == WATCH_MODE_POLL ? 0 : access("/proc/self/fd", X_OK) == 0 ? 0 : -ENOSYS;
	struct err err;

	w->fns = fns;
	w->user = user;
	if (w->mode != WATCH_MODE_POLL && status == 0) {
		status = notify_join(&w->changes.user, w->loop);
		w->joined = status == 0;
	}
	if (status < 0 && w->may_poll) {
		turn_to_polling(w, status == -ENOSYS ? "proc" : "fs.inotify.max_user_instances", 0);
	} else if (status < 0) {
		err_set(&err, ERR_BUSY,
			"the kernel gives no inotify instance (fs.inotify.max_user_instances): use mode=poll");
		fail(w, &err);
		return;
	}
	go_soon(w);
}
