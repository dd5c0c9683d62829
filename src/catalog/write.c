/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/write.h"

/* Where to: rope is NULL when everything is to be written now. */
struct sink {
	struct json_writer *w;
	struct rope *rope;
};

static void write_object(const struct sink *to, const struct field *fields, const char *base);

static bool is_unset(const struct field *field, const void *at)
{
	switch (field->type) {
	case FIELD_STRING:
		return *(const char *const *)at == NULL;
	case FIELD_TEXT:
	case FIELD_BYTES:
		return ((const struct str *)at)->p == NULL && !(field->flags & F_REQUIRED);
	case FIELD_INTEGER:
		return field->optional_type && !((const struct opt_int *)at)->set;
	case FIELD_NUMBER:
		return field->optional_type && !((const struct opt_num *)at)->set;
	case FIELD_BOOLEAN:
		return (field->optional_type && !((const struct opt_bool *)at)->set) ||
		       (field->omit_false && !*(const bool *)at);
	case FIELD_ARRAY:
		return ((const struct list *)at)->items == NULL && !(field->flags & F_REQUIRED);
	case FIELD_ANY:
		return field->raw_json ? ((const struct str *)at)->p == NULL : *(const struct json *const *)at == NULL;
	default:
		return false;
	}
}

static void write_text(const struct sink *to, struct str text)
{
	if (to->rope)
		rope_text(to->rope, text);
	else
		json_text(to->w, text);
}

static void write_bytes(const struct sink *to, struct str bytes)
{
	if (to->rope)
		rope_base64(to->rope, bytes);
	else
		json_base64(to->w, bytes);
}

static void write_items(const struct sink *to, const struct field *field, const struct list *list)
{
	json_array_begin(to->w);
	for (size_t i = 0; i < list->count; i++) {
		const char *item = (const char *)list->items + i * field->item_size;

		if (field->item_type == FIELD_OBJECT)
			write_object(to, field->fields, item);
		else
			json_string(to->w, *(const char *const *)item);
	}
	json_array_end(to->w);
}

static void write_map(const struct sink *to, const struct list *list)
{
	const struct pair *pairs = list->items;

	json_object_begin(to->w);
	for (size_t i = 0; i < list->count; i++) {
		json_key(to->w, pairs[i].name);
		json_text(to->w, pairs[i].value);
	}
	json_object_end(to->w);
}

static void write_value(const struct sink *to, const struct field *field, const void *at)
{
	switch (field->type) {
	case FIELD_STRING:
		json_string(to->w, *(const char *const *)at);
		break;
	case FIELD_TEXT:
		if (field->chooses_encoding && ((const struct output *)at)->base64)
			write_bytes(to, ((const struct output *)at)->bytes);
		else
			write_text(to, *(const struct str *)at);
		break;
	case FIELD_BYTES:
		write_bytes(to, *(const struct str *)at);
		break;
	case FIELD_INTEGER:
		json_int(to->w, field->optional_type ? ((const struct opt_int *)at)->value : *(const int64_t *)at);
		break;
	case FIELD_NUMBER:
		json_double(to->w, field->optional_type ? ((const struct opt_num *)at)->value : *(const double *)at);
		break;
	case FIELD_BOOLEAN:
		json_bool(to->w, field->optional_type ? ((const struct opt_bool *)at)->value : *(const bool *)at);
		break;
	case FIELD_CHOICE:
		json_string(to->w, field->choices[*(const int *)at]);
		break;
	case FIELD_ARRAY:
		write_items(to, field, at);
		break;
	case FIELD_OBJECT:
		write_object(to, field->fields, at);
		break;
	case FIELD_MAP:
		write_map(to, at);
		break;
	case FIELD_ANY:
		if (field->raw_json)
			json_raw(to->w, *(const struct str *)at);
		else
			json_tree(to->w, *(const struct json *const *)at, false);
		break;
	default:
		json_null(to->w);
	}
}

static void write_object(const struct sink *to, const struct field *fields, const char *base)
{
	json_object_begin(to->w);
	for (const struct field *field = fields; field && field->type != FIELD_NONE; field++) {
		const void *at = base + field->offset;
		bool unset = is_unset(field, at);

		if (unset && !(field->flags & F_NULLABLE))
			continue;
		json_key(to->w, field->name);
		if (unset)
			json_null(to->w);
		else
			write_value(to, field, at);
	}
	json_object_end(to->w);
}

void write_rope(struct rope *rope, const struct field *fields, const void *from)
{
	struct sink to = { .w = &rope->writer, .rope = rope };

	write_object(&to, fields, from);
}

void write_json(struct json_writer *w, const struct field *fields, const void *from)
{
	struct sink to = { .w = w };

	write_object(&to, fields, from);
}
