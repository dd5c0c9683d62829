/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.watch: what changes in a folder, or in one file, as it happens.
 *
 * What is told waits in a bounded buffer while the reader is slow; then nothing more is taken from the
 * kernel's queue, and what does not fit there is told as an overflow.
 */
#include "ops/files/watcher.h"
#include "ops/files/files.h"

#include "base/clock.h"

#include <stdlib.h>

enum { OUT_HIGH = 64 * 1024, OUT_MAX = 8 << 20, TIMEOUT_MAX = 1000000000 };

enum { EVENT_READY, EVENT_EVENT, EVENT_OVERFLOW, EVENT_PARTIAL, EVENT_ERROR, EVENT_END };

static const char *const modes[] = { "auto", "inotify", "poll", NULL };
static const char *const types[] = { "create", "write", "remove", "rename", "chmod", NULL };

enum { REASON_DELETED, REASON_MOVED, REASON_TIMEOUT, REASON_MAX_EVENTS, REASON_SHUTDOWN };
static const char *const reasons[] = { "deleted", "moved", "timeout", "max_events", "shutdown", NULL };

struct in {
	struct path_arg path;
	bool recursive;
	double timeout;
	int64_t max_events, poll_ms;
	int mode;
};

struct ready_event {
	struct str path, path_b64;
	int mode;
	const char *limit;
	struct opt_int uncovered;
};

struct change_event {
	int type;
	struct str path, path_b64, name, name_b64, old_path, old_path_b64;
	bool is_dir;
	const char *timestamp;
};

struct partial_event {
	const char *limit;
	int64_t uncovered;
	int mode;
};

struct end_event {
	int reason;
};

static const struct field params[] = {
	P_PATH(struct in, path, F_REQUIRED, "The folder, or the one file, to watch."),
	P_BOOL(struct in, recursive, false, "Watch all folders below too, also those that are made later."),
	P_NUM(struct in, timeout, 0, 0, TIMEOUT_MAX, "Seconds after which the stream ends; 0 is never."),
	P_INT(struct in, max_events, 0, 0, INT64_MAX, "How many events the stream has at most; 0 is any number."),
	P_CHOICE(struct in, mode, WATCH_MODE_AUTO, modes,
		"By the kernel's inotify, by looking again and again, or the first where it works."),
	P_INT(struct in, poll_ms, 500, 10, 3600000, "Milliseconds between two looks when polling."),
	FIELDS_END,
};

static const struct field ready_rows[] = {
	R_TEXT(struct ready_event, path, "What is watched."),
	R_OPT_BYTES(struct ready_event, path_b64, "The exact path where it is not UTF-8."),
	R_CHOICE(struct ready_event, mode, modes, "How: inotify or poll."),
	R_OPT_STRING(struct ready_event, limit, "The limit that keeps inotify from covering all."),
	R_OPT_INT(struct ready_event, uncovered,
		"How many folders inotify does not cover; with mode poll they are polled."),
	FIELDS_END,
};

static const struct field change_rows[] = {
	R_CHOICE(struct change_event, type, types, "What happened."),
	R_TEXT(struct change_event, path, "The absolute path of the thing."),
	R_OPT_BYTES(struct change_event, path_b64, "The exact path where it is not UTF-8."),
	R_TEXT(struct change_event, name, "The last part of the path."),
	R_OPT_BYTES(struct change_event, name_b64, "The exact name where it is not UTF-8."),
	R_BOOL(struct change_event, is_dir, "It is a folder."),
	R_OPT_TEXT(struct change_event, old_path, "Where it was, when it came by a rename within what is watched."),
	R_OPT_BYTES(struct change_event, old_path_b64, "The exact old path where it is not UTF-8."),
	R_STRING(struct change_event, timestamp, "When it was told, UTC."),
	FIELDS_END,
};

static const struct field nothing[] = { FIELDS_END };

static const struct field partial_rows[] = {
	R_STRING(struct partial_event, limit, "The limit that is reached, or 'permission'."),
	R_INT(struct partial_event, uncovered,
		"How many folders are not covered; with mode poll they are polled from now on."),
	R_CHOICE(struct partial_event, mode, modes, "How the rest is watched from now on."),
	FIELDS_END,
};

static const struct field end_rows[] = {
	R_CHOICE(struct end_event, reason, reasons, "Why nothing comes behind this."),
	FIELDS_END,
};

static const struct event events[] = {
	[EVENT_READY] = { .name = "ready",
		.fields = ready_rows,
		.size = sizeof(struct ready_event),
		.text = "Everything from now on is told." },
	[EVENT_EVENT] = { .name = "event",
		.fields = change_rows,
		.size = sizeof(struct change_event),
		.text = "Something changed." },
	[EVENT_OVERFLOW] = { .name = "overflow",
		.fields = nothing,
		.text = "Events were lost: list what you need to know." },
	[EVENT_PARTIAL] = { .name = "partial",
		.fields = partial_rows,
		.size = sizeof(struct partial_event),
		.text = "Not all folders are covered any more." },
	[EVENT_ERROR] = CALL_ERROR_EVENT,
	[EVENT_END] = { .name = "end",
		.fields = end_rows,
		.size = sizeof(struct end_event),
		.final = true,
		.text = "The stream is over." },
	{ .name = NULL },
};

struct watching {
	struct call *call;
	struct source source;
	struct watcher *watcher;
	struct timer timeout;
	struct job job; /* the look at the path, before the stream begins */
	struct buf out;
	int64_t count, most;
	bool is_file, failed, ended;
};

static int64_t live; /* watches; limits.max_watchers */

static void put(struct watching *w, unsigned index, const void *fields)
{
	call_event(w->call, &w->out, index, fields, NULL);
	call_wake(w->call);
}

static void end_with(struct watching *w, int reason)
{
	struct end_event event = { reason };

	if (w->ended)
		return;
	w->ended = true;
	put(w, EVENT_END, &event);
}

static void end_with_error(struct watching *w)
{
	if (w->ended)
		return;
	w->ended = true;
	call_event_error(w->call, &w->out, EVENT_ERROR);
	call_wake(w->call);
}

static void on_ready(void *user, enum watch_mode mode, const char *limit, int64_t uncovered)
{
	struct watching *w = user;
	struct ready_event event = { .path = str_of(call_in(w->call, struct in)->path.place->path), .mode = mode };

	event.path_b64 = files_exact(event.path);
	event.limit = limit;
	event.uncovered = (struct opt_int){ limit != NULL, uncovered };
	put(w, EVENT_READY, &event);
}

static void on_partial(void *user, enum watch_mode mode, const char *limit, int64_t uncovered)
{
	struct partial_event event = { limit, uncovered, mode };

	put(user, EVENT_PARTIAL, &event);
}

static void on_overflow(void *user)
{
	put(user, EVENT_OVERFLOW, NULL);
}

static struct str last_part(const char *path)
{
	return str_of(strrchr(path, '/') + 1);
}

static void put_change(struct watching *w, enum change_type type, const char *path, const char *old_path, bool is_dir)
{
	char now[CLOCK_TEXT_SIZE];
	struct change_event event = { .type = type, .path = str_of(path), .name = last_part(path), .is_dir = is_dir };

	event.path_b64 = files_exact(event.path);
	event.name_b64 = files_exact(event.name);
	if (old_path) {
		event.old_path = str_of(old_path);
		event.old_path_b64 = files_exact(event.old_path);
	}
	event.timestamp = clock_text_now(now);
	put(w, EVENT_EVENT, &event);
	if (++w->count == w->most)
		end_with(w, REASON_MAX_EVENTS);
}

/* Denied entries are not told of: what comes from or goes to one is like what comes from outside. */
static void on_change(void *user, enum change_type type, const char *path, const char *old_path, bool is_dir)
{
	struct watching *w = user;
	bool shows = place_visible(w->call->caller, path),
	     showed = old_path && place_visible(w->call->caller, old_path);

	if (w->ended)
		return;
	if (shows && old_path && !showed)
		put_change(w, type == CHANGE_RENAME ? CHANGE_CREATE : type, path, NULL, is_dir);
	else if (shows)
		put_change(w, type, path, old_path, is_dir);
	else if (showed)
		put_change(w, CHANGE_REMOVE, old_path, NULL, is_dir);
}

static void on_end(void *user, enum watch_end why, const struct err *err)
{
	struct watching *w = user;

	if (!err) {
		end_with(w, why == WATCH_MOVED ? REASON_MOVED : REASON_DELETED);
		return;
	}
	w->call->err = *err;
	end_with_error(w);
}

static bool has_room(void *user)
{
	const struct watching *w = user;

	return !w->ended && w->out.len < OUT_HIGH;
}

static const struct watcher_fns fns = { on_ready, on_partial, on_change, on_overflow, on_end, has_room };

static void on_timeout(struct timer *t)
{
	end_with(OWNER(t, struct watching, timeout), REASON_TIMEOUT);
}

static void on_shutdown(struct call *call)
{
	struct watching *w = call->state;

	if (call->err.code == ERR_SHUTTING_DOWN)
		end_with(w, REASON_SHUTDOWN);
	else
		end_with_error(w);
}

static enum source_status pull(struct source *source, struct buf *out, size_t room)
{
	struct watching *w = OWNER(source, struct watching, source);
	bool any = w->out.len > 0;

	(void)room; /* what waits is bounded as it is */
	if (buf_failed(&w->out))
		return SOURCE_BROKEN;
	buf_add(out, w->out.data, w->out.len);
	buf_free(&w->out);
	if (w->ended)
		return SOURCE_END;
	watcher_go(w->watcher);
	return any ? SOURCE_MORE : SOURCE_WAIT;
}

static void close_source(struct source *source)
{
	struct watching *w = OWNER(source, struct watching, source);

	live--;
	watcher_stop(w->watcher);
	timer_free(&w->timeout);
	buf_free(&w->out);
	free(w);
}

/* In a worker. */
static void work_look(struct job *job)
{
	struct watching *w = OWNER(job, struct watching, job);
	const struct place *place = call_in(w->call, struct in)->path.place;
	struct stat st;

	w->failed = files_lstat(place, &st, &w->call->err) < 0;
	w->is_file = !w->failed && !S_ISDIR(st.st_mode);
}

static void give_up(struct watching *w)
{
	struct call *call = w->call;

	live--;
	call->state = NULL;
	free(w);
	call_fail(call);
}

/* One file is watched through its folder, so that one which is replaced is still the same. */
static void make_watcher(struct watching *w)
{
	const struct in *in = call_in(w->call, struct in);
	AUTOFREE char *folder = mem_strdup(in->path.place->path);
	char *slash = strrchr(folder, '/');
	const char *only = NULL;

	if (w->is_file) {
		only = last_part(in->path.place->path).p;
		slash[slash == folder] = '\0';
	}
	w->watcher = watcher_new(w->call->loop, w->call->caller, folder, only, in->recursive && !only, in->mode,
		in->poll_ms * NS_PER_MS);
}

static void looked(struct job *job)
{
	struct watching *w = OWNER(job, struct watching, job);
	const struct in *in = call_in(w->call, struct in);

	if (w->failed || w->call->gone) {
		give_up(w);
		return;
	}
	make_watcher(w);
	w->call->on_gone = NULL;
	w->call->on_shutdown = on_shutdown;
	w->source = (struct source){ pull, close_source };
	if (in->timeout > 0)
		timer_start(&w->timeout, w->call->loop, (int64_t)(in->timeout * (double)NS_PER_S), on_timeout);
	call_stream(w->call, &w->source);
	watcher_start(w->watcher, &fns, w);
}

static void on_gone(struct call *call)
{
	job_cancel(&((struct watching *)call->state)->job);
}

static int check_count(struct call *call)
{
	int64_t most = policy_server_limit(principal_policy(call->caller), "max_watchers");

	if (live < most)
		return 0;
	return err_deny(&call->err, ERR_LIMIT_TOO_MANY, "limits.max_watchers", "there are %lld watches already",
		(long long)most);
}

static void start(struct call *call)
{
	struct watching *w;

	if (check_count(call) < 0) {
		call_fail(call);
		return;
	}
	live++;
	w = mem_new(struct watching);
	w->call = call;
	w->most = call_in(call, struct in)->max_events;
	buf_init_budgeted(&w->out, OUT_MAX);
	call->state = w;
	call->on_gone = on_gone;
	if (call_job(call, &w->job, LANE_SHORT, work_look, looked) < 0)
		give_up(w);
}

static const enum err_code errors[] = {
	ERR_POLICY_PATH,
	ERR_LIMIT_TOO_MANY,
	ERR_FILES_NOT_FOUND,
	ERR_FILES_NOT_DIR,
	ERR_NONE,
};

const struct op op_files_watch = {
	.id = "files.watch",
	.endpoint = "files_watch",
	.group = "file_ops",
	.scope = "files:read",
	.kind = OP_SSE,
	.method = "GET",
	.path = "/files/watch",
	.since = "0.1.0",
	.summary = "What changes in a folder or a file, as it happens.",
	.description =
		"After 'ready' each change is an 'event'. A file that is replaced by a rename is a 'write' of its name; a move within "
		"what is watched is one 'rename' with old_path, out of it a 'remove', into it a 'create' for all it brings. Events that "
		"were lost are told by 'overflow', after which everything is covered anew. When the folder or one above it is moved, the stream ends. All watches share one inotify instance; when "
		"the kernel's limits are reached, mode=auto polls and mode=inotify says how much is not covered.",
	.example = { .args = JSON_TEXT({ "path" : "demo", "timeout" : 0.5 }) },
	.effects = OP_READS | OP_IDEMPOTENT,
	.params = params,
	.params_size = sizeof(struct in),
	.events = events,
	.errors = errors,
	.start = start,
};
