/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.archive: files and folders as one archive.
 *
 * As bytes it is made while it is sent: a worker makes the next piece when the last one is on its way, so
 * that a slow reader costs two pieces of memory and no worker.  As JSON it is made as a whole, within limits.
 */
#include "ops/files/pack.h"

#include "base/clock.h"
#include "base/json_write.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	PIECE = 256 * 1024,
	MAX_FILES = 10000,
	MAX_BYTES = 104857600,
	TRAILER_MAX = 3000, /* readers are patient with a few KiB */
	RETRY_MS = 5,
};

#define TRAILER "X-Abx-Skipped"

struct in {
	struct list paths;
	int format;
};

struct out {
	struct str content_base64;
	int format;
	int64_t bytes, files, skipped_total;
	struct list skipped;
};

static const struct field params[] = {
	P_PATHS(struct in, paths, F_REQUIRED, "What to put in; entries are named from each path's last part on."),
	P_CHOICE(struct in, format, PACK_TAR_GZ, pack_formats, "The archive's format."),
	FIELDS_END,
};

static const struct field skipped_rows[] = {
	R_TEXT(struct pack_skipped, path, "Its path."),
	R_OPT_BYTES(struct pack_skipped, path_b64, "The exact path where it is not UTF-8."),
	R_STRING(struct pack_skipped, reason, "Why it is not there, or not as it was."),
	FIELDS_END,
};

static const struct field result[] = {
	R_BYTES(struct out, content_base64, "The archive."),
	R_CHOICE(struct out, format, pack_formats, "Its format."),
	R_INT(struct out, bytes, "Its size."),
	R_INT(struct out, files, "How many entries it has."),
	R_INT(struct out, skipped_total, "How many notes there are in all."),
	R_OBJECTS(struct out, skipped, struct pack_skipped, "ArchiveSkipped", skipped_rows,
		"What is not in it, or not as it was, the first 1000."),
	FIELDS_END,
};

struct archiving {
	struct call *call;
	struct job job;
	struct source source;
	struct timer retry;
	struct pack pack;
	struct buf out; /* on its way to the caller */
	size_t piece;
	int64_t most; /* bytes; 0: no limit */
	bool busy, closed, failed;
	struct err err;
};

static void archiving_free(struct archiving *a)
{
	timer_free(&a->retry);
	pack_done(&a->pack);
	buf_free(&a->out);
	free(a);
}

/* In a worker. */
static void work(struct job *job)
{
	struct archiving *a = OWNER(job, struct archiving, job);

	a->failed = pack_step(&a->pack, a->piece, &a->err) < 0;
	if (a->pack.too_many)
		call_over_limit(a->call, "max_files", &a->err,
			"there are more than %lld entries: ask for application/octet-stream",
			(long long)a->pack.max_files);
	if (!a->failed && a->most && (int64_t)a->pack.made.len > a->most)
		a->failed = call_over_limit(a->call, "max_bytes", &a->err,
				    "the archive is over %lld bytes: ask for application/octet-stream",
				    (long long)a->most) < 0;
}

static void made_more(struct job *job)
{
	struct archiving *a = OWNER(job, struct archiving, job);

	a->busy = false;
	if (a->closed)
		archiving_free(a);
	else
		call_wake(a->call);
}

static void on_retry(struct timer *t)
{
	call_wake(OWNER(t, struct archiving, retry)->call);
}

static void make_more(struct archiving *a)
{
	if (a->busy || a->failed || a->pack.finished || a->pack.made.len)
		return;
	a->busy = call_job(a->call, &a->job, LANE_LONG, work, made_more) == 0;
	if (!a->busy)
		timer_start(&a->retry, a->call->loop, RETRY_MS * NS_PER_MS, on_retry);
}

static void take_made(struct archiving *a)
{
	struct buf empty = a->out;

	buf_truncate(&empty, 0);
	a->out = a->pack.made;
	a->pack.made = empty;
}

static enum source_status pull(struct source *source, struct buf *out, size_t room)
{
	struct archiving *a = OWNER(source, struct archiving, source);
	size_t len;

	if (!a->out.len && !a->busy && !a->failed && a->pack.made.len)
		take_made(a);
	if (!a->out.len && a->failed)
		return SOURCE_BROKEN;
	make_more(a);
	if (!a->out.len)
		return a->busy || !a->pack.finished ? SOURCE_WAIT : SOURCE_END;
	len = MIN(room, a->out.len);
	buf_add(out, a->out.data, len);
	buf_drop(&a->out, len);
	return SOURCE_MORE;
}

static void close_source(struct source *source)
{
	struct archiving *a = OWNER(source, struct archiving, source);

	a->closed = true;
	if (a->busy)
		job_cancel(&a->job);
	else
		archiving_free(a);
}

/* Of a character that is valid: the writer of JSON has seen to that. */
static uint32_t code_point(const unsigned char *p, size_t len)
{
	uint32_t c = len == 1 ? p[0] : p[0] & (0x7fu >> len);

	for (size_t i = 1; i < len; i++)
		c = c << 6 | (p[i] & 0x3f);
	return c;
}

/* A field's value is ASCII: JSON can say everything in it. */
static void add_ascii(struct buf *out, struct str json)
{
	while (json.len) {
		size_t len = MAX(utf8_char_len(json), 1);
		uint32_t c = code_point((const unsigned char *)json.p, len);

		if (c < 0x80)
			buf_addc(out, (char)c);
		else if (c < 0x10000)
			buf_addf(out, "\\u%04x", (unsigned)c);
		else
			buf_addf(out, "\\u%04x\\u%04x", (unsigned)(0xd800 + ((c - 0x10000) >> 10)),
				(unsigned)(0xdc00 + ((c - 0x10000) & 0x3ff)));
		json.p += len;
		json.len -= len;
	}
}

static void add_note(struct buf *out, const struct pack_skipped *s)
{
	AUTOBUF struct buf text;
	struct json_writer w;

	buf_init(&text, 64 * 1024);
	json_write_init(&w, &text);
	json_object_begin(&w);
	json_key(&w, "path");
	json_text(&w, s->path);
	json_key(&w, "reason");
	json_string(&w, s->reason);
	json_object_end(&w);
	if (!buf_failed(&text))
		add_ascii(out, buf_str(&text));
}

/* A JSON array; when not all notes have room, the last element says how many there are in all. */
static void add_trailers(struct source *source, struct buf *out)
{
	const struct archiving *a = OWNER(source, struct archiving, source);
	const struct pack *p = &a->pack;
	size_t start = out->len, i;

	buf_adds(out, TRAILER ": [");
	for (i = 0; i < p->skipped_count; i++) {
		size_t before = out->len;

		buf_adds(out, i ? ", " : "");
		add_note(out, &p->skipped[i]);
		if (out->len - start > TRAILER_MAX) {
			buf_truncate(out, before);
			break;
		}
	}
	if ((int64_t)i < p->skipped_total)
		buf_addf(out, "%s{\"total\": %lld}", i ? ", " : "", (long long)p->skipped_total);
	buf_adds(out, "]\r\n");
}

static void send_bytes(struct archiving *a)
{
	struct call *call = a->call;
	struct raw_reply head = {
		.status = 200,
		.media_type = call->op->raw->media_type,
		.length = -1,
		.trailer = TRAILER,
		.trailers = add_trailers,
	};
	char name[32];

	snprintf(name, sizeof name, "archive.%s", pack_formats[a->pack.format]);
	head.filename = str_of(name);
	a->source = (struct source){ pull, close_source };
	call->state = NULL;
	call->on_gone = NULL;
	call_send(call, &head, &a->source);
}

static void free_state(struct call *call)
{
	if (call->state)
		archiving_free(call->state);
}

static void send_json(struct archiving *a)
{
	const struct pack *p = &a->pack;
	struct out out = { .content_base64 = buf_str(&p->made),
		.format = p->format,
		.bytes = (int64_t)p->made.len,
		.files = p->files,
		.skipped_total = p->skipped_total,
		.skipped = { p->skipped, p->skipped_count } };

	a->call->on_free = free_state; /* the reply refers to the bytes until it is sent */
	call_reply(a->call, &out);
}

static void fail(struct archiving *a)
{
	struct call *call = a->call;

	if (!call->err.code)
		call->err = a->err;
	call->state = NULL;
	archiving_free(a);
	call_fail(call);
}

static void begun(struct job *job)
{
	struct archiving *a = OWNER(job, struct archiving, job);

	a->busy = false;
	if (a->failed)
		fail(a);
	else if (a->call->http.raw_response)
		send_bytes(a);
	else
		send_json(a);
}

static void on_gone(struct call *call)
{
	job_cancel(&((struct archiving *)call->state)->job);
}

static void start(struct call *call)
{
	const struct in *in = call_in(call, struct in);
	struct archiving *a = mem_new(struct archiving);

	a->call = call;
	a->pack = (struct pack){ .job = &a->job, .format = in->format };
	a->piece = PIECE;
	if (!call->http.raw_response) {
		a->pack.max_files = call_limit(call, "max_files");
		a->most = call_limit(call, "max_bytes");
		a->piece = (size_t)a->most + 1;
	}
	call->state = a;
	call->on_gone = on_gone;
	a->failed = pack_init(&a->pack, call, &in->paths, &a->err) < 0;
	buf_init_budgeted(&a->out, a->pack.made.limit);
	a->busy = true;
	if (a->failed || call_job(call, &a->job, LANE_LONG, work, begun) < 0)
		fail(a);
}

static const enum err_code errors[] = {
	ERR_POLICY_PATH,
	ERR_FILES_NOT_FOUND,
	ERR_LIMIT_FILE,
	ERR_NONE,
};

static const struct limit limits[] = {
	{ "max_files", MAX_FILES, MAX_FILES, ERR_LIMIT_FILE, "Most entries of the JSON form; bytes have no limit." },
	{ "max_bytes", MAX_BYTES, MAX_BYTES, ERR_LIMIT_FILE, "Largest archive in the JSON form; bytes have no limit." },
	{ .name = NULL },
};

static const struct raw raw = { .response = true, .media_type = "application/octet-stream" };

const struct op op_files_archive = {
	.id = "files.archive",
	.endpoint = "files_archive",
	.group = "file_ops",
	.scope = "files:read",
	.kind = OP_RAW,
	.method = "POST",
	.path = "/files/archive",
	.since = "0.1.0",
	.summary = "Files and folders as one archive.",
	.description =
		"As JSON the archive is held in memory and limited. With Accept: application/octet-stream it is made while it is sent, "
		"and the trailer " TRAILER
		" tells in a JSON array what the result tells in 'skipped'. Links below the paths are kept as links, hard links too; "
		"devices, FIFOs and sockets are skipped. A file that changes meanwhile is cut or filled up to its first size, and told.",
	.effects = OP_READS,
	.params = params,
	.params_size = sizeof(struct in),
	.result = result,
	.result_size = sizeof(struct out),
	.raw = &raw,
	.errors = errors,
	.limits = limits,
	.lane = OP_LANE_LONG,
	.start = start,
};
