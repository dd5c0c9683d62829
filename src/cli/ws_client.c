/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/ws_client.h"

#include "base/base64.h"
#include "base/clock.h"

#include <errno.h>
#include <sys/random.h>

enum {
	FRAME_MAX = 1 << 20,
	MESSAGE_MAX = 4 << 20,
	PIECE = 64 * 1024,
	IN_MAX = FRAME_MAX + 2 * PIECE,
	OUT_MAX = 4 << 20,
	FIELDS_MAX = 1024,
	KEY_BYTES = 16,
	SHORT_HEAD = 2,
	ANSWER_MS = 30 * 1000,
	CLOSE_MS = 1000,
};

enum { FIN = 0x80, RESERVED = 0x70, OPCODE = 0x0f, MASKED = 0x80, LENGTH = 0x7f, LENGTH_16 = 126, LENGTH_64 = 127 };

static int refuse(struct problem *p, const char *what)
{
	return problem_set(p, EXIT_OTHER, "the server's WebSocket is malformed: %s", what);
}

static int make_key(struct buf *key, struct problem *p)
{
	char bytes[KEY_BYTES];

	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		return problem_errno(p, errno, "cannot get random bytes");
	base64_encode(key, (struct str){ bytes, sizeof bytes });
	return 0;
}

static bool has_token(struct str list, const char *token)
{
	while (list.len) {
		if (str_is_nocase(str_trim(str_cut(&list, ',')), token))
			return true;
	}
	return false;
}

static int check_answer(const struct response *r, struct str key, const char *protocol, struct problem *p)
{
	char accept[WS_ACCEPT_LEN + 1];

	if (ws_accept(key, accept) < 0 || !str_is(response_get(r, "Sec-WebSocket-Accept"), accept))
		return refuse(p, "its answer does not belong to our key");
	if (!str_is_nocase(response_get(r, "Upgrade"), "websocket") ||
		!has_token(response_get(r, "Connection"), "upgrade"))
		return refuse(p, "it upgrades to something else");
	if (!str_is(response_get(r, "Sec-WebSocket-Protocol"), protocol))
		return refuse(p, "it chose another subprotocol");
	if (response_get(r, "Sec-WebSocket-Extensions").p)
		return refuse(p, "it chose an extension");
	return 0;
}

int ws_client_open(struct ws_client *c, struct api *api, const char *op, struct str target, const char *protocol,
	struct problem *p)
{
	AUTOBUF struct buf fields;
	AUTOBUF struct buf key;
	struct api_request request = {
		.op = op, .method = "GET", .target = target, .is_upgrade = true, .is_read = true
	};

	*c = (struct ws_client){ .api = api };
	buf_init(&c->in, IN_MAX);
	buf_init(&c->out, OUT_MAX);
	buf_init(&c->whole, MESSAGE_MAX);
	buf_init(&fields, FIELDS_MAX);
	buf_init(&key, FIELDS_MAX);
	if (make_key(&key, p) < 0)
		return -1;
	buf_addf(&fields,
		"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
		"Sec-WebSocket-Key: %s\r\nSec-WebSocket-Protocol: %s\r\n",
		key.data, protocol);
	request.fields = buf_str(&fields);
	api->http.head_ms = ANSWER_MS;
	if (api_open(api, &request, p) < 0)
		return -1;
	c->heard_ns = clock_now_ns();
	if (check_answer(&api->http.response, buf_str(&key), protocol, p) < 0)
		return -1;
	/* What came behind the head is the first of the frames. */
	buf_add(&c->in, api->http.in.data, api->http.in.len);
	buf_drop(&api->http.in, api->http.in.len);
	return 0;
}

void ws_client_free(struct ws_client *c)
{
	buf_free(&c->in);
	buf_free(&c->out);
	buf_free(&c->whole);
}

int ws_client_fd(const struct ws_client *c)
{
	return c->api->http.transport.fd;
}

int ws_client_receive(struct ws_client *c, struct problem *p)
{
	char *to;
	ssize_t got;

	buf_drop(&c->in, c->lent);
	c->lent = 0;
	to = buf_reserve(&c->in, PIECE);
	if (!to)
		return refuse(p, "a frame is too large");
	got = transport_read(&c->api->http.transport, to, PIECE);
	if (got == -EAGAIN)
		return 0;
	if (got < 0)
		return problem_errno(p, (int)-got, "the connection broke");
	c->ended = got == 0;
	c->heard_ns = clock_now_ns();
	buf_commit(&c->in, (size_t)got);
	return 0;
}

int ws_client_flush(struct ws_client *c, struct problem *p)
{
	while (c->out.len) {
		ssize_t put = transport_write(&c->api->http.transport, c->out.data, c->out.len);

		if (put == -EAGAIN)
			return 0;
		if (put < 0)
			return problem_errno(p, (int)-put, "the connection broke");
		buf_drop(&c->out, (size_t)put);
	}
	return 0;
}

/* The length of the frame head at the front, 0 when more bytes are needed, -1. */
static ssize_t parse_head(struct str in, struct ws_frame *ret_frame, struct problem *p)
{
	const uint8_t *bytes = (const uint8_t *)in.p;
	size_t more, len = 0;

	if (in.len < SHORT_HEAD)
		return 0;
	*ret_frame = (struct ws_frame){ .opcode = bytes[0] & OPCODE, .fin = bytes[0] & FIN };
	if (bytes[0] & RESERVED || bytes[1] & MASKED)
		return refuse(p, "a frame has bits that it must not have");
	more = bytes[1] == LENGTH_16 ? 2 : bytes[1] == LENGTH_64 ? 8 : 0;
	if (in.len < SHORT_HEAD + more)
		return 0;
	for (size_t i = 0; i < more; i++) {
		if (len > FRAME_MAX)
			return refuse(p, "a frame is too large");
		len = len << 8 | bytes[SHORT_HEAD + i];
	}
	ret_frame->len = more ? len : (size_t)(bytes[1] & LENGTH);
	if (more && len < (more == 2 ? LENGTH_16 : 1 << 16))
		return refuse(p, "a length is written longer than it is");
	if (ret_frame->len > FRAME_MAX)
		return refuse(p, "a frame is too large");
	if (ret_frame->opcode >= WS_CLOSE && (ret_frame->len > WS_CONTROL_MAX || !ret_frame->fin))
		return refuse(p, "a control frame is too large or in pieces");
	if (ret_frame->opcode > WS_PONG || (ret_frame->opcode > WS_BINARY && ret_frame->opcode < WS_CLOSE))
		return refuse(p, "a frame is of no known kind");
	return (ssize_t)(SHORT_HEAD + more);
}

/* One frame: 1 when it completes a message, 0 when not, -1. */
static int take_frame(struct ws_client *c, const struct ws_frame *frame, struct str *payload, struct problem *p)
{
	int step = ws_message_add(&c->message, frame);

	if (step < 0)
		return refuse(p, "its frames do not follow each other, or are too large");
	if (step == WS_STEP_CONTROL) {
		if (frame->opcode == WS_PING)
			return ws_client_send(c, WS_PONG, *payload, p);
		return frame->opcode == WS_CLOSE;
	}
	if (frame->opcode != WS_CONTINUATION)
		buf_drop(&c->whole, c->whole.len);
	buf_add(&c->whole, payload->p, payload->len);
	if (buf_failed(&c->whole))
		return refuse(p, "a message is too large");
	*payload = buf_str(&c->whole);
	return step == WS_STEP_LAST;
}

int ws_client_next(struct ws_client *c, enum ws_opcode *ret_opcode, struct str *ret_payload, struct problem *p)
{
	int whole = 0;

	while (whole == 0) {
		struct ws_frame frame;
		ssize_t head;

		buf_drop(&c->in, c->lent);
		c->lent = 0;
		head = parse_head(buf_str(&c->in), &frame, p);
		if (head <= 0)
			return (int)head;
		if (c->in.len < (size_t)head + frame.len)
			return 0;
		*ret_payload = (struct str){ c->in.data + head, frame.len };
		c->lent = (size_t)head + frame.len;
		whole = take_frame(c, &frame, ret_payload, p);
		*ret_opcode = frame.opcode == WS_CLOSE ? WS_CLOSE : c->message.opcode;
	}
	return whole;
}

int ws_client_send(struct ws_client *c, enum ws_opcode opcode, struct str payload, struct problem *p)
{
	char head[WS_HEAD_MAX];
	uint8_t mask[4];
	size_t len = ws_frame_head(head, opcode, true, payload.len);

	if (getrandom(mask, sizeof mask, 0) != (ssize_t)sizeof mask)
		return problem_errno(p, errno, "cannot get random bytes");
	head[1] = (char)((uint8_t)head[1] | MASKED);
	buf_add(&c->out, head, len);
	buf_add(&c->out, mask, sizeof mask);
	buf_add(&c->out, payload.p, payload.len);
	if (buf_failed(&c->out))
		return problem_set(p, EXIT_OTHER, "the server does not take what is sent");
	ws_unmask(c->out.data + c->out.len - payload.len, payload.len, mask, 0);
	return 0;
}

/* Whether the peer has closed too. */
static bool is_over(struct ws_client *c, struct problem *p)
{
	enum ws_opcode opcode;
	struct str payload;
	int more;

	if (ws_client_flush(c, p) < 0 || ws_client_receive(c, p) < 0)
		return true;
	while ((more = ws_client_next(c, &opcode, &payload, p)) > 0) {
		if (opcode == WS_CLOSE)
			return true;
	}
	return more < 0 || c->ended;
}

void ws_client_close(struct ws_client *c, enum ws_close code)
{
	char payload[WS_CONTROL_MAX];
	size_t len = ws_close_payload(payload, code, "");
	struct problem ignored = { 0 };
	int64_t until = clock_now_ns() + CLOSE_MS * NS_PER_MS;
	int wanted = 1;

	if (c->ended || ws_client_send(c, WS_CLOSE, (struct str){ payload, len }, &ignored) < 0)
		return;
	while (wanted > 0 && !is_over(c, &ignored)) {
		int64_t left = (until - clock_now_ns()) / NS_PER_MS;

		wanted = left <= 0 ? 0 : TRANSPORT_IN | (c->out.len ? TRANSPORT_OUT : 0);
		if (wanted)
			wanted = transport_wait(&c->api->http.transport, wanted, (int)left);
	}
}
