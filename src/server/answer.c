/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers out of a call: JSON, errors, events, raw bytes; success and failure alike.
 */
#include "server/serving.h"

#include "base/clock.h"
#include "call/port.h"
#include "catalog/write.h"
#include "server/audit.h"
#include "server/paths.h"
#include "server/serve.h"

#include <stdio.h>

enum {
	REPLY_TEXT_MAX = 64 * 1024 * 1024,
	HEADERS_MAX = 64 * 1024 /* a preflight is told what it asked for */,
	BODY_MAX = 64 * 1024 /* sent at once, copied */
};

static const char JSON_TYPE[] = "application/json";

/* origin: a listed one, or empty. */
static void add_every_header(struct buf *headers, const char *request_id, struct str origin)
{
	buf_adds(headers, "X-Request-Id: ");
	buf_adds(headers, request_id);
	buf_adds(headers, "\r\n");
	if (origin.len)
		buf_addf(headers,
			"Access-Control-Allow-Origin: " STR_FMT "\r\nVary: Origin\r\n"
			"Access-Control-Expose-Headers: X-Request-Id, ETag, Content-Range, Content-Disposition, "
			"Retry-After\r\n",
			STR_ARG(origin));
}

void answer_headers(const struct serving *s, struct buf *headers)
{
	add_every_header(headers, s->call.request_id, str_of(s->cors_origin));
}

/* What is wrong with the HTTP of a request leaves in doubt what comes behind it (R71). */
static bool is_of_http(const struct err *err)
{
	return str_starts(str_of(err_info(err->code)->wire_code), "http.");
}

static void send_reply(struct serving *s, struct http_reply *reply, const struct buf *headers)
{
	reply->close = reply->status >= 400 && is_of_http(&s->call.err);
	s->answered = true;
	s->status = reply->status;
	reply->headers = buf_str(headers);
	reply->head_only = s->head;
	http_reply(s->conn, reply);
}

static enum source_status pull_rope(struct source *source, struct buf *out, size_t room)
{
	struct asked *asked = OWNER(source, struct asked, rope_source);

	return rope_read(&asked->rope, out, room) ? SOURCE_MORE : SOURCE_END;
}

static void close_rope(struct source *source)
{
	(void)source; /* the rope is freed with the call */
}

/* What is in the rope. */
static void send_json(struct serving *s, int status, const struct buf *headers)
{
	struct http_reply reply = { .status = status, .content_type = JSON_TYPE, .length = -1 };

	if (rope_is_short(&s->asked->rope) && s->asked->rope.text.len <= BODY_MAX) {
		reply.body = buf_str(&s->asked->rope.text);
	} else {
		s->asked->rope_source = (struct source){ pull_rope, close_rope };
		reply.source = &s->asked->rope_source;
	}
	send_reply(s, &reply, headers);
}

static int64_t retry_after(const struct call *call)
{
	return call->err.code == ERR_LIMIT_RATE && call->caller ? policy_retry_after(call->caller) : 1;
}

static void add_error_headers(struct serving *s, struct buf *headers, const struct err_info *info)
{
	if (info->status == 401)
		buf_adds(headers, "WWW-Authenticate: Bearer\r\n");
	if (info->status == 405)
		buf_addf(headers, "Allow: %s\r\n", s->asked->route.allow);
	if (info->status == 426)
		buf_adds(headers, "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n");
	if (info->status == 429 || info->status == 503)
		buf_addf(headers, "Retry-After: %lld\r\n", (long long)retry_after(&s->call));
}

static void write_error(struct json_writer *w, const struct err *err, const struct op *op, const char *request_id)
{
	const struct err_info *info = err_info(err->code);

	json_object_begin(w);
	json_key(w, "error");
	json_string(w, err->text);
	json_key(w, "type");
	json_string(w, err->type ? err->type : info->type);
	json_key(w, "code");
	json_string(w, info->code);
	json_key(w, "wire_code");
	json_string(w, info->wire_code);
	json_key(w, "op");
	json_string(w, op ? op->id : NULL);
	json_key(w, "endpoint");
	json_string(w, op ? op->endpoint : NULL);
	if (err->rule[0]) {
		json_key(w, "rule");
		json_string(w, err->rule);
	}
	json_key(w, "request_id");
	json_string(w, request_id);
	json_key(w, "details");
}

/* What an error says of the op.  Who is not known is not told which routes and commands there are (R91). */
static const struct op *told_op(const struct call *call)
{
	return err_info(call->err.code)->status == 401 ? NULL : call->op;
}

/* All of it, in the shape of the op. */
static void write_whole_error(struct json_writer *w, const struct call *call, const char *details)
{
	const struct op *op = told_op(call);

	if (op && op->error) {
		op->error(w, &call->err, call->request_id);
		return;
	}
	write_error(w, &call->err, op, call->request_id);
	json_raw(w, str_of(details ? details : "{}"));
	json_object_end(w);
}

/* An ASCII form for everybody, and the exact bytes for who reads RFC 6266 (R51). */
static void add_disposition(struct buf *headers, struct str name)
{
	buf_adds(headers, "Content-Disposition: attachment; filename=\"");
	for (size_t i = 0; i < name.len; i++) {
		char c = name.p[i];

		buf_addc(headers, c < ' ' || c == 0x7f || c == '"' || c == '\\' || (c & 0x80) ? '_' : c);
	}
	buf_adds(headers, "\"; filename*=UTF-8''");
	url_encode(headers, name, false);
	buf_adds(headers, "\r\n");
}

static void add_raw_headers(struct buf *headers, const struct raw_reply *head)
{
	char date[CLOCK_TEXT_SIZE];

	/* With a date and no word about it, a cache would guess for how long the file stays as it is. */
	if (head->etag)
		buf_addf(headers, "ETag: %s\r\nCache-Control: no-cache\r\n", head->etag);
	if (head->modified)
		buf_addf(headers, "Last-Modified: %s\r\n", clock_http_date(head->modified, date));
	if (head->accepts_ranges)
		buf_adds(headers, "Accept-Ranges: bytes\r\n");
	if (head->status == 206)
		buf_addf(headers, "Content-Range: bytes %llu-%llu/%llu\r\n", (unsigned long long)head->first,
			(unsigned long long)head->last, (unsigned long long)head->size);
	if (head->status == 416)
		buf_addf(headers, "Content-Range: bytes */%llu\r\n", (unsigned long long)head->size);
	if (head->trailer)
		buf_addf(headers, "Trailer: %s\r\n", head->trailer);
	if (head->filename.p && head->status < 300)
		add_disposition(headers, head->filename);
}

/* Without details, and in memory that no budget refuses: there is always an answer. */
static void send_bare_error(struct serving *s, const struct buf *headers)
{
	struct http_reply reply = { .status = err_info(s->call.err.code)->status, .content_type = JSON_TYPE };
	AUTOBUF struct buf body;
	struct json_writer w;

	buf_init(&body, HEADERS_MAX);
	json_write_init(&w, &body);
	s->call.err.details = NULL;
	write_whole_error(&w, &s->call, NULL);
	reply.body = buf_str(&body);
	send_reply(s, &reply, headers);
}

/* head: what else the headers say, of a 416; or NULL. */
static void fail(struct serving *s, const void *details, const struct raw_reply *head)
{
	const struct err_info *info = err_info(s->call.err.code);
	AUTOBUF struct buf headers;

	rope_free(&s->asked->rope);
	rope_init(&s->asked->rope, &s->call.arena, REPLY_TEXT_MAX);
	if (details && !s->call.op->error) {
		write_error(&s->asked->rope.writer, &s->call.err, told_op(&s->call), s->call.request_id);
		write_rope(&s->asked->rope, s->call.op->result, details);
		json_object_end(&s->asked->rope.writer);
	} else {
		write_whole_error(&s->asked->rope.writer, &s->call, s->call.err.details);
	}
	buf_init(&headers, HEADERS_MAX);
	answer_headers(s, &headers);
	add_error_headers(s, &headers, info);
	if (head)
		add_raw_headers(&headers, head);
	if (rope_failed(&s->asked->rope))
		send_bare_error(s, &headers);
	else
		send_json(s, info->status, &headers);
}

void answer_error(struct serving *s)
{
	fail(s, NULL, NULL);
}

static void port_fail(struct call *call, const void *details)
{
	fail(OWNER(call, struct serving, call), details, NULL);
}

static void write_answer(struct serving *s, const void *out)
{
	rope_init(&s->asked->rope, &s->call.arena, REPLY_TEXT_MAX);
	write_rope(&s->asked->rope, s->call.op->result, out);
	s->written = true;
}

void answer_write(struct serving *s)
{
	write_answer(s, s->call.out);
}

static void port_reply(struct call *call, const void *out)
{
	struct serving *s = OWNER(call, struct serving, call);
	AUTOBUF struct buf headers;

	buf_init(&headers, HEADERS_MAX);
	if (!s->written)
		write_answer(s, out);
	if (rope_failed(&s->asked->rope)) {
		err_set(&call->err, ERR_BUSY, "the answer needs more memory than is left");
		fail(s, NULL, NULL);
		return;
	}
	/* Where a caller left, and all was done before anything could be stopped, there is no failure to tell of. */
	call->err = (struct err){ 0 };
	answer_headers(s, &headers);
	send_json(s, 200, &headers);
}

/* A quiet stream may be open for days: what only its start needed is given back. */
static void drop_args(struct serving *s)
{
	struct call *call = &s->call;

	audit_keep(s);
	s->secret.p = NULL;
	if (call->in)
		paths_close(call->op->params, call->in);
	call->in = NULL;
	memset(&call->http, 0, sizeof call->http);
	s->cors_origin = NULL;
	intake_free(s);
	free(take_ptr(s->asked));
	arena_free(&call->arena);
}

static void port_stream(struct call *call, struct source *source)
{
	struct serving *s = OWNER(call, struct serving, call);
	struct http_reply reply = {
		.status = 200, .content_type = "text/event-stream", .length = -1, .source = source, .heartbeat = true
	};
	AUTOBUF struct buf headers;

	buf_init(&headers, HEADERS_MAX);
	answer_headers(s, &headers);
	buf_adds(&headers, "Cache-Control: no-cache\r\nX-Accel-Buffering: no\r\n");
	if (call->drops_args)
		drop_args(s);
	send_reply(s, &reply, &headers);
}

static void port_send(struct call *call, const struct raw_reply *head, struct source *source)
{
	struct serving *s = OWNER(call, struct serving, call);
	struct http_reply reply = { .status = head->status,
		.content_type = head->media_type,
		.length = head->length,
		.source = source,
		.trailers = head->trailers,
		.no_body = head->status == 304 };
	AUTOBUF struct buf headers;

	buf_init(&headers, HEADERS_MAX);
	if (head->status >= 400) {
		fail(s, NULL, head);
		return;
	}
	answer_headers(s, &headers);
	add_raw_headers(&headers, head);
	send_reply(s, &reply, &headers);
}

static void port_wake(struct call *call)
{
	http_wake(OWNER(call, struct serving, call)->conn);
}

static void on_body(struct http_conn *c, ssize_t got, bool end, enum http_problem problem)
{
	struct serving *s = http_user(c);
	call_body_fn *fn = take_ptr(s->body_fn);

	if (got >= 0) {
		s->received += (uint64_t)got;
		fn(&s->call, (size_t)got, end);
		return;
	}
	err_set(&s->call.err, problem == HTTP_TIMEOUT ? ERR_HTTP_TIMEOUT : ERR_HTTP_BAD_REQUEST,
		problem == HTTP_TIMEOUT ? "the body did not arrive in time" : "the body is malformed or ended early");
	s->call.gone = true;
	s->call.on_gone(&s->call);
}

static void port_body(struct call *call, char *to, size_t len, call_body_fn *fn)
{
	struct serving *s = OWNER(call, struct serving, call);

	s->body_fn = fn;
	http_body(s->conn, to, len, on_body);
}

const struct call_port answer_port = {
	.socket = &upgrade_port,
	.reply = port_reply,
	.fail = port_fail,
	.stream = port_stream,
	.send = port_send,
	.wake = port_wake,
	.body = port_body,
};

static void add_preflight(struct buf *headers, const char *allow, struct str wanted)
{
	buf_addf(headers, "Access-Control-Allow-Methods: %s\r\nAccess-Control-Max-Age: 600\r\n", allow);
	if (wanted.len)
		buf_addf(headers, "Access-Control-Allow-Headers: " STR_FMT "\r\n", STR_ARG(wanted));
}

void answer_options(struct serving *s, const struct head *head)
{
	struct http_reply reply = { .status = 204, .no_body = true };
	struct str wanted;
	AUTOBUF struct buf headers;

	buf_init(&headers, HEADERS_MAX);
	if (head_join(&s->call.arena, head, "access-control-request-headers", &wanted) < 0) {
		serve_no_memory(s);
		answer_error(s);
		return;
	}
	answer_headers(s, &headers);
	buf_addf(&headers, "Allow: %s\r\n", s->asked->route.allow);
	if (s->cors_origin)
		add_preflight(&headers, s->asked->route.allow, wanted);
	send_reply(s, &reply, &headers);
}

/* The origin in what came of a head that is refused, when it is a listed one: so a page can read why (R73). */
static struct str listed_origin(struct str received)
{
	struct str origin = head_peek(received, "origin"), none = { NULL, 0 };
	struct err unused;
	bool cors;

	return policy_check_origin(serve_policy(), none, origin, &cors, &unused) == 0 && cors ? origin : none;
}

/* A page whose preflight fails hears of nothing; that has the same line as the request behind it, which is told. */
static void grant_preflight(struct http_conn *c, struct str received, struct buf *headers)
{
	struct http_reply reply = { .status = 204, .no_body = true, .close = true };

	add_preflight(headers, SERVE_ANY_METHOD, head_peek(received, "access-control-request-headers"));
	reply.headers = buf_str(headers);
	http_reply(c, &reply);
}

static void send_problem(struct http_conn *c, const struct err *err, const char *request_id, const struct buf *headers)
{
	struct http_reply reply = { .status = err_info(err->code)->status, .content_type = JSON_TYPE, .close = true };
	AUTOBUF struct buf body;
	struct json_writer w;

	buf_init(&body, HEADERS_MAX);
	json_write_init(&w, &body);
	write_error(&w, err, NULL, request_id);
	json_raw(&w, STR("{}"));
	json_object_end(&w);
	audit_problem(err->code, request_id);
	reply.headers = buf_str(headers);
	reply.body = buf_str(&body);
	http_reply(c, &reply);
}

void answer_problem(struct http_conn *c, enum http_problem problem, const char *reason, struct str received)
{
	static const enum err_code codes[] = {
		[HTTP_OK] = ERR_INTERNAL,
		[HTTP_BAD_REQUEST] = ERR_HTTP_BAD_REQUEST,
		[HTTP_URI_TOO_LONG] = ERR_HTTP_URI_TOO_LONG,
		[HTTP_HEADERS_TOO_LARGE] = ERR_HTTP_HEADERS,
		[HTTP_NOT_IMPLEMENTED] = ERR_HTTP_NOT_IMPLEMENTED,
		[HTTP_VERSION] = ERR_HTTP_VERSION,
		[HTTP_TIMEOUT] = ERR_HTTP_TIMEOUT,
	};
	struct str origin = listed_origin(received);
	AUTOBUF struct buf headers;
	char id[SERVE_ID_SIZE];
	struct err err;

	buf_init(&headers, HEADERS_MAX);
	serve_id(head_peek(received, "x-request-id"), id);
	err_set(&err, codes[problem], "%s", reason ? reason : "the request is not valid HTTP");
	add_every_header(&headers, id, origin);
	http_set_user(c, NULL);
	if (problem == HTTP_URI_TOO_LONG && origin.len && str_starts(received, "OPTIONS "))
		grant_preflight(c, received, &headers);
	else
		send_problem(c, &err, id, &headers);
}
