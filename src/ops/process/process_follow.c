/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.follow: the output of a process as it comes, from an offset on.
 *
 * A follower is a cursor in the journal: it never holds the process, and is told of what it
 * missed.  Each event's id is the offset at which to go on after it (R26); while the rest of a
 * character is waited for, that is the character's first byte.
 */
#include "ops/process/process.h"
#include "ops/process/reading.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { EVENT_BYTES = 32 * 1024, ID_SIZE = 24 };

enum { EVENT_CHUNK, EVENT_GAP, EVENT_ERROR, EVENT_EXIT };

static const char *const streams[] = { [READ_BOTH] = "both", [READ_STDOUT] = "stdout", [READ_STDERR] = "stderr", NULL };
static const char *const chunk_streams[] = { [JOURNAL_STDOUT] = "stdout", [JOURNAL_STDERR] = "stderr", NULL };

struct in {
	const char *pid;
	int64_t since;
	int stream, encoding;
};

struct chunk_event {
	int stream;
	int64_t offset;
	struct output data;
	bool lossy;
};

struct gap_event {
	int64_t from, to, dropped;
};

struct exit_event {
	int64_t exit_code, duration_ms;
	const char *signal;
	bool background, timed_out, oom_killed;
};

static const struct field params[] = {
	PROCESS_PARAM(struct in),
	P_INT(struct in, since, 0, 0, INT64_MAX, "Offset of the first byte; a Last-Event-ID header goes before it."),
	P_CHOICE(struct in, stream, READ_BOTH, streams, "Which stream; offsets count both in any case."),
	P_CHOICE(struct in, encoding, ENCODING_UTF8, encoding_choices, "How the bytes are given: as text, or exactly."),
	FIELDS_END,
};

static const struct field chunk_rows[] = {
	R_CHOICE(struct chunk_event, stream, chunk_streams, "Where the process wrote it."),
	R_INT(struct chunk_event, offset, "Offset of its first byte."),
	R_OUTPUT(struct chunk_event, data, "data", "The bytes, as text or base64."),
	R_FLAG(struct chunk_event, lossy, "Bytes that are not UTF-8 were replaced."),
	FIELDS_END,
};

static const struct field gap_rows[] = {
	R_INT(struct gap_event, from, "Offset of the first byte that is gone."),
	R_INT(struct gap_event, to, "Offset of the next one that is there."),
	R_INT(struct gap_event, dropped, "How many bytes are gone."),
	FIELDS_END,
};

static const struct field exit_rows[] = {
	R_INT(struct exit_event, exit_code, "Its exit code; 128 and N when signal N ended it."),
	R_OPT_STRING(struct exit_event, signal, "The signal that ended it."),
	R_INT(struct exit_event, duration_ms, "From its start to its end."),
	R_FLAG(struct exit_event, background, "Something that it started still held a pipe."),
	R_FLAG(struct exit_event, timed_out, "It was ended by its timeout."),
	R_FLAG(struct exit_event, oom_killed, "The kernel ended it for want of memory."),
	FIELDS_END,
};

static const struct event events[] = {
	[EVENT_CHUNK] = { .name = "chunk",
		.fields = chunk_rows,
		.size = sizeof(struct chunk_event),
		.has_id = true,
		.text = "Output." },
	[EVENT_GAP] = { .name = "gap",
		.fields = gap_rows,
		.size = sizeof(struct gap_event),
		.has_id = true,
		.text = "Output that was dropped before this reader came to it." },
	[EVENT_ERROR] = CALL_ERROR_EVENT,
	[EVENT_EXIT] = { .name = "exit",
		.fields = exit_rows,
		.size = sizeof(struct exit_event),
		.has_id = true,
		.final = true,
		.text = "It has ended; nothing comes behind this." },
	{ .name = NULL },
};

struct follower {
	struct source source;
	struct call *call;
	struct process *process; /* held */
	struct journal_reader reader;
	struct text texts[JOURNAL_STREAMS];
	uint64_t held_at[JOURNAL_STREAMS]; /* where the character begins that texts hold back */
	struct buf text;
	enum read_streams streams;
	bool base64, behind_gap, told_error;
};

static void put_event(struct follower *f, struct buf *out, unsigned index, const void *fields)
{
	uint64_t at = f->reader.next;
	char id[ID_SIZE];

	for (int stream = 0; stream < JOURNAL_STREAMS; stream++) {
		if (f->texts[stream].held_len)
			at = MIN(at, f->held_at[stream]);
	}
	snprintf(id, sizeof id, "%" PRIu64, at);
	call_event(f->call, out, index, fields, id);
}

static void put_gap(struct follower *f, struct buf *out, uint64_t dropped)
{
	struct gap_event event = {
		.from = (int64_t)(f->reader.next - dropped), .to = (int64_t)f->reader.next, .dropped = (int64_t)dropped
	};

	/* The rest of what is held is gone. */
	for (int stream = 0; stream < JOURNAL_STREAMS; stream++)
		text_drop(&f->texts[stream]);
	put_event(f, out, EVENT_GAP, &event);
	f->behind_gap = true;
}

static void put_chunk(
	struct follower *f, struct buf *out, enum journal_stream stream, uint64_t offset, struct str bytes)
{
	struct chunk_event event = { stream, (int64_t)offset, { bytes, f->base64 }, f->texts[stream].lossy };

	if (bytes.len)
		put_event(f, out, EVENT_CHUNK, &event);
	f->texts[stream].lossy = false;
}

static void put_text(struct follower *f, struct buf *out, const struct journal_record *record)
{
	struct text *text = &f->texts[record->stream];
	size_t len = record->bytes.len;

	buf_truncate(&f->text, 0);
	text_add(text, record->bytes, &f->text);
	if (text->held_len > 0 && text->held_len <= len)
		f->held_at[record->stream] = record->offset + len - text->held_len;
	put_chunk(f, out, record->stream, record->offset, buf_str(&f->text));
}

static void put_record(struct follower *f, struct buf *out, struct journal_record *record)
{
	bool first = f->behind_gap;

	f->behind_gap = false;
	if (first && !f->base64) {
		size_t cut = reading_cut_head(record->bytes);

		record->bytes.p += cut;
		record->bytes.len -= cut;
		record->offset += cut;
	}
	if (!reading_wants(f->streams, record->stream))
		return;
	if (f->base64)
		put_chunk(f, out, record->stream, record->offset, record->bytes);
	else
		put_text(f, out, record);
}

static enum source_status put_end(struct follower *f, struct buf *out)
{
	const struct process *p = f->process;
	char signal[16];
	struct exit_event event = {
		.exit_code = p->exit.code,
		.signal = command_signal_name(p->exit.signal, signal),
		.duration_ms = (p->ended_ns - p->started_ns) / NS_PER_MS,
		.background = p->held,
		.timed_out = p->timed_out,
		.oom_killed = p->exit.oom_killed,
	};

	for (int stream = 0; stream < JOURNAL_STREAMS; stream++) {
		buf_truncate(&f->text, 0);
		text_end(&f->texts[stream], &f->text);
		put_chunk(f, out, stream, f->held_at[stream], buf_str(&f->text));
	}
	put_event(f, out, EVENT_EXIT, &event);
	return SOURCE_END;
}

static enum source_status pull(struct source *source, struct buf *out, size_t room)
{
	struct follower *f = OWNER(source, struct follower, source);
	struct journal_record record;
	size_t start = out->len;
	uint64_t dropped;

	if (f->told_error) {
		call_event_error(f->call, out, EVENT_ERROR);
		return SOURCE_END;
	}
	while (out->len - start < room) {
		bool more = journal_peek(&f->reader, EVENT_BYTES, &record, &dropped);

		if (dropped)
			put_gap(f, out, dropped);
		if (!more)
			return journal_closed(f->process->journal) ? put_end(f, out) : SOURCE_WAIT;
		/* The event's id is the offset behind it. */
		journal_advance(&f->reader, record.bytes.len);
		put_record(f, out, &record);
	}
	return SOURCE_MORE;
}

static void close_source(struct source *source)
{
	struct follower *f = OWNER(source, struct follower, source);

	journal_detach(&f->reader);
	buf_free(&f->text);
	process_release(f->process);
	free(f);
}

static void on_more(struct journal_reader *r)
{
	call_wake(OWNER(r, struct follower, reader)->call);
}

/* The server ends, or the caller lost the op: call->err says which. */
static void on_shutdown(struct call *call)
{
	struct follower *f = call->state;

	f->told_error = true;
	call_wake(call);
}

/* Where to begin: the client's own memory of it is newer than its URL. */
static int begin_at(struct call *call, uint64_t *ret_offset)
{
	struct str last = call->http.last_event_id;

	*ret_offset = (uint64_t)call_in(call, struct in)->since;
	if (!last.p || str_to_u64(last, ret_offset) == 0)
		return 0;
	return err_set(&call->err, ERR_ARGS_INVALID, "the Last-Event-ID '%.*s' is not an offset",
		(int)MIN(last.len, 40), last.p);
}

static void start(struct call *call)
{
	const struct in *in = call_in(call, struct in);
	struct process *p = process_find_captured(call, in->pid);
	struct follower *f;
	uint64_t offset;

	if (!p || begin_at(call, &offset) < 0) {
		call_fail(call);
		return;
	}
	f = mem_new(struct follower);
	f->source = (struct source){ pull, close_source };
	f->call = call;
	f->process = p;
	f->streams = in->stream;
	f->base64 = in->encoding == ENCODING_BASE64;
	buf_init(&f->text, 3 * EVENT_BYTES + 64);
	process_hold(p);
	journal_attach(p->journal, &f->reader, offset, false, on_more);
	/* Attaching begins at the oldest byte kept; what is gone before it is told. */
	f->reader.next = MIN(offset, journal_end(p->journal));
	call->state = f;
	call->on_shutdown = on_shutdown;
	call_stream(call, &f->source);
}

static const enum err_code errors[] = { ERR_PROCESS_NOT_FOUND, ERR_PROCESS_NOT_CAPTURED, ERR_NONE };

const struct op op_process_follow = {
	.id = "process.follow",
	.group = "process",
	.scope = "process:read",
	.kind = OP_SSE,
	.method = "GET",
	.path = "/process/{pid}/follow",
	.since = "0.1.0",
	.summary = "The output of a process as it comes.",
	.description =
		"Events carry an id: with it as Last-Event-ID (or as 'since') a new call goes on where the old one broke, and a "
		"client of server-sent events does so by itself. A reader who is too slow for what the ring keeps is told of a "
		"'gap'; the process never waits for its readers.",
	.example = { .args = JSON_TEXT({}),
		.after = "process.start",
		.after_args = JSON_TEXT({ "command" : "echo done; exit 3", "capture_output" : true }),
		.take = "pid",
		.into = "pid" },
	.effects = OP_READS | OP_IDEMPOTENT,
	.params = params,
	.params_size = sizeof(struct in),
	.events = events,
	.errors = errors,
	.start = start,
};
