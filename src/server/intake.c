/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments out of a request: the query for GET, HEAD and DELETE and for raw bodies, the JSON
 * body for the rest, and only there (R59).
 */
#include "server/serving.h"

#include "base/budget.h"
#include "base/json_write.h"
#include "catalog/bind.h"
#include "policy/config.h"
#include "wire/range.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <stdlib.h>

enum {
	BODY_FIRST = 16 * 1024,
	/* Is parsed in a worker: ten megabytes made to be slow would hold up everybody for long. */
	BODY_LARGE = 64 * 1024,
};

static int bind_route(struct serving *s, struct bind *b)
{
	for (size_t i = 0; i < s->asked->route.arg_count; i++) {
		if (bind_text(b, s->asked->route.args[i].name, s->asked->route.args[i].value, &s->call.err) < 0)
			return -1;
	}
	return 0;
}

static int bind_query(struct serving *s, struct bind *b)
{
	struct str query = s->asked->url.query;
	struct url_pair pair;
	int status;

	while ((status = url_query_next(&s->call.arena, &query, &pair)) > 0) {
		const char *name = arena_strndup(&s->call.arena, pair.name.p, pair.name.len);

		if (!name)
			return serve_no_memory(s);
		if (op_param_in_route(s->call.op, name))
			return err_set(&s->call.err, ERR_ARGS_INVALID,
				"parameter '%.*s' belongs in the path of the URL", (int)MIN(pair.name.len, 60),
				pair.name.p);
		if (bind_text(b, pair.name, pair.value, &s->call.err) < 0)
			return -1;
	}
	if (status == -ENOMEM)
		return err_set(&s->call.err, ERR_BUSY, "the query needs more memory than is left");
	return status < 0 ? err_set(&s->call.err, ERR_ARGS_INVALID, "the query has a bad percent escape or %%00") : 0;
}

static bool takes_query_too(const struct field *rows, struct str name)
{
	for (const struct field *row = rows; row && row->type != FIELD_NONE; row++) {
		if (row->flags & F_QUERY_TOO && str_is(name, row->name))
			return true;
	}
	return false;
}

/* Beside a JSON body: what stands in the query does not belong there, but for few. */
static int check_query(struct serving *s)
{
	struct str query = s->asked->url.query;
	struct url_pair pair;

	while (url_query_next(&s->call.arena, &query, &pair) > 0) {
		if (s->asked->route.kind == ROUTE_UNIFORM || !takes_query_too(s->call.op->params, pair.name))
			return err_set(&s->call.err, ERR_ARGS_UNKNOWN,
				"%s takes its parameters in the JSON body, not in the query", s->call.op->id);
	}
	return 0;
}

static bool is_body_op(const struct serving *s)
{
	const char *method = s->call.op->method;

	return s->asked->route.kind == ROUTE_UNIFORM || strcmp(method, "POST") == 0 || strcmp(method, "PUT") == 0;
}

static int begin(struct serving *s, struct bind *b)
{
	struct call *call = &s->call;

	if (call->op->params_size && !call->in) {
		call->in = call_alloc(call, call->op->params_size);
		if (!call->in)
			return -1;
	}
	if (call->op->bind)
		return 0; /* it takes its arguments as one */
	bind_begin(b, &call->arena, call->op, call->in);
	return bind_route(s, b);
}

/* What tells one body from another: not its blanks, nor the order of its members. */
static int hash_body(struct serving *s, const struct json *value)
{
	struct sha256_ctx sha;
	struct json_writer w;
	AUTOBUF struct buf text;

	buf_init_budgeted(&text, SIZE_MAX / 2);
	if (!s->call.http.idempotency_key.p)
		return 0;
	json_write_init(&w, &text);
	json_tree(&w, value, true);
	if (buf_failed(&text))
		return err_set(&s->call.err, ERR_BUSY, "the body needs more memory than is left");
	sha256_init(&sha);
	sha256_update(&sha, text.len, (const uint8_t *)text.data);
	sha256_digest(&sha, CALL_HASH_SIZE, s->call.http.body_hash);
	return 0;
}

static int bind_body(struct serving *s)
{
	struct call *call = &s->call;
	struct json_error problem;
	struct json *value = NULL;
	struct bind b;
	int status;

	if (begin(s, &b) < 0 || bind_query(s, &b) < 0)
		return -1;
	if (s->body_len) {
		status = json_parse(&call->arena, s->body, s->body_len, &value, &problem);
		if (status == -ENOMEM)
			return err_set(&call->err, ERR_BUSY, "the body needs more memory than is left");
		if (status < 0)
			return err_set(&call->err, ERR_ARGS_JSON,
				"the body is not valid JSON: line %zu, column %zu: %s", problem.line, problem.column,
				problem.reason);
		if (value->type != JSON_OBJECT)
			return err_set(&call->err, ERR_ARGS_INVALID, "the body must be a JSON object, not %s",
				json_type_name(value->type));
		if (hash_body(s, value) < 0)
			return -1;
		if (!call->op->bind && bind_object(&b, value, &call->err) < 0)
			return -1;
	}
	if (call->op->bind)
		return call->op->bind(&call->arena, call->op, value, call->in, &call->err);
	return bind_end(&b, &call->err);
}

static int too_large(struct serving *s)
{
	return err_deny(
		&s->call.err, ERR_LIMIT_BODY, "limits.max_body_bytes", "the body is over %zu bytes", s->body_max);
}

/* -1 with call.err: over the limit, or no memory left. */
static int grow_body(struct serving *s, size_t size)
{
	char *grown;

	if (size > s->body_max + 1)
		size = s->body_max + 1;
	if (size == s->body_size)
		return too_large(s);
	if (!budget_take(size - s->body_size))
		return err_set(&s->call.err, ERR_BUSY, "bodies and captures use all of max_memory_bytes: try again");
	grown = realloc(s->body, size);
	if (!grown) {
		budget_give(size - s->body_size);
		return err_set(&s->call.err, ERR_BUSY, "memory is used up: try again");
	}
	s->body = grown;
	s->body_size = size;
	return 0;
}

void intake_free(struct serving *s)
{
	budget_give(s->body_size);
	s->body_size = 0;
	free(take_ptr(s->body));
}

static void bound(struct serving *s)
{
	if (s->call.work_status < 0)
		answer_error(s);
	else
		s->then(s);
}

static void bind_apart(struct job *job)
{
	struct serving *s = OWNER(job, struct serving, call.job);

	s->call.work_status = bind_body(s);
}

static void bound_apart(struct job *job)
{
	struct serving *s = OWNER(job, struct serving, call.job);

	if (s->call.gone && s->call.work_status == 0)
		s->call.work_status = serve_caller_left(s);
	bound(s);
}

static void body_complete(struct serving *s)
{
	s->reading = false;
	if (s->body_len < BODY_LARGE) {
		s->call.work_status = bind_body(s);
		bound(s);
		return;
	}
	if (call_job(&s->call, &s->call.job, LANE_SHORT, bind_apart, bound_apart) < 0)
		answer_error(s);
}

static void on_body(struct http_conn *c, ssize_t got, bool end, enum http_problem problem)
{
	struct serving *s = http_user(c);

	if (got < 0) {
		s->reading = false;
		err_set(&s->call.err, problem == HTTP_TIMEOUT ? ERR_HTTP_TIMEOUT : ERR_HTTP_BAD_REQUEST,
			problem == HTTP_TIMEOUT ? "the body did not arrive in time"
						: "the body is malformed or ended early");
		answer_error(s);
		return;
	}
	s->body_len += (size_t)got;
	s->received = s->body_len;
	if (s->body_len > s->body_max) {
		s->reading = false;
		too_large(s);
		answer_error(s);
	} else if (end) {
		body_complete(s);
	} else if (grow_body(s, s->body_size * 2) < 0) {
		s->reading = false;
		answer_error(s);
	} else {
		http_body(c, s->body + s->body_len, s->body_size - s->body_len, on_body);
	}
}

/*
 * Memory is taken as the bytes come, not as they are announced: a caller who sends nothing holds
 * next to nothing.  One byte more than there may be, so that the end is seen, and what is over it.
 */
static int read_body(struct serving *s, void (*then)(struct serving *s))
{
	int64_t length = http_body_length(s->conn);

	s->body_max = (size_t)policy_server_limit(s->policy, "max_body_bytes");
	if (length > (int64_t)s->body_max)
		return too_large(s);
	if (length >= 0)
		s->body_max = (size_t)length;
	if (grow_body(s, BODY_FIRST) < 0)
		return -1;
	s->reading = true;
	s->then = then;
	http_body(s->conn, s->body, s->body_size, on_body);
	return 0;
}

/* "application/json", with charset=utf-8 or without; nothing at all is JSON too. */
static bool is_json(struct str type)
{
	struct str media = str_trim(str_cut(&type, ';')), charset = str_trim(type);

	if (media.len == 0)
		return true;
	if (!str_is_nocase(media, "application/json"))
		return false;
	return charset.len == 0 || str_is_nocase(charset, "charset=utf-8") ||
	       str_is_nocase(charset, "charset=\"utf-8\"");
}

static int choose_media(struct serving *s)
{
	const struct raw *raw = s->asked->route.kind == ROUTE_UNIFORM ? NULL : s->call.op->raw;
	struct str type = s->call.http.content_type, media = type;

	media = str_trim(str_cut(&media, ';'));
	if (raw && raw->request && str_is_nocase(media, "application/octet-stream"))
		s->call.http.raw_request = true;
	else if (raw && raw->multipart && str_is_nocase(media, "multipart/form-data"))
		s->call.http.raw_request = s->call.http.multipart = true;
	else if (!is_json(type))
		return err_set(&s->call.err, ERR_ARGS_MEDIA, "the Content-Type '%.*s' is not one that %s takes",
			(int)MIN(type.len, 80), type.p, s->call.op->id);
	return 0;
}

/* Without memory there is none, and keep_headers() fails. */
static struct str keep(struct serving *s, const struct head *head, const char *name)
{
	struct str value;

	if (head_join(&s->call.arena, head, name, &value) < 0)
		serve_no_memory(s);
	return value;
}

/* Bytes that would have to be decoded or put in their place must not be taken for the content itself. */
static int check_content(struct serving *s, const struct head *head)
{
	struct str codings = keep(s, head, "content-encoding"), coding;

	while (head_list_next(&codings, &coding)) {
		if (!str_is_nocase(coding, "identity"))
			return err_set(&s->call.err, ERR_ARGS_MEDIA,
				"a body with the Content-Encoding '" STR_FMT "' is not taken", (int)MIN(coding.len, 80),
				coding.p);
	}
	if (s->call.http.raw_request && head_get(head, "content-range").p)
		return err_set(
			&s->call.err, ERR_ARGS_INVALID, "a part of a file cannot be sent: there is a Content-Range");
	return s->call.err.code ? -1 : 0;
}

/* Whether the caller is to get bytes, from an op that can answer with them. */
static bool wants_raw(struct serving *s, const struct head *head)
{
	const struct raw *raw = s->call.op->raw;
	struct str accept = keep(s, head, "accept");

	if (!raw->response)
		return false;
	if (s->asked->route.head || s->call.http.range.p || (accept.p && accept_names(accept, raw->media_type)))
		return true;
	return raw->preferred && s->asked->route.kind != ROUTE_UNIFORM &&
	       !(accept.p && accept_names(accept, "application/json"));
}

/* A host with its port, as a URL has it, and nothing that would lead out of one. */
static bool is_host(struct str host)
{
	static const char others[] = ".-_:[]";

	for (size_t i = 0; i < host.len; i++) {
		char c = host.p[i];

		if (!(c >= '0' && c <= '9') && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z') &&
			!memchr(others, c, sizeof others - 1))
			return false;
	}
	return host.len > 0;
}

static bool trusts_forwarded;

void intake_trust_forwarded(bool trust)
{
	trusts_forwarded = trust;
}

/* Where this server's WebSockets are for the caller, who may have come through a proxy (R42). */
static void keep_ws_base(struct serving *s, const struct head *head)
{
	struct str host = head->host, proto = { NULL, 0 }, scheme;
	char *base;

	if (trusts_forwarded) {
		struct str forwarded = head_get(head, "x-forwarded-host"), first;

		if (head_list_next(&forwarded, &first) && is_host(first))
			host = first;
		proto = head_get(head, "x-forwarded-proto");
		proto = str_trim(str_cut(&proto, ','));
	}
	if (!is_host(host))
		host = STR("localhost");
	scheme = str_is_nocase(proto, "https") ? STR("wss://") : STR("ws://");
	base = arena_alloc(&s->call.arena, scheme.len + host.len + 1);
	if (base) {
		memcpy(base, scheme.p, scheme.len);
		memcpy(base + scheme.len, host.p, host.len);
	} else {
		serve_no_memory(s);
	}
	s->call.http.ws_base = base;
}

static int keep_headers(struct serving *s, const struct head *head)
{
	struct call *call = &s->call;

	call->http.content_type = keep(s, head, "content-type");
	call->http.idempotency_key = keep(s, head, "idempotency-key");
	call->http.length = http_body_length(s->conn);
	keep_ws_base(s, head);
	call->http.head = s->asked->route.head;
	if (call->op->kind == OP_SSE)
		call->http.last_event_id = keep(s, head, "last-event-id");
	call->http.if_match = keep(s, head, "if-match");
	if (call->op->kind != OP_RAW)
		return call->err.code ? -1 : 0;
	call->http.range = keep(s, head, "range");
	call->http.if_range = keep(s, head, "if-range");
	call->http.if_none_match = keep(s, head, "if-none-match");
	call->http.if_modified_since = keep(s, head, "if-modified-since");
	call->http.raw_response = wants_raw(s, head);
	return call->err.code ? -1 : 0;
}

static int take_query_arguments(struct serving *s)
{
	struct bind b;

	return begin(s, &b) < 0 || bind_query(s, &b) < 0 ? -1 : bind_end(&b, &s->call.err);
}

static int take(struct serving *s, const struct head *head, void (*then)(struct serving *s))
{
	struct call *call = &s->call;

	if (keep_headers(s, head) < 0)
		return -1;
	if (!is_body_op(s)) {
		if (http_body_length(s->conn) != 0)
			return err_set(&call->err, ERR_ARGS_UNKNOWN,
				"%s takes its parameters in the query, not in a body", call->op->id);
	} else if (choose_media(s) < 0 || check_content(s, head) < 0) {
		return -1;
	} else if (!call->http.raw_request) {
		return check_query(s) < 0 ? -1 : read_body(s, then);
	}
	if (take_query_arguments(s) < 0)
		return -1;
	then(s);
	return 0;
}

void intake(struct serving *s, const struct head *head, void (*then)(struct serving *s))
{
	if (take(s, head, then) < 0)
		answer_error(s);
}
