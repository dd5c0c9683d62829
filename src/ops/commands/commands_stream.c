/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands.stream: run a command and send its output as it comes.
 *
 * The journal between the pipes and the caller has one lossless reader: a caller who reads
 * slowly slows the command down, and memory stays flat.  The last event is "exit", sent after
 * the last byte and after the command was waited for (R12).
 */
#include "program/running.h"

#include "base/clock.h"
#include "base/utf8.h"
#include "journal/journal.h"
#include "journal/text.h"

#include <stdlib.h>

enum {
	TIMEOUT_MAX = 3600,
	JOURNAL_BYTES = 256 * 1024,   /* between the command and a slow caller */
	EVENT_BYTES = 32 * 1024,      /* of output in one event */
	LINE_MAX_BYTES = 1024 * 1024, /* a longer line is cut */
};

enum { EVENT_START, EVENT_STDOUT, EVENT_STDERR, EVENT_ERROR, EVENT_EXIT };

struct in {
	struct command command;
	double timeout;
	int encoding;
	bool lines;
};

struct start_event {
	int64_t pid;
};

struct output_event {
	struct output data;
	bool lossy;
};

struct exit_event {
	int64_t exit_code, duration_ms;
	const char *signal;
	bool background, oom_killed;
};

static const struct field params[] = {
	COMMAND_PARAMS(struct in, command),
	COMMAND_INPUT(struct in, command),
	P_NUM(struct in, timeout, 0, 0, TIMEOUT_MAX,
		"Seconds until the command and all that it started are ended; 0 is no limit."),
	P_CHOICE(struct in, encoding, ENCODING_UTF8, encoding_choices, "How output is given: as text, or exactly."),
	FIELD_ROW(struct in, lines, bool, FIELD_BOOLEAN,
		"One event for each whole line, without its newline (text only; a line over 1 MiB is cut). '?lines=true' behind the "
		"route says the same.",
		.flags = F_QUERY_TOO),
	FIELDS_END,
};

static const struct one_of one_of[] = { COMMAND_ONE_OF, COMMAND_INPUT_ONE_OF, { .names = { NULL } } };

static const struct field start_rows[] = {
	R_INT(struct start_event, pid, "Process id of the command."),
	FIELDS_END,
};

static const struct field output_rows[] = {
	R_OUTPUT(struct output_event, data, "data", "The bytes, as text or base64."),
	R_FLAG(struct output_event, lossy, "Bytes that are not UTF-8 were replaced."),
	FIELDS_END,
};

static const struct field exit_rows[] = {
	R_INT(struct exit_event, exit_code, "Its exit code; 128 and N when signal N ended it."),
	R_OPT_STRING(struct exit_event, signal, "The signal that ended it."),
	R_INT(struct exit_event, duration_ms, "From its start to its end."),
	R_FLAG(struct exit_event, background, "Something that it started still held a pipe."),
	R_FLAG(struct exit_event, oom_killed, "The kernel ended it for want of memory."),
	FIELDS_END,
};

static const struct event events[] = {
	[EVENT_START] = { .name = "start",
		.fields = start_rows,
		.size = sizeof(struct start_event),
		.text = "It runs." },
	[EVENT_STDOUT] = { .name = "stdout",
		.fields = output_rows,
		.size = sizeof(struct output_event),
		.text = "Output." },
	[EVENT_STDERR] = { .name = "stderr",
		.fields = output_rows,
		.size = sizeof(struct output_event),
		.text = "Error output." },
	[EVENT_ERROR] = CALL_ERROR_EVENT,
	[EVENT_EXIT] = { .name = "exit",
		.fields = exit_rows,
		.size = sizeof(struct exit_event),
		.final = true,
		.text = "It has ended; nothing comes behind this." },
	{ .name = NULL },
};

/* Lives until the command is done and the caller has its last event or has gone. */
struct stream {
	struct running running;
	struct source source;
	struct journal *journal;
	struct journal_reader reader;
	struct text texts[JOURNAL_STREAMS];
	struct buf pending[JOURNAL_STREAMS]; /* text of a line that is not complete */
	struct call *call;                   /* NULL when it is freed */
	enum encoding encoding;
	bool lines, started, done, told_error, closed;
};

static void stream_free(struct stream *s)
{
	running_free(&s->running);
	journal_free(s->journal);
	for (int i = 0; i < JOURNAL_STREAMS; i++)
		buf_free(&s->pending[i]);
	free(s);
}

static void wake(struct stream *s)
{
	if (s->call && !s->closed)
		call_wake(s->call);
}

static void on_bytes(struct running *r, unsigned stream, struct str bytes)
{
	struct stream *s = OWNER(r, struct stream, running);

	if (s->closed)
		return; /* read and dropped, so that what is being ended is not held */
	journal_append(s->journal, stream == PIPES_OUT ? JOURNAL_STDOUT : JOURNAL_STDERR, bytes);
}

static size_t room(struct running *r)
{
	struct stream *s = OWNER(r, struct stream, running);

	return s->closed ? SIZE_MAX : journal_room(s->journal);
}

static void on_room(void *user)
{
	struct stream *s = user;

	pipes_resume(&s->running.pipes);
}

static void on_more(struct journal_reader *r)
{
	wake(OWNER(r, struct stream, reader));
}

static void on_done(struct running *r)
{
	struct stream *s = OWNER(r, struct stream, running);

	s->done = true;
	if (s->closed)
		stream_free(s);
	else
		journal_close(s->journal); /* wakes */
}

static void put(struct stream *s, struct buf *out, enum journal_stream stream, struct str bytes, bool lossy)
{
	struct output_event event = { { bytes, s->encoding == ENCODING_BASE64 }, lossy };

	call_event(s->call, out, stream == JOURNAL_STDOUT ? EVENT_STDOUT : EVENT_STDERR, &event, NULL);
}

/* Whole lines of what is pending; the rest too, when it is too long or the last. */
static void put_lines(struct stream *s, struct buf *out, enum journal_stream stream, bool last)
{
	struct buf *pending = &s->pending[stream];
	struct text *text = &s->texts[stream];
	const char *newline;

	while (pending->len && (newline = memchr(pending->data, '\n', pending->len))) {
		size_t len = (size_t)(newline - pending->data);

		put(s, out, stream, (struct str){ pending->data, len }, text->lossy);
		text->lossy = false;
		buf_drop(pending, len + 1);
	}
	if (pending->len && (last || pending->len >= LINE_MAX_BYTES)) {
		put(s, out, stream, buf_str(pending), text->lossy);
		text->lossy = false;
		buf_drop(pending, pending->len);
	}
}

static void put_text(struct stream *s, struct buf *out, enum journal_stream stream, bool last)
{
	struct buf *pending = &s->pending[stream];
	struct text *text = &s->texts[stream];

	if (last)
		text_end(text, pending);
	if (s->lines) {
		put_lines(s, out, stream, last);
	} else if (pending->len) {
		put(s, out, stream, buf_str(pending), text->lossy);
		text->lossy = false;
		buf_drop(pending, pending->len);
	}
}

/* Nothing is held, and all is text: the event is made from the journal's own bytes. */
static bool put_directly(struct stream *s, struct buf *out, const struct journal_record *record)
{
	if (s->lines || s->pending[record->stream].len || s->texts[record->stream].held_len ||
		!utf8_valid(record->bytes))
		return false;
	put(s, out, record->stream, record->bytes, false);
	return true;
}

static void put_record(struct stream *s, struct buf *out, const struct journal_record *record)
{
	if (s->encoding == ENCODING_BASE64) {
		put(s, out, record->stream, record->bytes, false);
		return;
	}
	if (put_directly(s, out, record))
		return;
	text_add(&s->texts[record->stream], record->bytes, &s->pending[record->stream]);
	put_text(s, out, record->stream, false);
}

static void put_exit(struct stream *s, struct buf *out)
{
	const struct running *r = &s->running;
	char signal[16];
	struct exit_event event = {
		.exit_code = r->exit.code,
		.signal = command_signal_name(r->exit.signal, signal),
		.duration_ms = r->duration_ns / NS_PER_MS,
		.background = r->held,
		.oom_killed = r->exit.oom_killed,
	};

	if (r->timed_out) {
		err_set(&s->call->err, ERR_COMMANDS_TIMEOUT, "the command did not end within %g seconds and was ended",
			r->timeout_s);
		call_event_error(s->call, out, EVENT_ERROR);
	}
	call_event(s->call, out, EVENT_EXIT, &event, NULL);
}

static enum source_status put_end(struct stream *s, struct buf *out)
{
	if (s->encoding == ENCODING_UTF8) {
		put_text(s, out, JOURNAL_STDOUT, true);
		put_text(s, out, JOURNAL_STDERR, true);
	}
	put_exit(s, out);
	return SOURCE_END;
}

static enum source_status pull(struct source *source, struct buf *out, size_t room)
{
	struct stream *s = OWNER(source, struct stream, source);
	struct journal_record record;
	size_t start = out->len;
	uint64_t dropped;

	if (!s->started) {
		struct start_event event = { s->running.pid };

		s->started = true;
		call_event(s->call, out, EVENT_START, &event, NULL);
	}
	if (s->told_error) {
		call_event_error(s->call, out, EVENT_ERROR);
		return SOURCE_END;
	}
	while (out->len - start < room && journal_peek(&s->reader, EVENT_BYTES, &record, &dropped)) {
		put_record(s, out, &record);
		journal_advance(&s->reader, record.bytes.len);
	}
	if (out->len - start >= room)
		return SOURCE_MORE;
	return s->done ? put_end(s, out) : SOURCE_WAIT;
}

/* All was sent, or the caller has gone: then everything is ended (R14). */
static void close_source(struct source *source)
{
	struct stream *s = OWNER(source, struct stream, source);

	s->closed = true;
	s->call = NULL;
	journal_detach(&s->reader);
	if (s->done)
		stream_free(s);
	else
		running_cancel(&s->running);
}

/* The server ends, or the caller lost the op: the command's fate is not waited for, so "error" is the last event (R12, R86). */
static void on_shutdown(struct call *call)
{
	struct stream *s = call->state;

	s->told_error = true;
	wake(s);
}

static const struct running_events running_events = { .room = room, .on_bytes = on_bytes, .on_done = on_done };

static struct stream *stream_new(struct call *call)
{
	const struct in *in = call_in(call, struct in);
	struct stream *s = mem_new(struct stream);

	s->call = call;
	s->encoding = in->encoding;
	s->lines = in->lines && in->encoding == ENCODING_UTF8;
	s->source = (struct source){ pull, close_source };
	s->journal = journal_new(JOURNAL_BYTES, on_room, s);
	journal_attach(s->journal, &s->reader, 0, true, on_more);
	for (int i = 0; i < JOURNAL_STREAMS; i++)
		buf_init(&s->pending[i], 2 * LINE_MAX_BYTES);
	return s;
}

static int permit(struct call *call)
{
	return command_permit(call, &call_in(call, struct in)->command);
}

static void start(struct call *call)
{
	const struct in *in = call_in(call, struct in);
	struct stream *s;

	if (in->timeout > (double)call_limit(call, "max_timeout")) {
		call_over_limit(call, "max_timeout", &call->err,
			"parameter 'timeout' must be at most %lld seconds (max_timeout)",
			(long long)call_limit(call, "max_timeout"));
		call_fail(call);
		return;
	}
	s = stream_new(call);
	if (running_start(&s->running, call, &in->command, in->timeout, &running_events) < 0) {
		journal_free(s->journal);
		free(s);
		call_fail(call);
		return;
	}
	call->state = s;
	call->on_shutdown = on_shutdown;
	call->drops_args = !command_input(&in->command).p; /* input is fed from the arguments */
	call_stream(call, &s->source);
}

static const enum err_code errors[] = { COMMAND_ERRORS, ERR_COMMANDS_TIMEOUT, ERR_SHUTTING_DOWN, ERR_NONE };

static const struct limit limits[] = {
	{ "max_timeout", TIMEOUT_MAX, TIMEOUT_MAX, ERR_ARGS_INVALID,
		"Longest timeout, in seconds; 0 (none) is always allowed." },
	{ .name = NULL },
};

const struct op op_commands_stream = {
	.id = "commands.stream",
	.endpoint = "shell_stream",
	.group = "process",
	.scope = "process:run",
	.kind = OP_SSE,
	.method = "POST",
	.path = "/shell/stream",
	.since = "0.1.0",
	.summary = "Run a command and send its output as it comes.",
	.description =
		"As commands.run, with events. A caller who reads slowly slows the command down; one who leaves takes it along: "
		"what is to outlive its caller is started with process.start. A timeout sends 'error' and then 'exit'; a stream "
		"that ends without either was broken on the way.",
	.example = { .args = JSON_TEXT(
			     { "command" : "for n in 1 2 3; do echo line $n; done; exit 3", "lines" : true }) },
	.effects = OP_RUNS | OP_READS | OP_WRITES,
	.params = params,
	.params_size = sizeof(struct in),
	.one_of = one_of,
	.events = events,
	.errors = errors,
	.limits = limits,
	.permit = permit,
	.start = start,
};
