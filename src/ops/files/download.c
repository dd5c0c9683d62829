/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/download.h"

#include "base/budget.h"
#include "base/clock.h"
#include "ops/files/files.h"
#include "wire/range.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	AHEAD_SIZE = 256 * 1024, /* what a worker reads at once */
	JSON_MAX_DEFAULT = 104857600,
	RETRY_MS = 5, /* when no worker is free */
};

const struct field download_in_fields[] = {
	P_PATH(struct download_in, path, F_REQUIRED, "File to read."),
	FIELDS_END,
};

const enum err_code download_errors[] = {
	ERR_POLICY_PATH,
	ERR_FILES_NOT_FOUND,
	ERR_FILES_NOT_DIR,
	ERR_FILES_IS_DIR,
	ERR_FILES_NOT_REGULAR,
	ERR_FILES_CHANGED,
	ERR_FILES_PERMISSION,
	ERR_FILES_RANGE,
	ERR_FILES_IO,
	ERR_LIMIT_FILE,
	ERR_NONE,
};

const struct limit download_limits[] = {
	{ "max_bytes", JSON_MAX_DEFAULT, JSON_MAX_DEFAULT, ERR_LIMIT_FILE,
		"Largest file in the JSON form; bytes have no limit." },
	{ 0 },
};

const char download_description[] =
	"As JSON the whole file is held in memory and limited. With Accept: application/octet-stream, a Range or HEAD the bytes "
	"are sent as they are, with ETag and Last-Modified, conditional requests and one range.";

const struct raw download_raw = { .response = true, .media_type = "application/octet-stream" };

struct download {
	struct call *call;
	struct job job;
	struct source source;
	struct timer retry;
	download_reply_fn *reply;
	int fd;
	struct stat st;
	bool is_endless; /* the size says nothing: read to the end (R47) */
	char etag[FILES_ETAG_SIZE];
	bool is_part; /* of parameters, which hold where the size is not known too */
	uint64_t part_first, part_last;
	uint64_t at, end; /* what is left to send */
	char *ahead;      /* read by a worker */
	size_t ahead_len, ahead_at;
	int ahead_error;
	bool ahead_end, reading, closed;
	struct buf content; /* of the JSON form */
};

static void download_free(struct download *d)
{
	timer_free(&d->retry);
	close_fd(d->fd);
	buf_free(&d->content);
	if (d->ahead)
		budget_give(AHEAD_SIZE);
	free(d->ahead);
	free(d);
}

static bool is_pseudo(int fd)
{
	static const long kinds[] = { PROC_SUPER_MAGIC, SYSFS_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC, SECURITYFS_MAGIC,
		CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC };
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if ((long)fs.f_type == kinds[i])
			return true;
	}
	return false;
}

static int open_file(struct download *d, const struct place *place, struct err *err)
{
	d->fd = files_open(place, &d->st, err);
	if (d->fd < 0)
		return -1;
	d->is_endless = d->st.st_size == 0 || is_pseudo(d->fd);
	files_etag(&d->st, d->etag);
	return 0;
}

static int too_large(struct download *d, const struct place *place, int64_t most)
{
	return call_over_limit(d->call, "max_bytes", &d->call->err,
		"'%s' is over %lld bytes: ask for application/octet-stream", place->given, (long long)most);
}

/* The JSON form: as much as it was when it was opened, or all where that says nothing. */
static int read_content(struct download *d, const struct place *place)
{
	int64_t most = call_limit(d->call, "max_bytes");
	size_t want = d->is_endless ? AHEAD_SIZE : (size_t)d->st.st_size;

	if (!d->is_endless && d->st.st_size > most)
		return too_large(d, place, most);
	buf_init_budgeted(&d->content, (size_t)most + AHEAD_SIZE + 1);
	while (want > 0) {
		char *to = buf_reserve(&d->content, want);
		ssize_t len = to ? read(d->fd, to, want) : 0;

		if (!to)
			return err_set(&d->call->err, ERR_BUSY, "memory is used up: ask for application/octet-stream");
		if (len < 0)
			return err_system(&d->call->err, errno, "cannot read '%s'", place->given);
		buf_commit(&d->content, (size_t)len);
		if ((int64_t)d->content.len > most)
			return too_large(d, place, most);
		if (len == 0)
			return 0;
		if (job_stopped(&d->job))
			return err_set(&d->call->err, ERR_BUSY, "stopped before the end");
		if (!d->is_endless)
			want -= (size_t)len;
	}
	return 0;
}

/* In a worker. */
static void work_open(struct job *job)
{
	struct download *d = OWNER(job, struct download, job);
	const struct place *place = call_in(d->call, struct download_in)->path.place;
	int status = open_file(d, place, &d->call->err);

	if (status == 0 && !d->call->http.raw_response)
		status = read_content(d, place);
	d->ahead_error = status;
}

/* RFC 9110, 13.2.2: what is to be sent instead of the file, as a status; 0: the file. */
static int check_conditions(struct download *d)
{
	struct call *call = d->call;
	struct str tag = str_of(d->etag);
	int64_t since;

	if (call->http.if_match.p && !etag_list_has(call->http.if_match, tag, false))
		return 412;
	if (call->http.if_none_match.p)
		return etag_list_has(call->http.if_none_match, tag, true) ? 304 : 0;
	if (call->http.if_modified_since.p && http_date_parse(call->http.if_modified_since, &since) == 0 &&
		d->st.st_mtim.tv_sec <= since)
		return 304;
	return 0;
}

/* If-Range: the part only of the very file that the caller knows. */
static bool range_holds(const struct download *d)
{
	struct str value = d->call->http.if_range;
	int64_t date;

	if (!value.p)
		return true;
	if (value.len && value.p[0] == '"')
		return str_is(value, d->etag);
	return http_date_parse(value, &date) == 0 && date == d->st.st_mtim.tv_sec;
}

static struct range wanted_range(const struct download *d)
{
	const struct range whole = { .kind = RANGE_WHOLE };
	const struct call *call = d->call;
	uint64_t size = (uint64_t)d->st.st_size;

	if (call->http.head || d->is_endless)
		return whole;
	if (d->is_part && d->part_first >= size)
		return (struct range){ .kind = RANGE_UNSATISFIABLE };
	if (d->is_part)
		return (struct range){ RANGE_PART, d->part_first, MIN(d->part_last, size - 1) };
	return call->http.range.p && range_holds(d) ? range_parse(call->http.range, size) : whole;
}

/* No more of it is known than where it begins: 200, and no Content-Range. */
static void take_endless(struct download *d)
{
	d->end = UINT64_MAX;
	if (!d->is_part)
		return;
	d->at = d->part_first;
	d->end = MIN(d->part_last, UINT64_MAX - 1) + 1;
}

static void set_retry(struct timer *t)
{
	struct download *d = OWNER(t, struct download, retry);

	call_wake(d->call);
}

static void work_ahead(struct job *job)
{
	struct download *d = OWNER(job, struct download, job);
	size_t want = (size_t)MIN((uint64_t)AHEAD_SIZE, d->end - d->at);
	ssize_t len = pread(d->fd, d->ahead, want, (off_t)d->at);

	d->ahead_error = len < 0 ? -errno : 0;
	d->ahead_len = len < 0 ? 0 : (size_t)len;
	d->ahead_end = len == 0;
	d->ahead_at = 0;
}

static void ahead_done(struct job *job)
{
	struct download *d = OWNER(job, struct download, job);

	d->reading = false;
	if (d->closed)
		download_free(d);
	else
		call_wake(d->call);
}

static enum source_status read_ahead(struct download *d)
{
	if (!d->ahead && budget_take(AHEAD_SIZE)) {
		d->ahead = malloc(AHEAD_SIZE);
		if (!d->ahead)
			budget_give(AHEAD_SIZE);
	}
	if (!d->ahead)
		return SOURCE_BROKEN;
	if (call_job(d->call, &d->job, LANE_SHORT, work_ahead, ahead_done) < 0)
		timer_start(&d->retry, d->call->loop, RETRY_MS * NS_PER_MS, set_retry);
	else
		d->reading = true;
	return SOURCE_WAIT;
}

static enum source_status sent(struct download *d, size_t len)
{
	d->at += len;
	return d->at == d->end ? SOURCE_END : SOURCE_MORE;
}

/* The file ended: as it should where the size was not known, else too early. */
static enum source_status at_end(const struct download *d)
{
	return d->is_endless ? SOURCE_END : SOURCE_BROKEN;
}

static enum source_status pull_ahead(struct download *d, struct buf *out, size_t room)
{
	size_t len = MIN(room, d->ahead_len - d->ahead_at);

	buf_add(out, d->ahead + d->ahead_at, len);
	d->ahead_at += len;
	return sent(d, len);
}

static enum source_status pull(struct source *source, struct buf *out, size_t room)
{
	struct download *d = OWNER(source, struct download, source);
	size_t want = (size_t)MIN((uint64_t)room, d->end - d->at);
	struct iovec part;
	ssize_t len;

	if (d->reading || timer_running(&d->retry))
		return SOURCE_WAIT;
	if (d->ahead_error)
		return SOURCE_BROKEN;
	if (d->ahead_at < d->ahead_len)
		return pull_ahead(d, out, room);
	if (d->ahead_end)
		return at_end(d);
	part = (struct iovec){ .iov_base = buf_reserve(out, want), .iov_len = want };
	if (!part.iov_base)
		return SOURCE_BROKEN;
	len = preadv2(d->fd, &part, 1, (off_t)d->at, RWF_NOWAIT);
	if (len > 0) {
		buf_commit(out, (size_t)len);
		return sent(d, (size_t)len);
	}
	/* 0 may also mean that a file system does not wait and does not say so: the worker decides. */
	return read_ahead(d);
}

static void close_source(struct source *source)
{
	struct download *d = OWNER(source, struct download, source);

	d->closed = true;
	if (d->reading)
		job_cancel(&d->job);
	else
		download_free(d);
}

static void fail(struct download *d)
{
	struct call *call = d->call;

	download_free(d);
	call->state = NULL;
	call_fail(call);
}

/* Without a body. */
static void send_status(struct download *d, struct raw_reply *head, int status)
{
	struct call *call = d->call;

	head->status = status;
	call->state = NULL;
	call_send(call, head, NULL);
	download_free(d);
}

static void send_bytes(struct download *d)
{
	struct call *call = d->call;
	const struct place *place = call_in(call, struct download_in)->path.place;
	struct range range = wanted_range(d);
	int status = check_conditions(d);
	struct raw_reply head = {
		.status = 200,
		.media_type = call->op->raw->media_type,
		.length = d->is_endless ? -1 : d->st.st_size,
		.etag = d->etag,
		.modified = d->st.st_mtim.tv_sec,
		.accepts_ranges = !d->is_endless,
		.size = (uint64_t)d->st.st_size,
		.filename = str_of(strrchr(place->path, '/') + 1),
	};

	if (status == 412) {
		err_set(&call->err, ERR_FILES_CHANGED, "'%s' is not what If-Match says", place->given);
		fail(d);
		return;
	}
	if (status == 304) {
		send_status(d, &head, status);
		return;
	}
	if (range.kind == RANGE_UNSATISFIABLE) {
		err_set(&call->err, ERR_FILES_RANGE, "the range lies behind the %lld bytes of '%s'",
			(long long)d->st.st_size, place->given);
		send_status(d, &head, 416);
		return;
	}
	d->end = (uint64_t)d->st.st_size;
	if (d->is_endless)
		take_endless(d);
	if (range.kind == RANGE_PART) {
		head.status = 206;
		head.first = d->at = range.first;
		head.last = range.last;
		d->end = range.last + 1;
		head.length = (int64_t)(d->end - d->at);
	}
	d->source = (struct source){ pull, close_source };
	call->state = NULL;
	call_send(call, &head, &d->source);
}

static void free_content(struct call *call)
{
	struct download *d = call->state;

	if (d)
		download_free(d);
}

static void send_json(struct download *d)
{
	struct call *call = d->call;
	const struct place *place = call_in(call, struct download_in)->path.place;
	struct download_content content = { .path = str_of(place->path), .bytes = buf_str(&d->content) };

	content.path_b64 = files_exact(content.path);
	if (!content.bytes.p)
		content.bytes.p = "";
	call->on_free = free_content; /* the reply refers to the bytes until it is sent */
	d->reply(call, &content);
}

static void opened(struct job *job)
{
	struct download *d = OWNER(job, struct download, job);

	if (d->ahead_error < 0)
		fail(d);
	else if (d->call->http.raw_response)
		send_bytes(d);
	else
		send_json(d);
}

static void on_gone(struct call *call)
{
	struct download *d = call->state;

	job_cancel(&d->job);
}

static void start(struct download *d)
{
	struct call *call = d->call;

	call->state = d;
	call->on_gone = on_gone;
	if (call_job(call, &d->job, LANE_SHORT, work_open, opened) < 0)
		fail(d);
}

static struct download *download_new(struct call *call)
{
	struct download *d = mem_new(struct download);

	d->call = call;
	d->fd = -1;
	return d;
}

void download_start(struct call *call, download_reply_fn *reply)
{
	struct download *d = download_new(call);

	d->reply = reply;
	start(d);
}

void download_start_part(struct call *call, uint64_t first, uint64_t last)
{
	struct download *d = download_new(call);

	d->is_part = true;
	d->part_first = first;
	d->part_last = last;
	start(d);
}
