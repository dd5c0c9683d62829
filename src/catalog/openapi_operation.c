/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/openapi_operation.h"

#include "base/err.h"
#include "catalog/example.h"
#include "catalog/print.h"
#include "catalog/schema.h"

#include <stdio.h>

/* What any op may answer; its own list is on top. */
static const enum err_code general[] = { ERR_ARGS_INVALID, ERR_ARGS_UNKNOWN, ERR_ARGS_MISSING, ERR_ARGS_JSON,
	ERR_HTTP_BAD_REQUEST, ERR_AUTH_MISSING, ERR_AUTH_INVALID, ERR_AUTH_EXPIRED, ERR_AUTH_CONFLICT, ERR_POLICY_SCOPE,
	ERR_POLICY_ORIGIN, ERR_OP_NOT_ENABLED, ERR_OP_UNKNOWN, ERR_OP_METHOD, ERR_HTTP_TIMEOUT, ERR_LIMIT_BODY,
	ERR_HTTP_URI_TOO_LONG, ERR_ARGS_MEDIA, ERR_LIMIT_TOO_MANY, ERR_LIMIT_RATE, ERR_HTTP_HEADERS, ERR_INTERNAL,
	ERR_SHUTTING_DOWN, ERR_BUSY, ERR_NONE };

enum { EXAMPLE_MAX = 1 << 20 };

static const struct field no_params[] = {
	FIELDS_END,
};

static void key_string(struct json_writer *w, const char *key, const char *value)
{
	json_key(w, key);
	json_string(w, value);
}

static bool has_query_only(const struct op *op)
{
	return strcmp(op->method, "GET") == 0 || strcmp(op->method, "DELETE") == 0;
}

static bool takes_raw(const struct op *op)
{
	return op->raw && op->raw->request;
}

bool openapi_has_body(const struct op *op)
{
	if (has_query_only(op) || op->kind == OP_WS)
		return false;
	for (const struct field *field = op->params; field && field->type != FIELD_NONE; field++) {
		if (!op_param_in_route(op, field->name))
			return true;
	}
	return false;
}

static bool stands_in(const char *path, const char *name)
{
	const char *at = strchr(path, '{');
	size_t len = strlen(name);

	return at && strncmp(at + 1, name, len) == 0 && at[1 + len] == '}';
}

/* The value that the op's example has for it; op is NULL where there is none. */
static void parameter_example(struct json_writer *w, const struct op *op, const char *name)
{
	struct arena arena CLEANUP(arena_free);
	const struct json *value;

	arena_init(&arena, EXAMPLE_MAX);
	value = op ? json_get(example_args(&arena, op), name) : NULL;
	if (!value)
		return;
	json_key(w, "example");
	json_tree(w, value, false);
}

static void parameter(struct json_writer *w, const struct op *op, const char *name, const char *in, bool required,
	const struct field *field)
{
	struct field shape = *field;

	shape.text = NULL;
	json_object_begin(w);
	key_string(w, "name", name);
	key_string(w, "in", in);
	json_key(w, "required");
	json_bool(w, required);
	if (field->text)
		key_string(w, "description", field->text);
	json_key(w, "schema");
	schema_field(w, &shape, true);
	parameter_example(w, op, name);
	json_object_end(w);
}

/* In the query a path and its twin cannot be told to exclude each other but in words. */
static void query_parameter(struct json_writer *w, const struct op *op, const struct field *field)
{
	char twin[FIELD_TWIN_SIZE], text[128];
	bool has_twin = field_has_twin(field);
	struct field row = { .type = FIELD_BYTES, .text = text };

	parameter(w, op, field->name, "query", (field->flags & F_REQUIRED) && !has_twin && !takes_raw(op), field);
	if (!has_twin)
		return;
	snprintf(text, sizeof text, "The exact bytes of '%s', instead of it%s.", field->name,
		(field->flags & F_REQUIRED) ? "; one of the two is required" : "");
	parameter(w, NULL, field_twin(field, twin), "query", false, &row);
}

static bool fits_query(const struct field *field)
{
	return field->type != FIELD_BYTES && field->type != FIELD_TEXT && field->type != FIELD_ARRAY &&
	       field->type != FIELD_MAP && field->type != FIELD_OBJECT;
}

static void parameters(struct json_writer *w, const struct op *op, const char *path)
{
	json_key(w, "parameters");
	json_array_begin(w);
	for (const struct field *field = op->params; field && field->type != FIELD_NONE; field++) {
		if (stands_in(path, field->name))
			parameter(w, op, field->name, "path", true, field);
		else if (op_param_in_route(op, field->name))
			continue;
		else if (has_query_only(op) || (takes_raw(op) && fits_query(field)))
			query_parameter(w, op, field);
	}
	json_array_end(w);
}

static void media_begin(struct json_writer *w, const char *media)
{
	json_key(w, media);
	json_object_begin(w);
	json_key(w, "schema");
}

static void media_ref(struct json_writer *w, const char *media, const char *component)
{
	media_begin(w, media);
	schema_ref(w, component);
	json_object_end(w);
}

static void media_bytes(struct json_writer *w, const char *media)
{
	media_begin(w, media);
	json_object_begin(w);
	key_string(w, "contentMediaType", media);
	json_object_end(w);
	json_object_end(w);
}

static void media_form(struct json_writer *w)
{
	media_begin(w, "multipart/form-data");
	json_object_begin(w);
	key_string(w, "type", "object");
	key_string(w, "description", "Files, each a part with a file name; the names of the parts mean nothing.");
	json_key(w, "additionalProperties");
	json_object_begin(w);
	key_string(w, "contentMediaType", "application/octet-stream");
	json_object_end(w);
	json_object_end(w);
	json_object_end(w);
}

static bool body_is_required(const struct op *op)
{
	for (const struct one_of *group = op->one_of; group && group->names[0]; group++) {
		if (!group->optional)
			return true;
	}
	for (const struct field *field = op->params; field && field->type != FIELD_NONE; field++) {
		if ((field->flags & F_REQUIRED) && !op_param_in_route(op, field->name))
			return true;
	}
	return false;
}

/* Not where bytes are the body, or where a part of it is known to the caller alone. */
static void body_example(struct json_writer *w, const struct op *op)
{
	const struct example *example = &op->example;
	struct arena arena CLEANUP(arena_free);
	const struct json *args;

	arena_init(&arena, EXAMPLE_MAX);
	args = example_args(&arena, op);
	if (!args->first || (example->file && takes_raw(op)) ||
		(example->into && !op_param_in_route(op, example->into)))
		return;
	json_key(w, "example");
	json_object_begin(w);
	for (const struct field *field = op->params; field && field->type != FIELD_NONE; field++) {
		const struct json *value = json_get(args, field->name);

		if (!value || op_param_in_route(op, field->name))
			continue;
		json_key(w, field->name);
		json_tree(w, value, false);
	}
	json_object_end(w);
}

static void request_body(struct json_writer *w, const struct op *op)
{
	char name[SCHEMA_NAME_SIZE];

	if (!openapi_has_body(op))
		return;
	json_key(w, "requestBody");
	json_object_begin(w);
	json_key(w, "required");
	json_bool(w, body_is_required(op));
	json_key(w, "content");
	json_object_begin(w);
	schema_name(op, "params", name);
	media_begin(w, "application/json");
	schema_ref(w, name);
	body_example(w, op);
	json_object_end(w);
	if (takes_raw(op))
		media_bytes(w, "application/octet-stream");
	if (op->raw && op->raw->multipart)
		media_form(w);
	json_object_end(w);
	json_object_end(w);
}

static void success(struct json_writer *w, const struct op *op)
{
	char name[SCHEMA_NAME_SIZE];

	json_key(w, op->kind == OP_WS ? "101" : "200");
	json_object_begin(w);
	key_string(w, "description", op->kind == OP_WS ? "The connection speaks WebSocket." : "Success.");
	if (op->kind != OP_WS) {
		json_key(w, "content");
		json_object_begin(w);
		schema_name(op, "result", name);
		if (op->kind == OP_SSE) {
			media_begin(w, "text/event-stream");
			json_object_begin(w);
			key_string(w, "type", "string");
			json_object_end(w);
			json_object_end(w);
		} else {
			media_ref(w, "application/json", name);
		}
		if (op->raw && op->raw->response && op->raw->media_type)
			media_bytes(w, op->raw->media_type);
		json_object_end(w);
	}
	json_object_end(w);
}

/* A file's bytes may be asked for in part and only if they changed. */
static void partial(struct json_writer *w, const struct op *op)
{
	if (!op->raw || !op->raw->response || !op->raw->media_type || strcmp(op->method, "GET") != 0)
		return;
	json_key(w, "206");
	json_object_begin(w);
	key_string(w, "description", "The range that was asked for.");
	json_key(w, "content");
	json_object_begin(w);
	media_bytes(w, op->raw->media_type);
	json_object_end(w);
	json_object_end(w);
	json_key(w, "304");
	json_object_begin(w);
	key_string(w, "description", "It is what the caller has.");
	json_object_end(w);
}

static void error_response(struct json_writer *w, const char *description)
{
	json_object_begin(w);
	key_string(w, "description", description);
	json_key(w, "content");
	json_object_begin(w);
	media_ref(w, "application/json", "Error");
	json_object_end(w);
	json_object_end(w);
}

/* Those codes of a list that have this status, as "a, b"; false when there are none. */
static bool add_codes(struct buf *text, const enum err_code *codes, int status)
{
	bool any = false;

	for (; codes && *codes != ERR_NONE; codes++) {
		const char *code = err_info(*codes)->wire_code;

		if (err_info(*codes)->status != status || (text->data && strstr(text->data, code)))
			continue;
		buf_addf(text, "%s%s", text->len ? ", " : "", code);
		any = true;
	}
	return any;
}

/* An op's own codes: its list, those of its limits, those that its paths bring. */
static bool own_codes(struct buf *text, const struct op *op, int status)
{
	bool any = add_codes(text, op->errors, status);

	for (const struct limit *limit = op->limits; limit && limit->name; limit++)
		any |= add_codes(text, (const enum err_code[]){ limit->code, ERR_NONE }, status);
	for (const struct field *field = op->params; field && field->type != FIELD_NONE; field++) {
		if (field_has_twin(field))
			any |= add_codes(text, (const enum err_code[]){ ERR_POLICY_PATH, ERR_NONE }, status);
		if (field_has_twin(field) && (field->flags & F_WRITE))
			any |= add_codes(text, (const enum err_code[]){ ERR_POLICY_READONLY, ERR_NONE }, status);
	}
	return any;
}

static void status_response(struct json_writer *w, const struct op *op, int status)
{
	char key[64];
	AUTOBUF struct buf text;
	bool own, any;

	buf_init(&text, 4096);
	own = own_codes(&text, op, status);
	any = add_codes(&text, general, status);
	if (!own && !any)
		return;
	snprintf(key, sizeof key, "%d", status);
	json_key(w, key);
	if (own) {
		error_response(w, text.data);
		return;
	}
	snprintf(key, sizeof key, "#/components/responses/Status%d", status);
	json_object_begin(w);
	key_string(w, "$ref", key);
	json_object_end(w);
}

enum { STATUS_FIRST = 400, STATUS_END = 600 };

static void responses(struct json_writer *w, const struct op *op)
{
	json_key(w, "responses");
	json_object_begin(w);
	success(w, op);
	partial(w, op);
	for (int status = STATUS_FIRST; status < STATUS_END; status++)
		status_response(w, op, status);
	json_object_end(w);
}

void openapi_responses(struct json_writer *w)
{
	json_object_begin(w);
	for (int status = STATUS_FIRST; status < STATUS_END; status++) {
		AUTOBUF struct buf text;
		char key[64];

		buf_init(&text, 4096);
		if (!add_codes(&text, general, status))
			continue;
		snprintf(key, sizeof key, "Status%d", status);
		json_key(w, key);
		error_response(w, text.data);
	}
	json_object_end(w);
}

static void events(struct json_writer *w, const char *key, const struct op *op, const struct event *list)
{
	char name[SCHEMA_NAME_SIZE];

	if (!list)
		return;
	json_key(w, key);
	json_array_begin(w);
	for (const struct event *event = list; event->name; event++) {
		json_object_begin(w);
		key_string(w, "event", event->name);
		key_string(w, "description", event->text);
		json_key(w, "final");
		json_bool(w, event->final);
		json_key(w, "has_id");
		json_bool(w, event->has_id);
		schema_event_name(op, event, name);
		json_key(w, "data");
		schema_ref(w, name);
		json_object_end(w);
	}
	json_array_end(w);
}

static void limits(struct json_writer *w, const struct op *op)
{
	if (!op->limits || !op->limits->name)
		return;
	json_key(w, "x-abx-limits");
	json_object_begin(w);
	for (const struct limit *limit = op->limits; limit->name; limit++) {
		json_key(w, limit->name);
		json_object_begin(w);
		json_key(w, "default");
		json_int(w, limit->def);
		json_key(w, "cap");
		json_int(w, limit->cap);
		json_object_end(w);
	}
	json_object_end(w);
}

static void extensions(struct json_writer *w, const struct op *op)
{
	static const char *const kinds[] = { [OP_JSON] = "json", [OP_SSE] = "sse", [OP_RAW] = "raw", [OP_WS] = "ws" };

	key_string(w, "x-abx-scope", op->scope);
	key_string(w, "x-abx-group", op->group);
	key_string(w, "x-abx-kind", kinds[op->kind]);
	key_string(w, "x-abx-endpoint", op->endpoint);
	key_string(w, "x-abx-since", op->since);
	events(w, "x-abx-events", op, op->events);
	if (op->socket) {
		events(w, "x-abx-client-messages", op, op->socket->client_messages);
		events(w, "x-abx-server-messages", op, op->socket->server_messages);
	}
	limits(w, op);
}

static void method_begin(struct json_writer *w, const char *method)
{
	char key[16] = { 0 };

	for (size_t i = 0; method[i] && i + 1 < sizeof key; i++)
		key[i] = (char)(method[i] - 'A' + 'a');
	json_key(w, key);
	json_object_begin(w);
}

static void no_security(struct json_writer *w)
{
	json_key(w, "security");
	json_array_begin(w);
	json_array_end(w);
}

static void tags(struct json_writer *w, const char *group)
{
	json_key(w, "tags");
	json_array_begin(w);
	json_string(w, group);
	json_array_end(w);
}

void openapi_operation(struct json_writer *w, const struct op *op, const char *path)
{
	const char *placeholder = strchr(path, '{');
	char id[SCHEMA_NAME_SIZE];

	method_begin(w, op->method);
	if (op->also && path == op->also && placeholder)
		snprintf(id, sizeof id, "%s.%.*s", op->id, (int)strcspn(placeholder + 1, "}"), placeholder + 1);
	else
		snprintf(id, sizeof id, "%s", op->id);
	key_string(w, "operationId", id);
	tags(w, op->group);
	key_string(w, "summary", op->summary);
	key_string(w, "description", op->description ? op->description : op->summary);
	if (!op->scope)
		no_security(w);
	parameters(w, op, path);
	request_body(w, op);
	responses(w, op);
	extensions(w, op);
	json_object_end(w);
}

void openapi_uniform(struct json_writer *w)
{
	static const struct field id = { .type = FIELD_STRING, .text = "Id or endpoint id of the op." };
	static const struct op uniform = { .params = no_params };

	method_begin(w, "POST");
	key_string(w, "operationId", "ops.call");
	tags(w, "core");
	key_string(w, "summary", "Call any op by its id.");
	key_string(w, "description",
		"All parameters in one JSON object; the same checks, and the same answer as at the op's own route.");
	json_key(w, "parameters");
	json_array_begin(w);
	parameter(w, NULL, "id", "path", true, &id);
	json_array_end(w);
	json_key(w, "requestBody");
	json_object_begin(w);
	json_key(w, "content");
	json_object_begin(w);
	media_begin(w, "application/json");
	json_object_begin(w);
	key_string(w, "type", "object");
	json_object_end(w);
	json_object_end(w);
	json_object_end(w);
	json_object_end(w);
	json_key(w, "responses");
	json_object_begin(w);
	json_key(w, "200");
	json_object_begin(w);
	key_string(w, "description", "The op's result, or its events.");
	json_object_end(w);
	for (int status = STATUS_FIRST; status < STATUS_END; status++)
		status_response(w, &uniform, status);
	json_key(w, "default");
	error_response(w, "The op's own errors.");
	json_object_end(w);
	json_object_end(w);
}
