/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/openapi.h"

#include "base/err.h"
#include "catalog/openapi_operation.h"
#include "catalog/print.h"
#include "catalog/schema.h"

#include <assert.h>
#include <stdio.h>

static void key_string(struct json_writer *w, const char *key, const char *value)
{
	json_key(w, key);
	json_string(w, value);
}

static bool is_wanted(const struct openapi *api, const struct op *op)
{
	return !api->wanted || api->wanted(op, api->user);
}

void openapi_info(struct json_writer *w)
{
	json_object_begin(w);
	key_string(w, "title", "agent-sandbox-server");
	key_string(w, "version", server_version);
	key_string(w, "description",
		"The hands inside a sandbox: files, commands, processes, terminals. Every op also answers POST /ops/{id} "
		"with all its parameters in one JSON object; every GET answers HEAD. Made from the catalog: do not edit.");
	json_key(w, "license");
	json_object_begin(w);
	key_string(w, "name", "Apache-2.0");
	key_string(w, "identifier", "Apache-2.0");
	json_object_end(w);
	json_key(w, "x-abx-catalog-version");
	json_int(w, CATALOG_VERSION);
	key_string(w, "x-abx-catalog-digest", print_digest());
	json_object_end(w);
}

void openapi_servers(struct json_writer *w)
{
	json_array_begin(w);
	json_object_begin(w);
	key_string(w, "url", "/");
	json_object_end(w);
	json_array_end(w);
}

static void requirement(struct json_writer *w, const char *scheme)
{
	json_object_begin(w);
	json_key(w, scheme);
	json_array_begin(w);
	json_array_end(w);
	json_object_end(w);
}

void openapi_security(struct json_writer *w)
{
	json_array_begin(w);
	requirement(w, "bearer");
	requirement(w, "accessToken");
	json_array_end(w);
}

static bool group_is_new(const struct openapi *api, const struct op *const *at)
{
	for (const struct op *const *op = api->ops; op != at; op++) {
		if (is_wanted(api, *op) && strcmp((*op)->group, (*at)->group) == 0)
			return false;
	}
	return is_wanted(api, *at);
}

void openapi_tags(struct json_writer *w, const struct openapi *api)
{
	json_array_begin(w);
	for (const struct op *const *op = api->ops; *op; op++) {
		if (group_is_new(api, op)) {
			json_object_begin(w);
			key_string(w, "name", (*op)->group);
			json_object_end(w);
		}
	}
	json_array_end(w);
}

/* Several ops may share a path; it is written where the first of them stands. */
static bool path_is_new(const struct openapi *api, const struct op *const *at, const char *path)
{
	for (const struct op *const *op = api->ops; op != at; op++) {
		if (!is_wanted(api, *op))
			continue;
		if (strcmp((*op)->path, path) == 0 || ((*op)->also && strcmp((*op)->also, path) == 0))
			return false;
	}
	return true;
}

static void path_item(struct json_writer *w, const struct openapi *api, const char *path)
{
	json_key(w, path);
	json_object_begin(w);
	for (const struct op *const *op = api->ops; *op; op++) {
		bool also = (*op)->also && strcmp((*op)->also, path) == 0;

		if (is_wanted(api, *op) && (also || strcmp((*op)->path, path) == 0))
			openapi_operation(w, *op, path);
	}
	if (strcmp(path, "/ops/{id}") == 0)
		openapi_uniform(w);
	json_object_end(w);
}

void openapi_paths(struct json_writer *w, const struct openapi *api)
{
	json_object_begin(w);
	for (const struct op *const *op = api->ops; *op; op++) {
		if (!is_wanted(api, *op))
			continue;
		if (path_is_new(api, op, (*op)->path))
			path_item(w, api, (*op)->path);
		if ((*op)->also && path_is_new(api, op, (*op)->also))
			path_item(w, api, (*op)->also);
	}
	json_object_end(w);
}

enum { NAMES_MAX = 512 };

struct names {
	struct json_writer *w;
	const char *seen[NAMES_MAX];
	size_t count;
};

static void add_named(const struct field *field, bool is_param, void *user)
{
	struct names *names = user;

	for (size_t i = 0; i < names->count; i++) {
		if (strcmp(names->seen[i], field->item_name) == 0)
			return;
	}
	assert(names->count < NAMES_MAX);
	names->seen[names->count++] = field->item_name;
	json_key(names->w, field->item_name);
	schema_object(names->w, field->fields, is_param);
}

static void event_schemas(struct json_writer *w, const struct op *op, const struct event *events, struct names *names)
{
	char name[SCHEMA_NAME_SIZE];

	for (const struct event *event = events; event && event->name; event++) {
		schema_named(event->fields, false, add_named, names);
		schema_event_name(op, event, name);
		json_key(w, name);
		schema_object(w, event->fields, false);
	}
}

static void op_schemas(struct json_writer *w, const struct op *op, struct names *names)
{
	char name[SCHEMA_NAME_SIZE];

	schema_named(op->params, true, add_named, names);
	schema_named(op->result, false, add_named, names);
	if (openapi_has_body(op)) {
		schema_name(op, "params", name);
		json_key(w, name);
		schema_params(w, op);
	}
	if (op->result) {
		schema_name(op, "result", name);
		json_key(w, name);
		schema_object(w, op->result, false);
	}
	event_schemas(w, op, op->events, names);
	if (op->socket) {
		event_schemas(w, op, op->socket->client_messages, names);
		event_schemas(w, op, op->socket->server_messages, names);
	}
}

static void error_member(struct json_writer *w, const char *name, enum field_type type, bool nullable, const char *text)
{
	struct field row = { .type = type, .flags = nullable ? F_NULLABLE : 0, .text = text };

	json_key(w, name);
	schema_field(w, &row, false);
}

static void wire_codes(struct json_writer *w)
{
	json_key(w, "wire_code");
	json_object_begin(w);
	key_string(w, "type", "string");
	key_string(w, "description", "What failed, dotted; more may come with newer servers.");
	json_key(w, "examples");
	json_array_begin(w);
	for (enum err_code code = ERR_NONE + 1; code < ERR_COUNT; code++)
		json_string(w, err_info(code)->wire_code);
	json_array_end(w);
	json_object_end(w);
}

/* The one shape of all errors. */
static void error_schema(struct json_writer *w)
{
	static const char *const required[] = { "error", "type", "code", "wire_code", "request_id", "details" };

	json_key(w, "Error");
	json_object_begin(w);
	key_string(w, "type", "object");
	json_key(w, "properties");
	json_object_begin(w);
	error_member(w, "error", FIELD_STRING, false, "The message.");
	error_member(w, "type", FIELD_STRING, false, "The class of the failure, as v1 named it.");
	error_member(w, "code", FIELD_STRING, false, "The flat code of v1.");
	wire_codes(w);
	error_member(w, "op", FIELD_STRING, true, "Id of the op, where the request reached one.");
	error_member(w, "endpoint", FIELD_STRING, true, "Its endpoint id.");
	error_member(w, "rule", FIELD_STRING, false, "The line of the policy that decided.");
	error_member(w, "request_id", FIELD_STRING, false, "As in X-Request-Id.");
	error_member(w, "details", FIELD_OBJECT, false, "Facts for programs, by kind of error.");
	json_object_end(w);
	json_key(w, "required");
	json_array_begin(w);
	for (size_t i = 0; i < ARRAY_LEN(required); i++)
		json_string(w, required[i]);
	json_array_end(w);
	json_object_end(w);
}

static void security_schemes(struct json_writer *w)
{
	json_object_begin(w);
	json_key(w, "bearer");
	json_object_begin(w);
	key_string(w, "type", "http");
	key_string(w, "scheme", "bearer");
	json_object_end(w);
	json_key(w, "accessToken");
	json_object_begin(w);
	key_string(w, "type", "apiKey");
	key_string(w, "in", "header");
	key_string(w, "name", "X-Access-Token");
	key_string(w, "description", "The same token under its older name.");
	json_object_end(w);
	json_object_end(w);
}

void openapi_components(struct json_writer *w, const struct openapi *api)
{
	struct names names = { .w = w };

	json_object_begin(w);
	json_key(w, "securitySchemes");
	security_schemes(w);
	json_key(w, "responses");
	openapi_responses(w);
	json_key(w, "schemas");
	json_object_begin(w);
	error_schema(w);
	for (const struct op *const *op = api->ops; *op; op++) {
		if (is_wanted(api, *op))
			op_schemas(w, *op, &names);
	}
	json_object_end(w);
	json_object_end(w);
}

void openapi_document(struct json_writer *w, const struct openapi *api)
{
	json_object_begin(w);
	key_string(w, "openapi", OPENAPI_VERSION);
	json_key(w, "info");
	openapi_info(w);
	json_key(w, "servers");
	openapi_servers(w);
	json_key(w, "security");
	openapi_security(w);
	json_key(w, "tags");
	openapi_tags(w, api);
	json_key(w, "paths");
	openapi_paths(w, api);
	json_key(w, "components");
	openapi_components(w, api);
	json_object_end(w);
}
