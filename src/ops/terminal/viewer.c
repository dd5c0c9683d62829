/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/terminal/viewer.h"

#include "base/utf8.h"
#include "journal/text.h"
#include "ops/terminal/messages.h"

#include <stdlib.h>

enum {
	TEXT_MAX = SOCKET_SEND_MAX - 256, /* of JSON text in one message, less its other members */
	PREAMBLE_MAX = 1024,
};

enum phase { ARRIVED, REPLAYING, LIVE, TOLD_END };

struct viewer {
	struct list_node node; /* in the session's list */
	struct terminal *terminal;
	struct socket *socket;
	struct journal_reader reader;
	struct text text;
	struct replay replay;
	enum phase phase;
	bool is_binary, paused;
};

static void on_more(struct journal_reader *r)
{
	socket_wake(OWNER(r, struct viewer, reader)->socket);
}

/* How many of the bytes, as JSON text, certainly fit one message. */
static size_t fitting(struct str bytes)
{
	size_t size = 0, count = 0;

	for (; count < bytes.len; count++) {
		unsigned char c = (unsigned char)bytes.p[count];

		/* \u00XX; a byte that is no text becomes U+FFFD, three bytes. */
		size += c < 0x20 || c == '"' || c == '\\' || c == 0x7f ? 6 : c >= 0x80 ? 3 : 1;
		if (size > TEXT_MAX)
			break;
	}
	return count;
}

static void send_text(struct viewer *v, struct str text)
{
	struct output_message message = { "output", text, v->text.lossy };

	socket_message(v->socket, MESSAGE_OUTPUT, &message);
	v->text.lossy = false;
}

/* Sends bytes of output: how many were taken. */
static size_t send_output(struct viewer *v, struct str bytes)
{
	AUTOBUF struct buf text;

	buf_init(&text, SOCKET_SEND_MAX);
	if (v->is_binary) {
		bytes.len = MIN(bytes.len, (size_t)SOCKET_SEND_MAX);
		socket_send(v->socket, SOCKET_BINARY, bytes);
		return bytes.len;
	}
	bytes.len = fitting(bytes);
	text_add(&v->text, bytes, &text);
	if (text.len)
		send_text(v, buf_str(&text));
	return bytes.len;
}

static void send_modes(struct viewer *v, const struct modes *modes, bool off)
{
	AUTOBUF struct buf text;

	buf_init(&text, PREAMBLE_MAX);
	modes_write(modes, off, &text);
	if (text.len)
		send_output(v, buf_str(&text));
}

static void begin(struct viewer *v)
{
	struct terminal *t = v->terminal;
	struct started_message started = { "event", "started", t->id, t->pid, t->columns, t->rows };
	struct replay_message replay = { .type = "event", .event = "replay" };
	AUTOBUF struct buf preamble;

	scrollback_replay(&t->scrollback, &v->replay);
	buf_init(&preamble, PREAMBLE_MAX);
	modes_write(&v->replay.modes, false, &preamble);
	replay.bytes = (int64_t)(v->replay.end - v->replay.begin + preamble.len);
	replay.dropped = (int64_t)v->replay.begin;
	socket_message(v->socket, MESSAGE_STARTED, &started);
	socket_message(v->socket, MESSAGE_REPLAY, &replay);
	send_modes(v, &v->replay.modes, false);
	v->reader.next = v->replay.begin;
	v->phase = REPLAYING;
}

static void go_live(struct viewer *v)
{
	struct live_message live = { "event", "live" };

	socket_message(v->socket, MESSAGE_LIVE, &live);
	v->reader.next = MAX(v->replay.live, v->reader.next);
	v->phase = LIVE;
}

/* So far behind that bytes are gone: on to the end, where it is in time again. */
static void skip(struct viewer *v, uint64_t from)
{
	uint64_t to = MAX(scrollback_skip_to(&v->terminal->scrollback), from);
	struct gap_message gap = { "event", "gap", (int64_t)from, (int64_t)to, (int64_t)(to - from) };

	if (v->phase == REPLAYING)
		go_live(v);
	text_drop(&v->text);
	socket_message(v->socket, MESSAGE_GAP, &gap);
	send_modes(v, &v->terminal->scrollback.head, true);
	v->reader.next = to;
}

/* What is left of a character that never became whole. */
static void send_rest(struct viewer *v)
{
	AUTOBUF struct buf text;

	buf_init(&text, PREAMBLE_MAX);
	text_end(&v->text, &text);
	if (text.len)
		send_text(v, buf_str(&text));
}

static void tell_end(struct viewer *v)
{
	const struct terminal *t = v->terminal;
	struct exited_message exited = { "event", "exited", t->id, t->exit.code, t->signal[0] ? t->signal : NULL };

	send_rest(v);
	socket_message(v->socket, MESSAGE_EXITED, &exited);
	socket_close(v->socket, SOCKET_CLOSE_NORMAL, "the program has ended");
	v->phase = TOLD_END;
}

/* One step of sending: false when there is nothing to send now. */
static bool step(struct viewer *v)
{
	uint64_t from = v->reader.next, dropped;
	struct journal_record record;
	size_t max = SIZE_MAX;

	if (v->phase == ARRIVED) {
		begin(v);
		return true;
	}
	if (v->phase == REPLAYING) {
		if (from >= v->replay.end) {
			go_live(v);
			return true;
		}
		max = (size_t)(v->replay.end - from);
	}
	if (journal_peek(&v->reader, max, &record, &dropped) && !dropped) {
		journal_advance(&v->reader, send_output(v, record.bytes));
		return true;
	}
	if (dropped)
		skip(v, from);
	else if (v->phase == LIVE && v->terminal->ended)
		tell_end(v);
	return dropped > 0;
}

static void on_writable(struct socket *s)
{
	struct viewer *v = s->user;

	while (v->phase != TOLD_END && socket_room(s) > 0) {
		if (!step(v))
			break;
	}
}

static void take_input(struct viewer *v, struct str bytes)
{
	if (!terminal_input(v->terminal, bytes)) {
		socket_close(v->socket, SOCKET_CLOSE_INTERNAL, "server.busy: too much input waits for the terminal");
		return;
	}
	if (!v->terminal->ended && !line_room(&v->terminal->line)) {
		v->paused = true;
		socket_pause(v->socket, true);
	}
}

static void take_text(struct viewer *v, char *bytes, size_t len)
{
	struct client_message message;
	struct arena arena;
	struct err err;

	arena_init(&arena, MESSAGE_MEMORY_MAX);
	switch (message_read(&arena, bytes, len, &message)) {
	case MESSAGE_INPUT:
		take_input(v, message.data);
		break;
	case MESSAGE_RESIZE:
		/* When the session has ended there is nobody whom it could matter to. */
		terminal_resize(v->terminal, message.columns, message.rows, &err);
		break;
	case MESSAGE_SIGNAL:
		terminal_signal(v->terminal, message.signal);
		break;
	default:
		break; /* ignored (R34) */
	}
	arena_free(&arena);
}

static void on_message(struct socket *s, enum socket_kind kind, char *bytes, size_t len)
{
	struct viewer *v = s->user;

	if (kind == SOCKET_TEXT)
		take_text(v, bytes, len);
	else if (v->is_binary)
		take_input(v, (struct str){ bytes, len });
	else
		socket_close(s, SOCKET_CLOSE_UNSUPPORTED, "binary frames need the subprotocol abx.pty.binary");
}

static void on_close(struct socket *s)
{
	struct viewer *v = s->user;

	journal_detach(&v->reader);
	terminal_detach(v->terminal, &v->node);
	free(v);
}

static const struct socket_events events = {
	.on_message = on_message, .on_writable = on_writable, .on_close = on_close
};

void viewer_start(struct call *call, struct terminal *t)
{
	struct viewer *v = mem_new(struct viewer);

	v->terminal = t;
	v->is_binary = call->http.subprotocol == VIEWER_BINARY;
	list_init(&v->node);
	journal_attach(t->scrollback.journal, &v->reader, UINT64_MAX, false, on_more);
	terminal_attach(t, &v->node);
	v->socket = call_upgrade(call, &events, v);
}

uint64_t viewer_wants(const struct list_node *node)
{
	return OWNER(node, const struct viewer, node)->reader.next;
}

void viewer_resume(struct list_node *node)
{
	struct viewer *v = OWNER(node, struct viewer, node);

	if (v->paused) {
		v->paused = false;
		socket_pause(v->socket, false);
	}
}
