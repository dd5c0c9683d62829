/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.archive: files and folders as one archive.
 *
 * As bytes it is made while it is sent, so that a slow reader costs a few blocks of memory and no worker.
 * As JSON it is made as a whole, within limits.
 */
#include "ops/files/archiver.h"

#include "base/json_write.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	OUT_MAX = 160 << 20,
	MAX_FILES = 10000,
	MAX_BYTES = 104857600,
	TRAILER_MAX = 3000, /* readers are patient with a few KiB */
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
	P_PATHS(struct in, paths, F_REQUIRED,
		"What to put in; entries are named from each path's last part on, which no two may have alike."),
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
	struct archiver archiver;
	struct source source;
	struct buf out;  /* on its way to the caller; as JSON all of it */
	int64_t most;    /* bytes; 0: no limit */
	bool is_sending; /* bytes */
	bool closed;
};

static void archiving_free(struct archiving *a)
{
	archiver_done(&a->archiver);
	buf_free(&a->out);
	free(a);
}

static enum source_status pull(struct source *source, struct buf *out, size_t room)
{
	struct archiving *a = OWNER(source, struct archiving, source);
	size_t len;

	while (!a->out.len && archiver_take(&a->archiver, &a->out))
		;
	if (!a->out.len && a->archiver.failed)
		return SOURCE_BROKEN;
	if (!a->out.len)
		return archiver_is_finished(&a->archiver) ? SOURCE_END : SOURCE_WAIT;
	len = MIN(room, a->out.len);
	buf_add(out, a->out.data, len);
	buf_drop(&a->out, len);
	return SOURCE_MORE;
}

static void close_source(struct source *source)
{
	struct archiving *a = OWNER(source, struct archiving, source);

	a->closed = true;
	archiver_stop(&a->archiver);
	if (archiver_is_idle(&a->archiver))
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
	const struct pack *p = &a->archiver.pack;
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

	snprintf(name, sizeof name, "archive.%s", pack_formats[a->archiver.pack.format]);
	head.filename = str_of(name);
	a->source = (struct source){ pull, close_source };
	a->is_sending = true;
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
	const struct pack *p = &a->archiver.pack;
	struct out out = { .content_base64 = buf_str(&a->out),
		.format = p->format,
		.bytes = (int64_t)a->out.len,
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
		call->err = a->archiver.err;
	call->state = NULL;
	archiving_free(a);
	call_fail(call);
}

/* As JSON nothing leaves before all is there. */
static void gather(struct archiving *a)
{
	AUTOBUF struct buf block;

	buf_init_budgeted(&block, a->out.limit);
	while (!a->call->err.code && archiver_take(&a->archiver, &block)) {
		buf_add(&a->out, block.data, block.len);
		buf_free(&block);
		if (buf_failed(&a->out))
			err_set(&a->call->err, ERR_BUSY, "memory is used up: ask for application/octet-stream");
		else if ((int64_t)a->out.len > a->most)
			call_over_limit(a->call, "max_bytes", &a->call->err,
				"the archive is over %lld bytes: ask for application/octet-stream", (long long)a->most);
	}
	if (a->call->err.code)
		archiver_stop(&a->archiver);
}

static void on_more(struct archiver *archiver)
{
	struct archiving *a = OWNER(archiver, struct archiving, archiver);
	bool is_idle = archiver_is_idle(archiver);

	if (a->closed) {
		if (is_idle)
			archiving_free(a);
		return;
	}
	if (a->is_sending) {
		call_wake(a->call);
		return;
	}
	if (!a->call->http.raw_response)
		gather(a);
	if (archiver->failed || a->call->err.code || a->call->gone) {
		archiver_stop(archiver);
		if (archiver_is_idle(archiver))
			fail(a);
	} else if (a->call->http.raw_response) {
		send_bytes(a);
	} else if (archiver_is_finished(archiver)) {
		send_json(a);
	}
}

static void on_gone(struct call *call)
{
	struct archiving *a = call->state;

	if (!call->err.code)
		err_set(&call->err, ERR_HTTP_BAD_REQUEST, "the caller left before the answer");
	archiver_stop(&a->archiver); /* a worker is on its way back, and ends it */
}

static void start(struct call *call)
{
	const struct in *in = call_in(call, struct in);
	struct archiving *a = mem_new(struct archiving);
	bool is_raw = call->http.raw_response;
	int status;

	a->call = call;
	a->archiver.on_more = on_more;
	a->most = is_raw ? 0 : call_limit(call, "max_bytes");
	call->state = a;
	call->on_gone = on_gone;
	buf_init_budgeted(&a->out, OUT_MAX);
	status = archiver_init(&a->archiver, call, &in->paths, in->format, is_raw ? 0 : call_limit(call, "max_files"));
	if (status < 0 || archiver_start(&a->archiver) < 0)
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
	.example = { .args = JSON_TEXT({ "paths" : ["demo/src"], "format" : "zip" }),
		.file = "src.zip",
		.abx = "archive -f zip demo/src" },
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
