/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/upload.h"

#include "base/budget.h"
#include "ops/files/sink.h"

#include <stdlib.h>

enum { BUFFER_SIZE = 384 * 1024, BUFFER_LEAST = 32 * 1024, BUFFERS = 2 };

const struct field upload_in_fields[] = {
	P_PATH(struct upload_in, path, F_REQUIRED | F_WRITE | F_MISSING_OK,
		"File to write; of a form the folder for its files."),
	P_BYTES(struct upload_in, content_base64, 0, "The bytes, where they are not the body itself."),
	P_STRING(struct upload_in, mode, 0,
		"Permissions as octal digits, like '644'; without it those of the file that is replaced, else 666 less the umask."),
	P_BOOL(struct upload_in, create_only, false, "Fail when something is there; If-None-Match: * says the same."),
	P_BOOL(struct upload_in, parents, false, "Make missing folders above the file."),
	FIELDS_END,
};

const enum err_code upload_errors[] = {
	ERR_POLICY_PATH,
	ERR_POLICY_READONLY,
	ERR_FILES_NOT_FOUND,
	ERR_FILES_EXISTS,
	ERR_FILES_NOT_DIR,
	ERR_FILES_IS_DIR,
	ERR_FILES_NOT_REGULAR,
	ERR_FILES_CHANGED,
	ERR_FILES_PERMISSION,
	ERR_FILES_NO_SPACE,
	ERR_FILES_IO,
	ERR_LIMIT_FILE,
	ERR_ARGS_MEDIA,
	ERR_NONE,
};

struct buffer {
	char *bytes;
	size_t size, len;
	bool full;
};

struct upload {
	struct call *call;
	struct job job;
	upload_reply_fn *reply;
	struct sink sink;
	bool is_open;
	/* the body */
	struct buffer buffers[BUFFERS];
	size_t buffer_size;
	unsigned next_fill, next_write;
	bool filling, ended, busy;
	bool abandoned; /* ends as soon as no job runs */
	int64_t total, most, most_files;
	/* the job's while it runs; its own err, because the loop may fail the call meanwhile */
	struct str bytes;
	bool commit, failed;
	struct err err;
	struct upload_file *files;
	size_t file_count;
};

static void advance(struct upload *u);

static int write_bytes(struct upload *u)
{
	if (!u->is_open) {
		u->is_open = true;
		if (sink_open(&u->sink, u->call, u->most_files, &u->err) < 0)
			return -1;
	}
	if (u->bytes.len && sink_write(&u->sink, u->bytes.p, u->bytes.len, &u->err) < 0)
		return -1;
	return u->commit ? sink_commit(&u->sink, &u->err) : 0;
}

static void close_sink(struct upload *u)
{
	if (!u->is_open)
		return;
	u->files = u->sink.files;
	u->file_count = u->sink.count;
	sink_done(&u->sink);
	u->is_open = false;
}

/* In a worker. */
static void work(struct job *job)
{
	struct upload *u = OWNER(job, struct upload, job);

	if (!u->failed && (job_stopped(job) || write_bytes(u) < 0))
		u->failed = true;
	if (u->failed || u->commit)
		close_sink(u);
}

static void upload_free(struct upload *u)
{
	for (size_t i = 0; i < BUFFERS; i++) {
		if (u->buffers[i].bytes)
			budget_give(u->buffers[i].size);
		free(u->buffers[i].bytes);
	}
	free(u);
}

static void finish(struct upload *u)
{
	struct call *call = u->call;

	call->state = NULL;
	call->on_gone = NULL;
	if (!u->failed)
		u->reply(call, u->files, u->file_count);
	else {
		if (!call->err.code)
			call->err = u->err;
		call_fail(call);
	}
	upload_free(u);
}

static void work_done(struct job *job)
{
	struct upload *u = OWNER(job, struct upload, job);

	u->busy = false;
	if (u->bytes.p == u->buffers[u->next_write].bytes && u->bytes.p) {
		u->buffers[u->next_write].full = false;
		u->next_write = (u->next_write + 1) % BUFFERS;
	}
	u->bytes = (struct str){ 0 };
	if (u->commit || (u->failed && !u->is_open))
		finish(u);
	else
		advance(u);
}

/* Ends without a file; what was written is removed by a worker, or here when none is free. */
static void give_up(struct upload *u)
{
	struct err why = u->call->err;

	u->abandoned = true;
	if (u->busy)
		return; /* its end comes back here */
	u->failed = true;
	if (u->is_open) {
		if (call_job(u->call, &u->job, LANE_SHORT, work, work_done) == 0) {
			u->busy = true;
			return;
		}
		u->call->err = why;
		close_sink(u);
	}
	finish(u);
}

static bool start_job(struct upload *u)
{
	if (call_job(u->call, &u->job, LANE_SHORT, work, work_done) < 0) {
		give_up(u);
		return false;
	}
	u->busy = true;
	return true;
}

static bool any_full(const struct upload *u)
{
	return u->buffers[0].full || u->buffers[1].full;
}

static void on_body(struct call *call, size_t got, bool end)
{
	struct upload *u = call->state;
	struct buffer *buffer = &u->buffers[u->next_fill];

	u->filling = false;
	u->ended = end;
	u->total += (int64_t)got;
	buffer->len = got;
	buffer->full = got > 0;
	u->next_fill = (u->next_fill + 1) % BUFFERS;
	if (u->total > u->most) {
		call_over_limit(call, "max_bytes", &call->err, "the body is over %lld bytes", (long long)u->most);
		give_up(u);
		return;
	}
	advance(u);
}

/* Large ones while there is much memory; what one of many uploads needs at least is little. */
static bool get_buffer(struct upload *u, struct buffer *buffer)
{
	bool is_first = !u->buffers[0].bytes;

	if (buffer->bytes)
		return true;
	buffer->size = u->buffer_size;
	if (!budget_take_spare(buffer->size)) {
		buffer->size = MIN(buffer->size, (size_t)BUFFER_LEAST);
		if (!is_first || !budget_take(buffer->size))
			return false;
	}
	buffer->bytes = malloc(buffer->size);
	if (!buffer->bytes)
		budget_give(buffer->size);
	return buffer->bytes != NULL;
}

/* Where there is no memory for two buffers, one goes round alone. */
static struct buffer *next_buffer(struct upload *u)
{
	struct buffer *buffer = &u->buffers[u->next_fill], *other = &u->buffers[(u->next_fill + 1) % BUFFERS];

	if (get_buffer(u, buffer))
		return buffer;
	if (!other->bytes || other->full)
		return NULL;
	u->next_fill = u->next_write = (u->next_fill + 1) % BUFFERS;
	return other;
}

static void fill(struct upload *u)
{
	struct buffer *buffer;

	if (u->buffers[u->next_fill].full || u->filling || u->ended)
		return;
	buffer = next_buffer(u);
	if (buffer) {
		u->filling = true;
		call_body(u->call, buffer->bytes, buffer->size, on_body);
	} else if (!u->busy && !any_full(u)) {
		err_set(&u->call->err, ERR_BUSY, "bodies and captures use all of max_memory_bytes: try again");
		give_up(u);
	}
}

/* Whatever can go on, does: a job for the oldest full buffer, and the body into an empty one. */
static void advance(struct upload *u)
{
	struct buffer *buffer = &u->buffers[u->next_write];

	if (u->abandoned || (!u->busy && u->failed)) {
		give_up(u);
		return;
	}
	if (!u->busy && (any_full(u) || u->ended)) {
		if (buffer->full)
			u->bytes = (struct str){ buffer->bytes, buffer->len };
		u->commit = u->ended && !u->buffers[(u->next_write + 1) % BUFFERS].full;
		if (!start_job(u))
			return;
	}
	fill(u);
}

static void on_gone(struct call *call)
{
	struct upload *u = call->state;

	u->filling = false;
	if (!call->err.code)
		err_set(&call->err, ERR_HTTP_BAD_REQUEST, "the caller left in the middle of the body");
	if (u->busy)
		job_cancel(&u->job);
	give_up(u);
}

static int check_start(struct upload *u)
{
	struct call *call = u->call;
	const struct upload_in *in = call_in(call, struct upload_in);
	int64_t len = call->http.raw_request ? call->http.length : (int64_t)in->content_base64.len;

	if (!call->http.raw_request && !in->content_base64.p)
		return err_set(&call->err, ERR_ARGS_MISSING, "parameter 'content_base64' is missing");
	if (call->http.raw_request && in->content_base64.p)
		return err_set(&call->err, ERR_ARGS_UNKNOWN, "parameter 'content_base64' does not go with a raw body");
	if (len > u->most)
		return call_over_limit(
			call, "max_bytes", &call->err, "the content is over %lld bytes", (long long)u->most);
	return 0;
}

/* A body that fits one buffer is read first, and then one job does it all. */
static void start_raw(struct upload *u)
{
	int64_t len = u->call->http.length;

	u->buffer_size = len >= 0 && len < BUFFER_SIZE ? (size_t)MAX(len, 1) : BUFFER_SIZE;
	if (len >= 0 && len <= BUFFER_SIZE)
		fill(u);
	else
		start_job(u);
}

int upload_permit(struct call *call)
{
	mode_t unused;

	return files_parse_mode(call_in(call, struct upload_in)->mode, &unused, &call->err);
}

void upload_start(struct call *call, upload_reply_fn *reply)
{
	struct upload *u = mem_new(struct upload);

	u->call = call;
	u->reply = reply;
	u->most = call_limit(call, "max_bytes");
	u->most_files = call->http.multipart ? call_limit(call, "max_files") : 1;
	call->state = u;
	call->on_gone = on_gone;
	if (check_start(u) < 0) {
		give_up(u);
	} else if (call->http.raw_request) {
		start_raw(u);
	} else {
		u->bytes = call_in(call, struct upload_in)->content_base64;
		u->commit = true;
		start_job(u);
	}
}
