/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.read: a part of a file by bytes or by lines, or its bytes as they are.
 *
 * The JSON form holds one part of at most max_bytes in memory.  Lines are counted through a
 * buffer of fixed size, which may take long in a large file: that is work of the long lane.
 */
#include "base/utf8.h"
#include "ops/files/download.h"
#include "ops/files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { CHUNK = 256 * 1024, MAX_DEFAULT = 10485760, MAX_CAP = 104857600 };
#define OFFSET_MAX ((INT64_C(1) << 53) - 1)

enum encoding { ENCODING_UTF8, ENCODING_BASE64, ENCODING_BYTES };
static const char *const encodings[] = { "utf-8", "base64", "bytes", NULL };

struct in {
	struct download_in download;
	int64_t offset;
	struct opt_int limit;
	int encoding;
	const char *lines;
};

struct out {
	struct str path, path_b64;
	struct output content;
	int64_t size, bytes, lines;
	bool truncated, lossy;
	const char *etag;
};

static const struct field in_fields[] = { FIELD_ROW_AS(struct in, download.path, "path", struct path_arg, FIELD_PATH,
						  "File to read.", .flags = F_REQUIRED),
	P_INT(struct in, offset, 0, 0, OFFSET_MAX, "The first byte."),
	P_OPT_INT(struct in, limit, 1, OFFSET_MAX, "Most bytes; never more than max_bytes in JSON."),
	P_CHOICE(struct in, encoding, ENCODING_UTF8, encodings,
		"How the content is given: as text, exactly, or as the body itself, which Accept: application/octet-stream asks for too."),
	P_STRING(struct in, lines, 0, "Lines instead of bytes, the first is 1: '7', '10-20' or '10-'."), FIELDS_END };

static const struct field out_fields[] = { R_TEXT(struct out, path, "The file, behind its links."),
	R_OPT_BYTES(struct out, path_b64, "The exact path where it is not UTF-8."),
	R_OUTPUT(struct out, content, "content", "The part of the file, in the encoding that was asked for."),
	R_INT(struct out, size, "Bytes of the whole file; of a file under /proc what was read."),
	R_INT(struct out, bytes, "How many of the file's bytes the content holds."),
	R_INT(struct out, lines, "How many lines the content has; a last one without a newline counts."),
	R_BOOL(struct out, truncated, "Whether the file goes on behind the content."),
	R_FLAG(struct out, lossy, "There when bytes of the text had to be replaced: encoding=base64 gives them."),
	R_STRING(struct out, etag, "The tag of the file, for If-Match."), FIELDS_END };

struct read {
	struct call *call;
	struct job job;
	uint64_t first_line, last_line; /* 0: by bytes */
	int64_t most;
	struct buf content;
	size_t left; /* of the last chunk, behind the lines */
	struct out out;
	char etag[FILES_ETAG_SIZE];
	int status;
};

static void read_free(struct call *call)
{
	struct read *r = call->state;

	if (!r)
		return;
	buf_free(&r->content);
	free(r);
}

static int fail(struct read *r, int number)
{
	return err_system(
		&r->call->err, number, "cannot read '%s'", call_in(r->call, struct in)->download.path.place->given);
}

static int stopped(struct read *r)
{
	return err_set(&r->call->err, ERR_BUSY, "stopped before the end");
}

/* Up to `most` bytes from the offset on. */
static int read_bytes(struct read *r, int fd, off_t offset)
{
	while ((int64_t)r->content.len < r->most) {
		size_t want = (size_t)MIN(r->most - (int64_t)r->content.len, (int64_t)CHUNK);
		char *to = buf_reserve(&r->content, want);
		ssize_t len = to ? pread(fd, to, want, offset) : 0;

		if (!to)
			return err_set(&r->call->err, ERR_BUSY, "memory is used up: ask for less");
		if (len < 0)
			return fail(r, errno);
		if (len == 0)
			return 0;
		buf_commit(&r->content, (size_t)len);
		offset += len;
		if (job_stopped(&r->job))
			return stopped(r);
	}
	return 0;
}

/* What of a chunk belongs to the lines, which *line counts; the end of the last one is 1. */
static int take_lines(struct read *r, struct str chunk, uint64_t *line)
{
	while (chunk.len) {
		const char *end = memchr(chunk.p, '\n', chunk.len);
		size_t len = end ? (size_t)(end + 1 - chunk.p) : chunk.len;
		size_t room = (size_t)r->most - r->content.len;

		r->left = chunk.len - len;
		if (*line >= r->first_line)
			buf_add(&r->content, chunk.p, MIN(len, room));
		if (*line >= r->first_line && len > room) {
			r->left = chunk.len;
			return 1;
		}
		*line += end != NULL;
		if (*line > r->last_line)
			return 1;
		chunk.p += len;
		chunk.len -= len;
	}
	return 0;
}

static int read_lines(struct read *r, int fd)
{
	AUTOFREE char *chunk = mem_alloc(CHUNK);
	uint64_t line = 1;
	int ended = 0;

	while (!ended) {
		ssize_t len = read(fd, chunk, CHUNK);

		if (len < 0)
			return fail(r, errno);
		if (len == 0)
			return 0;
		ended = take_lines(r, (struct str){ chunk, (size_t)len }, &line);
		if (buf_failed(&r->content))
			return err_set(&r->call->err, ERR_BUSY, "memory is used up: ask for less");
		if (job_stopped(&r->job))
			return stopped(r);
	}
	return 0;
}

static int64_t count_lines(struct str text)
{
	int64_t count = 0;

	for (; text.len; count++)
		str_cut(&text, '\n');
	return count;
}

/* Whether the file goes on behind what was read; at: of a part by bytes. */
static bool goes_on(const struct read *r, int fd, off_t at)
{
	char byte;

	if (r->last_line)
		return r->left || read(fd, &byte, 1) == 1;
	return pread(fd, &byte, 1, at) == 1;
}

static int read_part(struct read *r, int fd, const struct stat *st)
{
	const struct in *in = call_in(r->call, struct in);
	off_t end;

	if ((r->last_line ? read_lines(r, fd) : read_bytes(r, fd, in->offset)) < 0)
		return -1;
	end = in->offset + (off_t)r->content.len;
	r->out.truncated = goes_on(r, fd, end);
	/* Only what is read at the end of the file tells the size of one that has none. */
	r->out.size = r->content.len ? MAX(st->st_size, end) : st->st_size;
	/* A character that the limit cuts in two comes with the next part. */
	if (in->encoding == ENCODING_UTF8 && r->out.truncated && r->content.len > 4)
		buf_truncate(&r->content, r->content.len - utf8_incomplete_tail(buf_str(&r->content)));
	return 0;
}

static void work(struct job *job)
{
	struct read *r = OWNER(job, struct read, job);
	const struct place *place = call_in(r->call, struct in)->download.path.place;
	struct stat st;
	AUTOCLOSE int fd = files_open(place, &st, &r->call->err);

	r->status = -1;
	if (fd < 0 || read_part(r, fd, &st) < 0)
		return;
	files_etag(&st, r->etag);
	r->status = 0;
}

static void finish(struct job *job)
{
	struct read *r = OWNER(job, struct read, job);
	struct call *call = r->call;
	struct out *out = &r->out;

	call->on_gone = NULL;
	call->on_free = read_free; /* the reply refers to the bytes until it is sent */
	if (r->status < 0) {
		call_fail(call);
		return;
	}
	out->path = str_of(call_in(call, struct in)->download.path.place->path);
	out->path_b64 = files_exact(out->path);
	out->content.bytes = r->content.len ? buf_str(&r->content) : STR("");
	out->content.base64 = call_in(call, struct in)->encoding == ENCODING_BASE64;
	out->bytes = (int64_t)r->content.len;
	out->lossy = !out->content.base64 && !utf8_valid(out->content.bytes);
	out->lines = count_lines(out->content.bytes);
	out->etag = r->etag;
	call_reply(call, out);
}

static void on_gone(struct call *call)
{
	struct read *r = call->state;

	job_cancel(&r->job);
}

/* "7", "10-20", "10-" */
static int parse_lines(struct read *r, const char *text)
{
	struct str rest = str_of(text), first = str_cut(&rest, '-');

	r->last_line = UINT64_MAX;
	if (str_to_u64(first, &r->first_line) == 0 && r->first_line > 0) {
		if (!strchr(text, '-')) {
			r->last_line = r->first_line;
			return 0;
		}
		if (!rest.len || (str_to_u64(rest, &r->last_line) == 0 && r->last_line >= r->first_line))
			return 0;
	}
	return err_set(&r->call->err, ERR_ARGS_INVALID,
		"parameter 'lines' must be like '7', '10-20' or '10-', not '%.80s'", text);
}

static int start(struct read *r)
{
	const struct in *in = call_in(r->call, struct in);

	if (in->lines && parse_lines(r, in->lines) < 0)
		return -1;
	if (in->lines && in->offset)
		return err_set(&r->call->err, ERR_ARGS_INVALID, "parameter 'offset' does not go with 'lines'");
	r->most = call_limit(r->call, "max_bytes");
	if (in->limit.set)
		r->most = MIN(r->most, in->limit.value);
	buf_init_budgeted(&r->content, (size_t)r->most + CHUNK);
	return call_job(r->call, &r->job, in->lines ? LANE_LONG : LANE_SHORT, work, finish);
}

static void no_reply(struct call *call, const struct download_content *content)
{
	(void)content;
	(void)call; /* the raw form has none */
}

/* The raw form is that of download_stream; offset and limit say what a Range header would. */
static void start_raw(struct call *call, const struct in *in)
{
	bool is_part = in->offset || in->limit.set;
	uint64_t first = (uint64_t)in->offset;

	if (in->lines)
		err_set(&call->err, ERR_ARGS_INVALID, "parameter 'lines' does not go with raw bytes");
	else if (is_part && call->http.range.p)
		err_set(&call->err, ERR_ARGS_INVALID, "parameters 'offset' and 'limit' do not go with a Range");
	if (call->err.code)
		call_fail(call);
	else if (is_part)
		download_start_part(call, first, in->limit.set ? first + (uint64_t)in->limit.value - 1 : UINT64_MAX);
	else
		download_start(call, no_reply);
}

static void files_read(struct call *call)
{
	const struct in *in = call_in(call, struct in);
	struct read *r;

	if (in->encoding == ENCODING_BYTES)
		call->http.raw_response = true;
	if (call->http.raw_response) {
		start_raw(call, in);
		return;
	}
	r = mem_new(struct read);
	r->call = call;
	call->state = r;
	call->on_free = read_free;
	call->on_gone = on_gone;
	if (start(r) < 0) {
		call->on_gone = NULL;
		call_fail(call);
	}
}

static const struct limit limits[] = {
	{ "max_bytes", MAX_DEFAULT, MAX_CAP, ERR_NONE,
		"Most content in the JSON form; the answer tells when there is more." },
	{ 0 },
};

static const enum err_code errors[] = {
	ERR_POLICY_PATH,
	ERR_FILES_NOT_FOUND,
	ERR_FILES_NOT_DIR,
	ERR_FILES_IS_DIR,
	ERR_FILES_NOT_REGULAR,
	ERR_FILES_CHANGED,
	ERR_FILES_PERMISSION,
	ERR_FILES_RANGE,
	ERR_FILES_IO,
	ERR_NONE,
};

const struct op op_files_read = {
	.id = "files.read",
	.group = "file_ops",
	.scope = "files:read",
	.kind = OP_RAW,
	.method = "GET",
	.path = "/files/read",
	.since = "0.1.0",
	.summary = "Read a part of a file.",
	.description =
		"By bytes or by lines, with the tag that makes a write conditional. As bytes it is as files.download_stream, with Range, "
		"conditional requests and HEAD.",
	.example = { .args = JSON_TEXT({ "path" : "demo/notes.txt", "lines" : "2-3" }) },
	.effects = OP_READS | OP_IDEMPOTENT,
	.params = in_fields,
	.params_size = sizeof(struct in),
	.result = out_fields,
	.result_size = sizeof(struct out),
	.raw = &download_raw,
	.errors = errors,
	.limits = limits,
	.lane = OP_LANE_SHORT,
	.start = files_read,
};
