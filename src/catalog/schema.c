/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/schema.h"

#include "catalog/print.h"

#include <stdio.h>

static void key_string(struct json_writer *w, const char *key, const char *value)
{
	json_key(w, key);
	json_string(w, value);
}

void schema_ref(struct json_writer *w, const char *name)
{
	char ref[SCHEMA_NAME_SIZE + 32];

	snprintf(ref, sizeof ref, "#/components/schemas/%s", name);
	json_object_begin(w);
	key_string(w, "$ref", ref);
	json_object_end(w);
}

/* The "type" of what is not an object by itself; NULL: anything. */
static const char *json_type(enum field_type type)
{
	switch (type) {
	case FIELD_INTEGER:
		return "integer";
	case FIELD_NUMBER:
		return "number";
	case FIELD_BOOLEAN:
		return "boolean";
	case FIELD_ARRAY:
		return "array";
	case FIELD_MAP:
	case FIELD_OBJECT:
		return "object";
	case FIELD_ANY:
		return NULL;
	default:
		return "string";
	}
}

static void print_type(struct json_writer *w, const struct field *field)
{
	const char *type = json_type(field->type);

	if (!type)
		return;
	json_key(w, "type");
	/* The null of a map is that of its values. */
	if (!(field->flags & F_NULLABLE) || field->type == FIELD_MAP) {
		json_string(w, type);
		return;
	}
	json_array_begin(w);
	json_string(w, type);
	json_string(w, "null");
	json_array_end(w);
}

static void print_item(struct json_writer *w, const struct field *field, bool is_param)
{
	struct field item = {
		.type = field->item_type, .flags = F_EMPTY_OK, .item_name = field->item_name, .fields = field->fields
	};

	json_key(w, "items");
	schema_field(w, &item, is_param);
}

static void print_values(struct json_writer *w, const struct field *field)
{
	struct field value = { .type = FIELD_STRING, .flags = F_EMPTY_OK | (field->flags & F_NULLABLE) };

	json_key(w, "additionalProperties");
	schema_field(w, &value, false);
}

static void print_enum(struct json_writer *w, const struct field *field)
{
	json_key(w, "enum");
	json_array_begin(w);
	for (const char *const *choice = field->choices; *choice; choice++)
		json_string(w, *choice);
	if (field->flags & F_NULLABLE)
		json_null(w);
	json_array_end(w);
}

static void print_details(struct json_writer *w, const struct field *field, bool is_param)
{
	if (field->type == FIELD_CHOICE)
		print_enum(w, field);
	if (field->type == FIELD_BYTES)
		key_string(w, "contentEncoding", "base64");
	if (field->type == FIELD_ARRAY)
		print_item(w, field, is_param);
	if (field->type == FIELD_MAP)
		print_values(w, field);
	if (is_param && field->type == FIELD_STRING && !(field->flags & F_EMPTY_OK)) {
		json_key(w, "minLength");
		json_int(w, 1);
	}
	if (is_param) {
		print_default(w, field);
		print_range(w, field);
	}
	if (field->flags & F_SECRET)
		key_string(w, "format", "password");
}

static void print_reference(struct json_writer *w, const struct field *field)
{
	bool more = field->text || (field->flags & F_NULLABLE);

	if (!more) {
		schema_ref(w, field->item_name);
		return;
	}
	json_object_begin(w);
	json_key(w, "anyOf");
	json_array_begin(w);
	schema_ref(w, field->item_name);
	if (field->flags & F_NULLABLE) {
		json_object_begin(w);
		key_string(w, "type", "null");
		json_object_end(w);
	}
	json_array_end(w);
	if (field->text)
		key_string(w, "description", field->text);
	json_object_end(w);
}

void schema_field(struct json_writer *w, const struct field *field, bool is_param)
{
	if (field->type == FIELD_OBJECT && field->item_name) {
		print_reference(w, field);
		return;
	}
	json_object_begin(w);
	print_type(w, field);
	print_details(w, field, is_param);
	if (field->text)
		key_string(w, "description", field->text);
	json_object_end(w);
}

static void print_required(struct json_writer *w, const struct op *op, const struct field *fields)
{
	json_key(w, "required");
	json_array_begin(w);
	for (; fields && fields->type != FIELD_NONE; fields++) {
		/* Of a path and its twin either will do: print_choices() says so. */
		bool twin = op && field_has_twin(fields);

		if ((fields->flags & F_REQUIRED) && !twin && !(op && op_param_in_route(op, fields->name)))
			json_string(w, fields->name);
	}
	json_array_end(w);
}

static void print_closed(struct json_writer *w)
{
	json_key(w, "additionalProperties");
	json_bool(w, false);
}

void schema_object(struct json_writer *w, const struct field *fields, bool is_param)
{
	json_object_begin(w);
	key_string(w, "type", "object");
	json_key(w, "properties");
	json_object_begin(w);
	for (const struct field *field = fields; field && field->type != FIELD_NONE; field++) {
		json_key(w, field->name);
		schema_field(w, field, is_param);
	}
	json_object_end(w);
	print_required(w, NULL, fields);
	if (is_param)
		print_closed(w);
	json_object_end(w);
}

static void required_one(struct json_writer *w, const char *name)
{
	json_object_begin(w);
	json_key(w, "required");
	json_array_begin(w);
	json_string(w, name);
	json_array_end(w);
	json_object_end(w);
}

static void print_group(struct json_writer *w, const char *const *names)
{
	json_object_begin(w);
	json_key(w, "oneOf");
	json_array_begin(w);
	for (; *names; names++)
		required_one(w, *names);
	json_array_end(w);
	json_object_end(w);
}

/* Groups of which exactly one is given: those of the op, and required paths with their twins. */
static void print_choices(struct json_writer *w, const struct op *op)
{
	bool any = false;

	for (const struct one_of *group = op->one_of; group && group->names[0]; group++)
		any |= !group->optional;
	for (const struct field *field = op->params; field && field->type != FIELD_NONE; field++)
		any |= field_has_twin(field) && (field->flags & F_REQUIRED);
	if (!any)
		return;
	json_key(w, "allOf");
	json_array_begin(w);
	for (const struct one_of *group = op->one_of; group && group->names[0]; group++) {
		if (!group->optional)
			print_group(w, group->names);
	}
	for (const struct field *field = op->params; field && field->type != FIELD_NONE; field++) {
		char twin[FIELD_TWIN_SIZE];

		if (field_has_twin(field) && (field->flags & F_REQUIRED))
			print_group(w, (const char *const[]){ field->name, field_twin(field, twin), NULL });
	}
	json_array_end(w);
}

static void print_twin(struct json_writer *w, const struct field *field)
{
	enum field_type type = field->type == FIELD_PATH ? FIELD_BYTES : FIELD_ARRAY;
	struct field twin = {
		.type = type, .item_type = FIELD_BYTES, .text = "The exact bytes, instead, where they are not UTF-8."
	};

	schema_field(w, &twin, true);
}

void schema_params(struct json_writer *w, const struct op *op)
{
	json_object_begin(w);
	key_string(w, "type", "object");
	json_key(w, "properties");
	json_object_begin(w);
	for (const struct field *field = op->params; field && field->type != FIELD_NONE; field++) {
		char twin[FIELD_TWIN_SIZE];

		if (op_param_in_route(op, field->name))
			continue;
		json_key(w, field->name);
		schema_field(w, field, true);
		if (field_has_twin(field)) {
			json_key(w, field_twin(field, twin));
			print_twin(w, field);
		}
	}
	json_object_end(w);
	print_required(w, op, op->params);
	print_choices(w, op);
	print_closed(w);
	json_object_end(w);
}

/* "upload_stream" as "UploadStream", behind what is there. */
static void add_camel(char *name, const char *text)
{
	size_t len = strlen(name);
	bool start = true;

	for (; *text && len + 1 < SCHEMA_NAME_SIZE; text++) {
		if (*text == '.' || *text == '_') {
			start = true;
			continue;
		}
		name[len++] = start && *text >= 'a' && *text <= 'z' ? (char)(*text - 'a' + 'A') : *text;
		start = false;
	}
	name[len] = 0;
}

void schema_name(const struct op *op, const char *suffix, char ret_name[static SCHEMA_NAME_SIZE])
{
	/* Whoever named a command did not think of "a1" and "a_1". */
	if (op->is_dynamic) {
		snprintf(ret_name, SCHEMA_NAME_SIZE, "%s.%s", op->id, suffix);
		return;
	}
	ret_name[0] = 0;
	add_camel(ret_name, op->id);
	add_camel(ret_name, suffix);
}

void schema_event_name(const struct op *op, const struct event *event, char ret_name[static SCHEMA_NAME_SIZE])
{
	schema_name(op, event->name, ret_name);
	add_camel(ret_name, op->kind == OP_WS ? "message" : "event");
}

void schema_named(const struct field *fields, bool is_param,
	void (*seen)(const struct field *field, bool is_param, void *user), void *user)
{
	for (; fields && fields->type != FIELD_NONE; fields++) {
		if (!fields->fields)
			continue;
		schema_named(fields->fields, is_param, seen, user);
		if (fields->item_name)
			seen(fields, is_param, user);
	}
}
