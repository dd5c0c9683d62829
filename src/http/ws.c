/* SPDX-License-Identifier: Apache-2.0 */
#include "http/ws.h"

#include "base/clock.h"
#include "base/utf8.h"
#include "http/conn.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

enum {
	OUT_HIGH = 64 * 1024, /* no room while so much waits */
	OUT_LOW = 32 * 1024,
	PONG_HIGH = 256 * 1024, /* no ping is answered while so much waits */
	TURN_MAX = 256 * 1024,  /* bytes sent in a turn of the loop */
	PINGS_MAX = 2,          /* without an answer */
};

/* From our close frame, or the peer's, to the end of the connection. */
#define CLOSE_NS (3 * NS_PER_S)

struct http_ws {
	const struct http_ws_handlers *handlers;
	struct ws_frame frame; /* the one whose payload is coming */
	bool in_frame;
	size_t got; /* of its payload */
	struct ws_message message;
	struct buf text; /* payload of the message so far, unmasked */
	char control[WS_CONTROL_MAX];
	bool paused, starved, woken; /* starved: the handler was told that there is no room */
	bool close_sent, close_got;
	int code;
	int64_t heard_ns; /* when bytes last came; then when a ping was sent */
	unsigned pings;   /* sent since bytes last came */
};

void http_upgrade(struct http_conn *c, struct str headers, const struct http_ws_handlers *handlers)
{
	struct http_ws *ws;

	assert(c->state == CONN_REQUEST || c->state == CONN_DEAD);
	if (c->state == CONN_DEAD) {
		/* The handler hears of it in the next turn, like of any other end. */
		c->state = CONN_LOST;
	} else {
		buf_adds(&c->out, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n");
		buf_add(&c->out, headers.p, headers.len);
		buf_adds(&c->out, "\r\n");
		c->state = CONN_UPGRADED;
	}
	ws = mem_new(struct http_ws);
	ws->handlers = handlers;
	ws->code = HTTP_WS_LOST;
	ws->woken = true;
	ws->heard_ns = clock_now_ns();
	buf_init_budgeted(&ws->text, WS_MESSAGE_MAX);
	c->ws = ws;
	c->deadline_ns = 0;
	c->close_after = true;
	conn_kick(c);
}

/* The last thing: both sides of the handler are told, and the connection has no user any more. */
void ws_end(struct http_conn *c)
{
	struct http_ws *ws = take_ptr(c->ws);

	ws->handlers->on_close(c, ws->code);
	buf_free(&ws->text);
	free(ws);
	c->server->handlers->on_done(c, c->body_sent);
	c->user = NULL;
}

static void put_frame(struct http_conn *c, enum ws_opcode opcode, struct str bytes)
{
	char head[WS_HEAD_MAX];

	buf_add(&c->out, head, ws_frame_head(head, opcode, true, bytes.len));
	buf_add(&c->out, bytes.p, bytes.len);
	conn_kick(c);
}

void http_ws_send(struct http_conn *c, enum ws_opcode opcode, struct str bytes)
{
	if (c->state != CONN_UPGRADED || c->ws->close_sent)
		return;
	c->body_sent += bytes.len;
	put_frame(c, opcode, bytes);
}

size_t http_ws_room(struct http_conn *c)
{
	if (c->state == CONN_UPGRADED && !c->ws->close_sent && c->out.len < OUT_HIGH)
		return OUT_HIGH - c->out.len;
	if (c->ws)
		c->ws->starved = true;
	return 0;
}

void http_ws_wake(struct http_conn *c)
{
	if (c->state != CONN_UPGRADED)
		return;
	c->ws->woken = true;
	conn_kick(c);
}

void http_ws_pause(struct http_conn *c, bool paused)
{
	if (c->state != CONN_UPGRADED || c->ws->paused == paused)
		return;
	c->ws->paused = paused;
	c->ws->heard_ns = clock_now_ns();
	conn_kick(c);
}

static void send_close(struct http_conn *c, enum ws_close code, const char *reason)
{
	struct http_ws *ws = c->ws;
	char payload[WS_CONTROL_MAX];

	if (ws->close_sent)
		return;
	if (code == WS_CLOSE_NO_CODE)
		put_frame(c, WS_CLOSE, (struct str){ payload, 0 });
	else
		put_frame(c, WS_CLOSE, (struct str){ payload, ws_close_payload(payload, code, reason) });
	ws->close_sent = true;
	if (!ws->close_got)
		ws->code = (int)code;
	buf_free(&ws->text);
	c->deadline_ns = clock_now_ns() + CLOSE_NS;
}

void http_ws_close(struct http_conn *c, enum ws_close code, const char *reason)
{
	if (c->state == CONN_UPGRADED)
		send_close(c, code, reason);
}

/* The peer broke the rules: what else it sends cannot be understood, so its close is not waited for. */
static void refuse(struct http_conn *c, enum ws_close code)
{
	static const struct {
		enum ws_close code;
		const char *reason;
	} reasons[] = {
		{ WS_CLOSE_PROTOCOL, "the frame breaks RFC 6455" },
		{ WS_CLOSE_BAD_DATA, "the text is not UTF-8" },
		{ WS_CLOSE_TOO_BIG, "a frame has at most 1 MiB, a message 4 MiB" },
		{ WS_CLOSE_INTERNAL, "server.busy: memory is used up" },
	};
	const char *reason = "";

	for (size_t i = 0; i < ARRAY_LEN(reasons); i++) {
		if (reasons[i].code == code)
			reason = reasons[i].reason;
	}
	send_close(c, code, reason);
	c->ws->close_got = true;
	buf_free(&c->in);
}

static void on_control(struct http_conn *c)
{
	struct http_ws *ws = c->ws;
	struct str payload = { ws->control, ws->frame.len }, reason;
	int code;

	/* One who pings and reads nothing gets answers to some of it only (RFC 6455, 5.5.3). */
	if (ws->frame.opcode == WS_PING && !ws->close_sent && c->out.len < PONG_HIGH)
		put_frame(c, WS_PONG, payload);
	if (ws->frame.opcode != WS_CLOSE)
		return;
	code = ws_close_parse(payload, &reason);
	if (code >= 0 && !utf8_valid(reason))
		code = -WS_CLOSE_BAD_DATA;
	if (code < 0) {
		refuse(c, (enum ws_close) - code);
		return;
	}
	ws->close_got = true;
	if (!ws->close_sent)
		ws->code = code;
	send_close(c, (enum ws_close)code, "");
}

static void on_message(struct http_conn *c)
{
	struct http_ws *ws = c->ws;

	if (ws->close_sent)
		return; /* said goodbye already */
	if (ws->message.opcode == WS_TEXT && !utf8_valid(buf_str(&ws->text))) {
		refuse(c, WS_CLOSE_BAD_DATA);
		return;
	}
	ws->handlers->on_message(c, ws->message.opcode, ws->text.data, ws->text.len);
	buf_free(&ws->text);
}

static void frame_complete(struct http_conn *c)
{
	struct http_ws *ws = c->ws;

	ws->in_frame = false;
	if (ws->frame.opcode >= WS_CLOSE)
		on_control(c);
	else if (!ws->message.open)
		on_message(c);
}

/* 0 when the head of the next frame is not all there, 1, or -(enum ws_close). */
static int begin_frame(struct http_conn *c)
{
	struct http_ws *ws = c->ws;
	ssize_t len = ws_frame_parse(buf_str(&c->in), &ws->frame);
	int step;

	if (len <= 0)
		return (int)len;
	step = ws_message_add(&ws->message, &ws->frame);
	if (step < 0)
		return step;
	buf_drop(&c->in, (size_t)len);
	ws->in_frame = true;
	ws->got = 0;
	return 1;
}

/* What is there of the payload: false when memory is used up. */
static bool take_payload(struct http_conn *c)
{
	struct http_ws *ws = c->ws;
	size_t len = MIN(c->in.len, ws->frame.len - ws->got);

	if (len == 0)
		return true;
	ws_unmask(c->in.data, len, ws->frame.mask, ws->got);
	if (ws->frame.opcode >= WS_CLOSE)
		memcpy(ws->control + ws->got, c->in.data, len);
	else if (!ws->close_sent)
		buf_add(&ws->text, c->in.data, len);
	ws->got += len;
	buf_drop(&c->in, len);
	return !buf_failed(&ws->text);
}

/* One frame, or what is there of it: whether there was anything to do. */
static bool take_frame(struct http_conn *c)
{
	struct http_ws *ws = c->ws;

	if (!ws->in_frame) {
		int begun = begin_frame(c);

		if (begun < 0)
			refuse(c, (enum ws_close) - begun);
		if (begun <= 0)
			return begun < 0;
	}
	if (!take_payload(c)) {
		refuse(c, WS_CLOSE_INTERNAL);
		return true;
	}
	if (ws->got < ws->frame.len)
		return false;
	frame_complete(c);
	return true;
}

static bool read_more(struct http_conn *c)
{
	ssize_t len = recv(c->fd, c->server->scratch, HTTP_SCRATCH_SIZE, MSG_DONTWAIT);

	if (len < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (len <= 0) {
		conn_abort(c);
		return true;
	}
	c->ws->heard_ns = clock_now_ns();
	c->ws->pings = 0;
	buf_add(&c->in, c->server->scratch, (size_t)len);
	return true;
}

/* False when the connection broke. */
static bool flush(struct http_conn *c)
{
	size_t turn = 0;

	while (c->out.len && turn < TURN_MAX) {
		ssize_t len = send(c->fd, c->out.data, c->out.len, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (len < 0)
			return errno == EAGAIN || errno == EINTR;
		buf_drop(&c->out, (size_t)len);
		turn += (size_t)len;
	}
	if (c->out.len == 0)
		buf_free(&c->out); /* a quiet terminal holds no memory */
	return true;
}

static bool call_writable(struct http_conn *c)
{
	struct http_ws *ws = c->ws;

	if (ws->close_sent || !(ws->woken || (ws->starved && c->out.len <= OUT_LOW)))
		return false;
	ws->woken = ws->starved = false;
	ws->handlers->on_writable(c);
	return true;
}

bool ws_step(struct http_conn *c)
{
	struct http_ws *ws = c->ws;

	if (!flush(c)) {
		conn_abort(c);
		return true;
	}
	if (ws->close_sent && ws->close_got && c->out.len == 0) {
		conn_end_upgraded(c);
		return true;
	}
	if (call_writable(c))
		return true;
	if (ws->close_got || (ws->paused && !ws->close_sent))
		return false;
	return (c->in.len && take_frame(c)) || read_more(c);
}

unsigned ws_wanted_events(const struct http_conn *c)
{
	const struct http_ws *ws = c->ws;
	bool reads = !ws->close_got && (!ws->paused || ws->close_sent);

	/* A reset is told also to one who does not read, but not to one who waits for nothing. */
	return (reads ? WATCH_READ : c->eof ? 0 : WATCH_HANGUP) | (c->out.len ? WATCH_WRITE : 0);
}

void ws_sweep(struct http_conn *c, int64_t now_ns)
{
	struct http_ws *ws = c->ws;

	if (ws->close_sent || now_ns - ws->heard_ns < c->server->limits.ping_ns)
		return;
	if (ws->pings == PINGS_MAX) {
		conn_abort(c);
		return;
	}
	/* While we do not read, an answer would not be seen; but one who has gone answers with a reset,
	   and one who has closed its side has no more time than the silent. */
	if (!ws->paused || c->eof)
		ws->pings++;
	ws->heard_ns = now_ns;
	put_frame(c, WS_PING, (struct str){ NULL, 0 });
}
