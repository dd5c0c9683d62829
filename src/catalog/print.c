/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/print.h"

#include "base/budget.h"
#include "base/err.h"
#include "catalog/example.h"

#include <assert.h>
#include <nettle/sha2.h>
#include <pthread.h>
#include <stdio.h>

enum { EXAMPLE_MAX = 1 << 20 };

const char server_version[] = "0.1.0";

static void print_fields(struct json_writer *w, const struct op *op, const struct field *fields, bool texts);

static void key_string(struct json_writer *w, const char *key, const char *value)
{
	json_key(w, key);
	json_string(w, value);
}

static void key_bool(struct json_writer *w, const char *key, bool value)
{
	json_key(w, key);
	json_bool(w, value);
}

static void key_int(struct json_writer *w, const char *key, int64_t value)
{
	json_key(w, key);
	json_int(w, value);
}

/* Where a parameter stands in the REST binding. */
static const char *param_in(const struct op *op, const struct field *field)
{
	bool body = strcmp(op->method, "POST") == 0 || strcmp(op->method, "PUT") == 0;

	if (op_param_in_route(op, field->name))
		return "path";
	return body ? "body" : "query";
}

void print_range(struct json_writer *w, const struct field *field)
{
	static const int64_t exact = (INT64_C(1) << 53) - 1;

	if (field->type == FIELD_INTEGER && field->minimum != INT64_MIN) {
		key_int(w, "minimum", field->minimum);
		key_int(w, "maximum", MIN(field->maximum, exact));
	}
	if (field->type == FIELD_NUMBER && field->num_maximum > 0) {
		json_key(w, "minimum");
		json_double(w, field->num_minimum);
		json_key(w, "maximum");
		json_double(w, field->num_maximum);
	}
}

void print_default(struct json_writer *w, const struct field *field)
{
	if (field->def_json) {
		json_key(w, "default");
		json_raw(w, str_of(field->def_json));
	}
	if ((field->flags & F_REQUIRED) || field->optional_type)
		return;
	if (field->type == FIELD_INTEGER) {
		key_int(w, "default", field->def);
	} else if (field->type == FIELD_BOOLEAN) {
		key_bool(w, "default", field->def);
	} else if (field->type == FIELD_NUMBER) {
		json_key(w, "default");
		json_double(w, field->num_def);
	} else if (field->type == FIELD_CHOICE) {
		key_string(w, "default", field->choices[field->def]);
	} else if (field->def_text) {
		key_string(w, "default", field->def_text);
	}
}

static void print_choices(struct json_writer *w, const struct field *field)
{
	json_key(w, "choices");
	json_array_begin(w);
	for (const char *const *choice = field->choices; *choice; choice++)
		json_string(w, *choice);
	json_array_end(w);
}

static void print_items(struct json_writer *w, const struct field *field, bool texts)
{
	json_key(w, "items");
	json_object_begin(w);
	key_string(w, "type", field_type_name(field->item_type));
	if (field->item_type == FIELD_OBJECT) {
		key_string(w, "name", field->item_name);
		print_fields(w, NULL, field->fields, texts);
	}
	json_object_end(w);
}

static void print_shape(struct json_writer *w, const struct field *field, bool texts)
{
	if (field->flags & F_NULLABLE)
		key_bool(w, "nullable", true);
	if (field->type == FIELD_CHOICE)
		print_choices(w, field);
	if (field->type == FIELD_ARRAY)
		print_items(w, field, texts);
	if (field->type == FIELD_MAP)
		key_string(w, "values", "string");
	if (field->type == FIELD_OBJECT && field->item_name) {
		key_string(w, "type_name", field->item_name);
		print_fields(w, NULL, field->fields, texts);
	}
}

/* op is given for parameters, NULL for what the server writes. */
static void print_field(struct json_writer *w, const struct op *op, const struct field *field, bool texts)
{
	json_object_begin(w);
	key_string(w, "name", field->name);
	if (op)
		key_string(w, "in", param_in(op, field));
	key_string(w, "type", field_type_name(field->type));
	key_bool(w, "required", field->flags & F_REQUIRED);
	if (op && field_has_twin(field)) {
		char twin[FIELD_TWIN_SIZE];

		key_string(w, "b64", field_twin(field, twin));
	}
	if (op)
		print_default(w, field);
	if (op)
		print_range(w, field);
	print_shape(w, field, texts);
	if (field->flags & F_SECRET)
		key_bool(w, "secret", true);
	if (texts)
		key_string(w, "description", field->text);
	json_object_end(w);
}

static void print_rows(
	struct json_writer *w, const char *key, const struct op *op, const struct field *fields, bool texts)
{
	json_key(w, key);
	json_array_begin(w);
	for (; fields && fields->type != FIELD_NONE; fields++)
		print_field(w, op, fields, texts);
	json_array_end(w);
}

static void print_fields(struct json_writer *w, const struct op *op, const struct field *fields, bool texts)
{
	print_rows(w, "fields", op, fields, texts);
}

static void print_one_of(struct json_writer *w, const struct op *op)
{
	json_key(w, "one_of");
	json_array_begin(w);
	for (const struct one_of *group = op->one_of; group && group->names[0]; group++) {
		if (group->optional)
			continue;
		json_array_begin(w);
		for (size_t i = 0; group->names[i]; i++)
			json_string(w, group->names[i]);
		json_array_end(w);
	}
	json_array_end(w);
}

static void print_events(struct json_writer *w, const char *key, const struct event *events, bool texts)
{
	json_key(w, key);
	json_array_begin(w);
	for (const struct event *event = events; event && event->name; event++) {
		json_object_begin(w);
		key_string(w, "event", event->name);
		if (event->final)
			key_bool(w, "final", true);
		if (event->has_id)
			key_bool(w, "has_id", true);
		print_fields(w, NULL, event->fields, texts);
		if (texts)
			key_string(w, "description", event->text);
		json_object_end(w);
	}
	json_array_end(w);
}

static void print_socket(struct json_writer *w, const struct socket_shape *socket, bool texts)
{
	print_events(w, "client_messages", socket->client_messages, texts);
	print_events(w, "server_messages", socket->server_messages, texts);
	json_key(w, "subprotocols");
	json_array_begin(w);
	for (const char *const *name = socket->subprotocols; *name; name++)
		json_string(w, *name);
	json_array_end(w);
}

static void print_result(struct json_writer *w, const struct op *op, bool texts)
{
	json_key(w, "result");
	json_object_begin(w);
	key_string(w, "type", op->is_dynamic ? "any" : "object");
	if (!op->is_dynamic)
		print_fields(w, NULL, op->result, texts);
	json_object_end(w);
}

static void print_raw(struct json_writer *w, const struct raw *raw)
{
	json_key(w, "raw");
	json_object_begin(w);
	key_bool(w, "request", raw->request);
	key_bool(w, "response", raw->response);
	if (raw->multipart)
		key_bool(w, "multipart", true);
	key_string(w, "media_type", raw->media_type);
	json_object_end(w);
}

/* What a path can meet, whatever the op, is added by its rows. */
static void path_errors(const struct field *fields, bool *ret_denied, bool *ret_readonly)
{
	*ret_denied = *ret_readonly = false;
	for (; fields && fields->type != FIELD_NONE; fields++) {
		if (fields->type == FIELD_PATH || fields->item_type == FIELD_PATH) {
			*ret_denied = true;
			*ret_readonly |= (fields->flags & F_WRITE) != 0;
		}
	}
}

static bool lists_error(const struct op *op, enum err_code wanted)
{
	for (const enum err_code *code = op->errors; code && *code != ERR_NONE; code++) {
		if (*code == wanted)
			return true;
	}
	return false;
}

static void print_op_errors(struct json_writer *w, const struct op *op)
{
	bool denied, readonly;

	path_errors(op->params, &denied, &readonly);
	json_key(w, "errors");
	json_array_begin(w);
	for (const enum err_code *code = op->errors; code && *code != ERR_NONE; code++)
		json_string(w, err_info(*code)->wire_code);
	if (denied && !lists_error(op, ERR_POLICY_PATH))
		json_string(w, err_info(ERR_POLICY_PATH)->wire_code);
	if (readonly && !lists_error(op, ERR_POLICY_READONLY))
		json_string(w, err_info(ERR_POLICY_READONLY)->wire_code);
	json_array_end(w);
}

static void print_limits(struct json_writer *w, const struct op *op, bool texts)
{
	json_key(w, "limits");
	json_array_begin(w);
	for (const struct limit *limit = op->limits; limit && limit->name; limit++) {
		json_object_begin(w);
		key_string(w, "name", limit->name);
		key_int(w, "default", limit->def);
		key_int(w, "cap", limit->cap);
		key_string(w, "error", limit->code == ERR_NONE ? NULL : err_info(limit->code)->wire_code);
		if (texts)
			key_string(w, "description", limit->text);
		json_object_end(w);
	}
	json_array_end(w);
}

static void print_effects(struct json_writer *w, unsigned effects)
{
	json_key(w, "effects");
	json_object_begin(w);
	key_bool(w, "reads", effects & OP_READS);
	key_bool(w, "writes", effects & OP_WRITES);
	key_bool(w, "runs", effects & OP_RUNS);
	key_bool(w, "idempotent", effects & OP_IDEMPOTENT);
	json_object_end(w);
}

static void optional_string(struct json_writer *w, const char *key, const char *value)
{
	if (value)
		key_string(w, key, value);
}

static void print_example(struct json_writer *w, const struct op *op)
{
	const struct example *example = &op->example;
	struct arena arena CLEANUP(arena_free);

	arena_init(&arena, EXAMPLE_MAX);
	json_key(w, "example");
	json_object_begin(w);
	json_key(w, "args");
	json_tree(w, example_args(&arena, op), false);
	optional_string(w, "file", example->file);
	optional_string(w, "after", example->after);
	if (example->after_args) {
		json_key(w, "after_args");
		json_tree(w, example_args_of(&arena, example->after_args), false);
	}
	optional_string(w, "take", example->take);
	optional_string(w, "into", example->into);
	optional_string(w, "abx", example->abx);
	if (example->typed) {
		const char *typed;

		budget_insist(true);
		typed = arena_printf(&arena, "\"%s\"", example->typed);
		budget_insist(false);
		json_key(w, "typed");
		json_raw(w, typed ? str_of(typed) : STR("null"));
	}
	json_object_end(w);
}

void print_op(struct json_writer *w, const struct op *op, bool texts)
{
	static const char *const kinds[] = { [OP_JSON] = "json", [OP_SSE] = "sse", [OP_RAW] = "raw", [OP_WS] = "ws" };

	json_object_begin(w);
	key_string(w, "id", op->id);
	key_string(w, "endpoint", op->endpoint);
	key_string(w, "group", op->group);
	key_string(w, "scope", op->scope);
	key_string(w, "kind", kinds[op->kind]);
	if (op->is_dynamic)
		key_bool(w, "dynamic", true);
	key_string(w, "method", op->method);
	key_string(w, "path", op->path);
	if (op->also)
		key_string(w, "also", op->also);
	key_string(w, "since", op->since);
	key_string(w, "summary", op->summary);
	if (texts)
		key_string(w, "description", op->description);
	print_effects(w, op->effects);
	print_rows(w, "params", op, op->params, texts);
	print_one_of(w, op);
	if (op->socket)
		print_socket(w, op->socket, texts);
	else if (op->events)
		print_events(w, "events", op->events, texts);
	else
		print_result(w, op, texts);
	if (op->raw)
		print_raw(w, op->raw);
	print_op_errors(w, op);
	print_limits(w, op, texts);
	if (texts && !op->is_dynamic)
		print_example(w, op);
	json_object_end(w);
}

/* The canonical form: written, read back, written with sorted keys. */
static void canonical_ops(struct buf *out)
{
	struct json_writer w;
	struct arena arena;
	struct json *tree;
	struct json_error problem;
	struct buf text;
	int status;

	buf_init(&text, SIZE_MAX / 2);
	json_write_init(&w, &text);
	json_array_begin(&w);
	for (const struct op *const *op = ops_all; *op; op++)
		print_op(&w, *op, false);
	json_array_end(&w);
	arena_init(&arena, SIZE_MAX);
	budget_insist(true);
	status = json_parse(&arena, text.data, text.len, &tree, &problem);
	assert(status == 0);
	json_write_init(&w, out);
	json_tree(&w, tree, true);
	budget_insist(false);
	arena_free(&arena);
	buf_free(&text);
}

static char digest[CATALOG_DIGEST_SIZE];

static void make_digest(void)
{
	uint8_t hash[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;
	struct buf text;
	size_t len;

	buf_init(&text, SIZE_MAX / 2);
	canonical_ops(&text);
	sha256_init(&sha);
	sha256_update(&sha, text.len, (const uint8_t *)text.data);
	sha256_digest(&sha, sizeof hash, hash);
	buf_free(&text);
	len = (size_t)snprintf(digest, sizeof digest, "sha256:");
	for (size_t i = 0; i < sizeof hash; i++)
		len += (size_t)snprintf(digest + len, sizeof digest - len, "%02x", hash[i]);
}

/* Several workers may be the first to ask. */
const char *print_digest(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_digest);
	return digest;
}

void print_catalog(struct json_writer *w, bool (*wanted)(const struct op *op, void *user), void *user)
{
	json_object_begin(w);
	key_int(w, "catalog_version", CATALOG_VERSION);
	key_string(w, "digest", print_digest());
	key_string(w, "server_version", server_version);
	json_key(w, "ops");
	json_array_begin(w);
	for (const struct op *const *op = ops_all; *op; op++) {
		if (!wanted || wanted(*op, user))
			print_op(w, *op, true);
	}
	json_array_end(w);
	json_object_end(w);
}

void print_errors(struct json_writer *w)
{
	json_array_begin(w);
	for (enum err_code code = ERR_NONE + 1; code < ERR_COUNT; code++) {
		const struct err_info *info = err_info(code);

		json_object_begin(w);
		key_string(w, "wire_code", info->wire_code);
		key_int(w, "status", info->status);
		key_string(w, "code", info->code);
		key_string(w, "type", info->type);
		key_string(w, "exception", info->exception);
		key_string(w, "e_code", info->ecode);
		key_string(w, "meaning", info->meaning);
		json_object_end(w);
	}
	json_array_end(w);
}
