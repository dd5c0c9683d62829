/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/bind.h"

#include "base/base64.h"
#include "base/buf.h"
#include "base/utf8.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

/* JSON's integers are exact up to here for every reader (R75). */
#define INTEGER_MAX ((INT64_C(1) << 53) - 1)

static const char TWIN[] = "_b64";

enum { CHOICES_TEXT_MAX = 512 };

/* One value on its way in: where it goes, what it is called in messages. */
struct target {
	struct bind *bind;
	const struct field *field;
	char *base;       /* the struct that the field is a member of */
	const char *name; /* "edits[2].old" */
	bool base64;      /* came as NAME_b64 */
};

static int bind_fields(struct bind *b, const struct field *fields, char *base, const struct json *object,
	const char *prefix, uint64_t *seen, struct err *err);

static int no_memory(struct err *err)
{
	return err_set(err, ERR_BUSY, "the arguments need more memory than is left");
}

static void *member(const struct target *t)
{
	return t->base + t->field->offset;
}

static void set_default(const struct field *field, char *base)
{
	void *at = base + field->offset;

	if (field->optional_type)
		return;
	switch (field->type) {
	case FIELD_STRING:
		*(const char **)at = field->def_text;
		break;
	case FIELD_PATH:
		*(struct path_arg *)at = (struct path_arg){ .given = str_of(field->def_text) };
		break;
	case FIELD_INTEGER:
		*(int64_t *)at = field->def;
		break;
	case FIELD_NUMBER:
		*(double *)at = field->num_def;
		break;
	case FIELD_BOOLEAN:
		*(bool *)at = field->def;
		break;
	case FIELD_CHOICE:
		*(int *)at = (int)field->def;
		break;
	default:
		break; /* zero: absent */
	}
}

void bind_begin(struct bind *b, struct arena *arena, const struct op *op, void *params)
{
	*b = (struct bind){ .arena = arena, .op = op, .params = params };
	for (const struct field *field = op->params; field && field->type != FIELD_NONE; field++)
		set_default(field, params);
}

static int wrong_type(const struct target *t, const char *given, struct err *err)
{
	const char *wanted = t->field->type == FIELD_CHOICE || t->field->type == FIELD_BYTES ||
					     t->field->type == FIELD_PATH
				     ? "string"
				     : field_type_name(t->field->type);

	return err_set(err, ERR_ARGS_INVALID, "parameter '%s%s' must be %s %s, not %s", t->name, t->base64 ? TWIN : "",
		strchr("aeiou", wanted[0]) ? "an" : "a", wanted, given);
}

/* A terminated copy: what is used as a C string must not be cut by a NUL (R60). */
static int copy_text(const struct target *t, struct str value, const char **ret_text, struct err *err)
{
	if (memchr(value.p ? value.p : "", '\0', value.len))
		return err_set(err, ERR_ARGS_INVALID, "parameter '%s' must not hold NUL", t->name);
	*ret_text = arena_strndup(t->bind->arena, value.p, value.len);
	return *ret_text ? 0 : no_memory(err);
}

static int store_string(const struct target *t, struct str value, struct err *err)
{
	if (value.len == 0 && !(t->field->flags & F_EMPTY_OK))
		return err_set(err, ERR_ARGS_INVALID, "parameter '%s' must not be empty", t->name);
	if (!utf8_valid(value))
		return err_set(err, ERR_ARGS_INVALID, "parameter '%s' must be UTF-8", t->name);
	return copy_text(t, value, member(t), err);
}

static int store_path(const struct target *t, struct str value, struct path_arg *to, struct err *err)
{
	const char *text;

	if (value.len == 0)
		return err_set(err, ERR_ARGS_INVALID, "parameter '%s' must not be empty", t->name);
	if (copy_text(t, value, &text, err) < 0)
		return -1;
	*to = (struct path_arg){ .given = { text, value.len } };
	return 0;
}

/* The bytes of a value in base64.  They are decoded where they stand: the request's own memory. */
static int decode(const struct target *t, struct str value, struct str *ret_bytes, struct err *err)
{
	ssize_t len = base64_decode((char *)value.p, value);

	if (len < 0)
		return err_set(
			err, ERR_ARGS_INVALID, "parameter '%s%s' must be base64", t->name, t->base64 ? TWIN : "");
	*ret_bytes = (struct str){ value.p, (size_t)len };
	return 0;
}

static int store_integer(const struct target *t, int64_t value, struct err *err)
{
	int64_t max = MIN(t->field->maximum, INTEGER_MAX);

	if (value < t->field->minimum || value > max)
		return err_set(err, ERR_ARGS_INVALID, "parameter '%s' must be from %lld to %lld, not %lld", t->name,
			(long long)t->field->minimum, (long long)max, (long long)value);
	if (t->field->optional_type)
		*(struct opt_int *)member(t) = (struct opt_int){ true, value };
	else
		*(int64_t *)member(t) = value;
	return 0;
}

static int store_number(const struct target *t, double value, struct err *err)
{
	if (!isfinite(value) || value < t->field->num_minimum || value > t->field->num_maximum)
		return err_set(err, ERR_ARGS_INVALID, "parameter '%s' must be from %g to %g", t->name,
			t->field->num_minimum, t->field->num_maximum);
	if (t->field->optional_type)
		*(struct opt_num *)member(t) = (struct opt_num){ true, value };
	else
		*(double *)member(t) = value;
	return 0;
}

static void store_boolean(const struct target *t, bool value)
{
	if (t->field->optional_type)
		*(struct opt_bool *)member(t) = (struct opt_bool){ true, value };
	else
		*(bool *)member(t) = value;
}

static int no_choice(const struct target *t, struct str value, struct err *err)
{
	const char *nearest = str_nearest(value, t->field->choices);
	AUTOBUF struct buf all;

	buf_init(&all, CHOICES_TEXT_MAX);
	for (int i = 0; t->field->choices[i]; i++)
		buf_addf(&all, "%s%s", i ? ", " : "", t->field->choices[i]);
	return err_set(err, ERR_ARGS_INVALID, "parameter '%s' must be one of %s, not '%.*s'%s%s%s", t->name,
		buf_failed(&all) ? "its choices" : all.data, (int)MIN(value.len, 40), value.p,
		nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static int store_choice(const struct target *t, struct str value, struct err *err)
{
	for (int i = 0; t->field->choices[i]; i++) {
		if (str_is(value, t->field->choices[i])) {
			*(int *)member(t) = i;
			return 0;
		}
	}
	return no_choice(t, value, err);
}

static int store_scalar_text(const struct target *t, struct str value, struct err *err)
{
	struct str bytes = value;

	if (t->base64 && decode(t, value, &bytes, err) < 0)
		return -1;
	switch (t->field->type) {
	case FIELD_STRING:
		return store_string(t, bytes, err);
	case FIELD_PATH:
		return store_path(t, bytes, member(t), err);
	case FIELD_TEXT:
		*(struct str *)member(t) = bytes;
		return utf8_valid(bytes) ? 0 : err_set(err, ERR_ARGS_INVALID, "parameter '%s' must be UTF-8", t->name);
	case FIELD_BYTES:
		return decode(t, value, member(t), err);
	case FIELD_CHOICE:
		return store_choice(t, value, err);
	default:
		return wrong_type(t, "a string", err);
	}
}

static int bind_items(const struct target *t, const struct json *array, struct err *err)
{
	const struct field *field = t->field;
	struct list *list = member(t);
	size_t i = 0;

	list->items = arena_alloc_array(t->bind->arena, array->count ? array->count : 1, field->item_size);
	if (!list->items)
		return no_memory(err);
	list->count = array->count;
	for (const struct json *item = array->first; item; item = item->next, i++) {
		struct field row = { .name = field->name,
			.type = field->item_type,
			.flags = F_EMPTY_OK,
			.item_size = field->item_size,
			.fields = field->fields };
		struct target element = { t->bind, &row, (char *)list->items + i * field->item_size, NULL, t->base64 };
		uint64_t seen = 0;

		element.name = arena_printf(t->bind->arena, "%s[%zu]", t->name, i);
		if (!element.name)
			return no_memory(err);
		if (field->item_type == FIELD_OBJECT) {
			if (item->type != JSON_OBJECT)
				return wrong_type(&element, json_type_name(item->type), err);
			if (bind_fields(t->bind, field->fields, element.base, item, element.name, &seen, err) < 0)
				return -1;
		} else if (item->type != JSON_STRING) {
			return wrong_type(&element, json_type_name(item->type), err);
		} else if (store_scalar_text(&element, item->text, err) < 0) {
			return -1;
		}
	}
	return 0;
}

static int bind_map(const struct target *t, const struct json *object, struct err *err)
{
	struct list *list = member(t);
	struct pair *pairs = arena_array(t->bind->arena, struct pair, object->count + 1);
	size_t i = 0;

	if (!pairs)
		return no_memory(err);
	*list = (struct list){ pairs, object->count };
	for (const struct json *item = object->first; item; item = item->next, i++) {
		const char *value = NULL;

		if (copy_text(t, item->key, &pairs[i].name, err) < 0)
			return -1;
		pairs[i].is_null = item->type == JSON_NULL;
		if (pairs[i].is_null && (t->field->flags & F_NULLABLE))
			continue;
		if (item->type != JSON_STRING)
			return err_set(err, ERR_ARGS_INVALID,
				"parameter '%s': the value of '%.60s' must be a string, not %s", t->name, pairs[i].name,
				json_type_name(item->type));
		if (copy_text(t, item->text, &value, err) < 0)
			return -1;
		pairs[i].value = (struct str){ value, item->text.len };
	}
	return 0;
}

static int bind_value(const struct target *t, const struct json *value, struct err *err)
{
	enum json_type type = value->type;

	switch (t->field->type) {
	case FIELD_ANY:
		*(const struct json **)member(t) = value;
		return 0;
	case FIELD_INTEGER:
		if (type == JSON_NUMBER && !value->is_integer)
			return err_set(err, ERR_ARGS_INVALID, "parameter '%s' must be an integer, not %.*s", t->name,
				(int)MIN(value->text.len, 40), value->text.p);
		return type == JSON_NUMBER ? store_integer(t, value->integer, err)
					   : wrong_type(t, json_type_name(type), err);
	case FIELD_NUMBER:
		return type == JSON_NUMBER ? store_number(t, value->number, err)
					   : wrong_type(t, json_type_name(type), err);
	case FIELD_BOOLEAN:
		if (type != JSON_BOOL)
			return wrong_type(t, json_type_name(type), err);
		store_boolean(t, value->boolean);
		return 0;
	case FIELD_ARRAY:
		return type == JSON_ARRAY ? bind_items(t, value, err) : wrong_type(t, json_type_name(type), err);
	case FIELD_MAP:
		return type == JSON_OBJECT ? bind_map(t, value, err) : wrong_type(t, json_type_name(type), err);
	default:
		if (type == JSON_STRING || (type == JSON_NUMBER && value->is_integer && t->field->flags & F_NUMBER_OK))
			return store_scalar_text(t, value->text, err);
		return wrong_type(t, json_type_name(type), err);
	}
}

/* The row of a name, or of the path that NAME_b64 is the twin of. */
static const struct field *find_row(const struct field *fields, struct str name, bool *ret_base64)
{
	const struct field *field = field_find(fields, name);

	*ret_base64 = false;
	if (field || name.len <= sizeof TWIN - 1 ||
		memcmp(name.p + name.len - (sizeof TWIN - 1), TWIN, sizeof TWIN - 1))
		return field;
	name.len -= sizeof TWIN - 1;
	field = field_find(fields, name);
	*ret_base64 = true;
	return field && (field->type == FIELD_PATH || field->item_type == FIELD_PATH) ? field : NULL;
}

static int unknown(
	const struct op *op, const struct field *fields, struct str name, const char *prefix, struct err *err)
{
	const char *names[BIND_PARAMS_MAX + 1] = { NULL };
	const char *nearest;
	size_t count = 0;

	for (; fields && fields->type != FIELD_NONE && count < BIND_PARAMS_MAX; fields++)
		names[count++] = fields->name;
	nearest = str_nearest(name, names);
	if (nearest)
		return err_set(err, ERR_ARGS_UNKNOWN, "%s has no parameter '%s%.*s'; did you mean '%s'?", op->id,
			prefix, (int)MIN(name.len, 60), name.p, nearest);
	return err_set(
		err, ERR_ARGS_UNKNOWN, "%s has no parameter '%s%.*s'", op->id, prefix, (int)MIN(name.len, 60), name.p);
}

static int mark(const struct field *fields, const struct field *field, uint64_t *seen, struct err *err)
{
	uint64_t bit = UINT64_C(1) << (field - fields);

	assert(field - fields < BIND_PARAMS_MAX);
	if (*seen & bit)
		return err_set(err, ERR_ARGS_INVALID, "parameter '%s' is given twice", field->name);
	*seen |= bit;
	return 0;
}

static int missing(const struct op *op, const struct field *fields, const char *prefix, uint64_t seen, struct err *err)
{
	for (const struct field *field = fields; field && field->type != FIELD_NONE; field++) {
		if ((field->flags & F_REQUIRED) && !(seen & (UINT64_C(1) << (field - fields))))
			return err_set(
				err, ERR_ARGS_MISSING, "%s needs the parameter '%s%s'", op->id, prefix, field->name);
	}
	return 0;
}

/* The members of one object; prefix "" at the top, else "checks[0]" with a dot between. */
static int bind_fields(struct bind *b, const struct field *fields, char *base, const struct json *object,
	const char *prefix, uint64_t *seen, struct err *err)
{
	const char *dotted = prefix[0] ? arena_printf(b->arena, "%s.", prefix) : "";

	if (!dotted)
		return no_memory(err);
	if (prefix[0]) {
		for (const struct field *field = fields; field->type != FIELD_NONE; field++)
			set_default(field, base);
	}
	for (const struct json *item = object->first; item; item = item->next) {
		struct target t = { .bind = b, .base = base };

		t.field = find_row(fields, item->key, &t.base64);
		if (!t.field)
			return unknown(b->op, fields, item->key, dotted, err);
		t.name = prefix[0] ? arena_printf(b->arena, "%s%s", dotted, t.field->name) : t.field->name;
		if (!t.name)
			return no_memory(err);
		if (mark(fields, t.field, seen, err) < 0 || bind_value(&t, item, err) < 0)
			return -1;
	}
	return prefix[0] ? missing(b->op, fields, dotted, *seen, err) : 0;
}

int bind_object(struct bind *b, const struct json *object, struct err *err)
{
	return bind_fields(b, b->op->params, b->params, object, "", &b->seen, err);
}

static int bind_text_number(const struct target *t, struct str value, struct err *err)
{
	struct json_error problem;
	struct json *number;
	bool bare = value.len > 0 && !strchr(" \t\r\n", value.p[0]) && !strchr(" \t\r\n", value.p[value.len - 1]);
	char *copy = arena_strndup(t->bind->arena, value.p, value.len);

	if (!copy)
		return no_memory(err);
	if (!bare || json_parse(t->bind->arena, copy, value.len, &number, &problem) < 0 || number->type != JSON_NUMBER)
		return err_set(err, ERR_ARGS_INVALID, "parameter '%s' must be a%s, not '%.*s'", t->name,
			t->field->type == FIELD_INTEGER ? "n integer" : " number", (int)MIN(value.len, 40), value.p);
	return bind_value(t, number, err);
}

static int bind_text_boolean(const struct target *t, struct str value, struct err *err)
{
	static const struct {
		const char *word;
		bool value;
	} words[] = {
		{ "true", true },
		{ "yes", true },
		{ "1", true },
		{ "false", false },
		{ "no", false },
		{ "0", false },
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (str_is(value, words[i].word)) {
			store_boolean(t, words[i].value);
			return 0;
		}
	}
	return err_set(err, ERR_ARGS_INVALID, "parameter '%s' must be true or false, not '%.*s'", t->name,
		(int)MIN(value.len, 40), value.p);
}

/* A list of strings in a query is separated by commas. */
static int bind_text_list(const struct target *t, struct str value, struct err *err)
{
	struct list *list = member(t);
	const char **items;
	size_t count = 1, i = 0;

	if (t->field->item_type != FIELD_STRING)
		return err_set(err, ERR_ARGS_INVALID, "parameter '%s' cannot be given in a query", t->name);
	for (size_t k = 0; k < value.len; k++)
		count += value.p[k] == ',';
	items = arena_array(t->bind->arena, const char *, count);
	if (!items)
		return no_memory(err);
	while (i < count) {
		if (copy_text(t, str_trim(str_cut(&value, ',')), &items[i++], err) < 0)
			return -1;
	}
	*list = (struct list){ items, count };
	return 0;
}

int bind_text(struct bind *b, struct str name, struct str value, struct err *err)
{
	struct target t = { .bind = b, .base = b->params };

	t.field = find_row(b->op->params, name, &t.base64);
	if (!t.field)
		return unknown(b->op, b->op->params, name, "", err);
	t.name = t.field->name;
	if (mark(b->op->params, t.field, &b->seen, err) < 0)
		return -1;
	switch (t.field->type) {
	case FIELD_INTEGER:
	case FIELD_NUMBER:
		return bind_text_number(&t, value, err);
	case FIELD_BOOLEAN:
		return bind_text_boolean(&t, value, err);
	case FIELD_ARRAY:
		return bind_text_list(&t, value, err);
	case FIELD_OBJECT:
	case FIELD_MAP:
	case FIELD_ANY:
		return err_set(err, ERR_ARGS_INVALID, "parameter '%s' cannot be given in a query", t.name);
	default:
		return store_scalar_text(&t, value, err);
	}
}

static int check_one_of(const struct bind *b, const struct one_of *group, struct err *err)
{
	char names[160] = "";
	unsigned given = 0;
	size_t len = 0;

	for (size_t i = 0; group->names[i]; i++) {
		const struct field *field = field_find(b->op->params, str_of(group->names[i]));

		given += (b->seen >> (field - b->op->params)) & 1;
		len += (size_t)snprintf(names + len, sizeof names - len, "%s'%s'", i ? ", " : "", group->names[i]);
	}
	if (given > 1)
		return err_set(err, ERR_ARGS_INVALID, "%s takes only one of %s", b->op->id, names);
	if (given == 0 && !group->optional)
		return err_set(err, ERR_ARGS_MISSING, "%s needs one of %s", b->op->id, names);
	return 0;
}

int bind_end(struct bind *b, struct err *err)
{
	for (const struct one_of *group = b->op->one_of; group && group->names[0]; group++) {
		if (check_one_of(b, group, err) < 0)
			return -1;
	}
	return missing(b->op, b->op->params, "", b->seen, err);
}
