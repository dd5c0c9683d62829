/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/api.h"

#include "base/utf8.h"
#include "wire/url.h"

#include <stdio.h>
#include <string.h>

enum {
	REPLY_MAX = 256 << 20, /* 100,000 entries with long names */
	TREE_MAX = 1 << 30,
	FIELDS_MAX = 16 * 1024,
	ERROR_MAX = 32 << 20, /* a timeout's details hold all that was printed */
};

void api_init(struct api *api, const struct address *address, const char *token)
{
	http_client_init(&api->http, address);
	api->token = token && *token ? token : NULL;
	api->op[0] = '\0';
}

void api_done(struct api *api)
{
	http_client_close(&api->http);
}

/* A token that could end its header line is a mistake, and must not go out. */
static int check_token(const char *token, struct problem *p)
{
	for (; *token; token++) {
		if (*token <= ' ' || *token >= 0x7f)
			return problem_set(
				p, EXIT_AUTH, "the token holds a blank, a control character or a byte outside ASCII");
	}
	return 0;
}

static int make_fields(const struct api *api, const struct api_request *request, struct buf *to, struct problem *p)
{
	buf_adds(to, "X-ABX-Client: abx/" ABX_VERSION "\r\n");
	buf_addf(to, "Accept: %s\r\n", request->accept ? request->accept : "application/json");
	if (request->upload)
		buf_adds(to, "Content-Type: application/octet-stream\r\n");
	else if (request->body.p)
		buf_adds(to, "Content-Type: application/json\r\n");
	if (request->fields.len)
		buf_add(to, request->fields.p, request->fields.len);
	if (api->token) {
		if (check_token(api->token, p) < 0)
			return -1;
		buf_addf(to, "Authorization: Bearer %s\r\n", api->token);
	}
	return buf_failed(to) ? problem_set(p, EXIT_AUTH, "the token is too long") : 0;
}

static int on_error_status(struct api *api, struct problem *p)
{
	AUTOBUF struct buf body;
	char request_id[132];
	struct str id = response_get(&api->http.response, "X-Request-Id");
	int status = api->http.response.status;

	snprintf(request_id, sizeof request_id, STR_FMT, STR_ARG(id));
	buf_init(&body, ERROR_MAX);
	if (http_client_read_all(&api->http, &body, p) < 0 && p->exit_code == EXIT_INTERRUPTED)
		return -1;
	return problem_from_reply(p, api->op, status, str_of(request_id), &body);
}

int api_open(struct api *api, const struct api_request *request, struct problem *p)
{
	AUTOBUF struct buf fields;
	struct http_request http = {
		.method = request->method,
		.target = request->target,
		.body = request->body,
		.upload = request->upload,
		.is_read = request->is_read,
	};

	snprintf(api->op, sizeof api->op, "%s", request->op);
	buf_init(&fields, FIELDS_MAX);
	if (make_fields(api, request, &fields, p) < 0)
		return -1;
	http.fields = buf_str(&fields);
	if (http_client_send(&api->http, &http, p) < 0)
		return -1;
	if (request->is_upgrade ? api->http.response.status == 101 : api->http.response.status / 100 == 2)
		return 0;
	return on_error_status(api, p);
}

int api_open_op(struct api *api, const char *op, struct str args, const char *accept, bool is_read, struct problem *p)
{
	AUTOBUF struct buf target;
	struct api_request request = { .op = op, .method = "POST", .accept = accept, .body = args, .is_read = is_read };

	buf_init(&target, FIELDS_MAX);
	buf_adds(&target, "/ops/");
	url_encode(&target, str_of(op), false);
	request.target = buf_str(&target);
	return api_open(api, &request, p);
}

int api_finish(struct api *api, struct reply *ret_reply, struct problem *p)
{
	buf_init(&ret_reply->body, REPLY_MAX);
	arena_init(&ret_reply->arena, TREE_MAX);
	ret_reply->value = NULL;
	if (!response_is_type(&api->http.response, "application/json"))
		return problem_set(p, EXIT_OTHER, "%s: the answer is not JSON; is this an agent-sandbox-server?",
			address_text(&api->http.address));
	return http_client_read_all(&api->http, &ret_reply->body, p);
}

int api_call(struct api *api, const char *op, struct str args, bool is_read, struct reply *ret_reply, struct problem *p)
{
	*ret_reply = (struct reply){ 0 };
	if (api_open_op(api, op, args, NULL, is_read, p) < 0)
		return -1;
	return api_finish(api, ret_reply, p);
}

int api_get(struct api *api, const char *op, const char *target, struct reply *ret_reply, struct problem *p)
{
	struct api_request request = { .op = op, .method = "GET", .target = str_of(target), .is_read = true };

	*ret_reply = (struct reply){ 0 };
	if (api_open(api, &request, p) < 0)
		return -1;
	return api_finish(api, ret_reply, p);
}

int reply_parse(struct api *api, struct reply *reply, struct problem *p)
{
	struct json_error where;

	if (json_parse(&reply->arena, reply->body.data, reply->body.len, &reply->value, &where) < 0)
		return problem_set(p, EXIT_OTHER, "%s: %s: the answer is not strict JSON: line %zu, column %zu: %s",
			address_text(&api->http.address), api->op, where.line, where.column, where.reason);
	return 0;
}

void reply_free(struct reply *reply)
{
	buf_free(&reply->body);
	arena_free(&reply->arena);
	reply->value = NULL;
}

struct str reply_text(const struct json *object, const char *key)
{
	const struct json *value = json_get(object, key);

	return value && value->type == JSON_STRING ? value->text : (struct str){ 0 };
}

int64_t reply_int(const struct json *object, const char *key, int64_t absent)
{
	const struct json *value = json_get(object, key);

	return value && value->type == JSON_NUMBER && value->is_integer ? value->integer : absent;
}

bool reply_bool(const struct json *object, const char *key, bool absent)
{
	const struct json *value = json_get(object, key);

	return value && value->type == JSON_BOOL ? value->boolean : absent;
}

const struct json *reply_list(const struct json *object, const char *key)
{
	const struct json *value = json_get(object, key);

	return value && value->type == JSON_ARRAY ? value->first : NULL;
}

void api_path(struct json_writer *w, const char *key, struct str path)
{
	char name[64];

	if (utf8_valid(path)) {
		json_key(w, key);
		json_text(w, path);
		return;
	}
	snprintf(name, sizeof name, "%s_b64", key);
	json_key(w, name);
	json_base64(w, path);
}
