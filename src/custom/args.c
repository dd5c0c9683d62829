/* SPDX-License-Identifier: Apache-2.0 */
#include "custom/args.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { SHOWN_MAX = 32, DETAILS_MAX = 16 * 1024 };

/* JSON's integers are exact up to here for every reader (R75). */
#define INTEGER_MAX ((INT64_C(1) << 53) - 1)

const char *const arg_types[] = { [ARG_STRING] = "string",
	[ARG_INTEGER] = "integer",
	[ARG_FLOAT] = "float",
	[ARG_BOOLEAN] = "boolean",
	[ARG_ARRAY] = "array",
	[ARG_OBJECT] = "object",
	[ARG_TYPES] = NULL };

bool arg_name_valid(struct str name)
{
	if (name.len == 0 || name.len > ARG_NAME_MAX || isdigit((unsigned char)name.p[0]))
		return false;
	for (size_t i = 0; i < name.len; i++) {
		if (!isalnum((unsigned char)name.p[i]) && name.p[i] != '_')
			return false;
	}
	return true;
}

bool arg_is_plain(enum arg_type type)
{
	return type != ARG_ARRAY && type != ARG_OBJECT;
}

const struct arg *args_find(const struct args *args, struct str name)
{
	for (size_t i = 0; i < args->count; i++) {
		if (str_is(name, args->items[i].name))
			return &args->items[i];
	}
	return NULL;
}

bool arg_takes(enum arg_type type, const struct json *value)
{
	static const enum json_type wanted[] = { [ARG_STRING] = JSON_STRING,
		[ARG_INTEGER] = JSON_NUMBER,
		[ARG_FLOAT] = JSON_NUMBER,
		[ARG_BOOLEAN] = JSON_BOOL,
		[ARG_ARRAY] = JSON_ARRAY,
		[ARG_OBJECT] = JSON_OBJECT };

	if (value->type != wanted[type])
		return false;
	if (type == ARG_INTEGER)
		return value->is_integer && value->integer >= -INTEGER_MAX && value->integer <= INTEGER_MAX;
	return type != ARG_FLOAT || isfinite(value->number);
}

/* What is wrong, in words and for programs. */
struct faults {
	const struct args *args;
	const struct json *given;
	struct buf text;
	struct json_writer w;
	size_t missing, unknown, invalid;
};

static bool is_left_out(const struct arg *arg, const struct json *value)
{
	return !value || (value->type == JSON_NULL && !arg->required && !arg->def_json);
}

static void say(struct faults *f, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void say(struct faults *f, const char *fmt, ...)
{
	char text[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	buf_addf(&f->text, "%s%s", f->text.len ? "; " : "", text);
}

static void find_missing(struct faults *f)
{
	for (size_t i = 0; i < f->args->count; i++) {
		const struct arg *arg = &f->args->items[i];

		if (!arg->required || json_get(f->given, arg->name))
			continue;
		f->missing++;
		say(f, "'%s' is missing", arg->name);
		json_string(&f->w, arg->name);
	}
}

static const char *nearest(const struct args *args, struct str name)
{
	const char *names[ARGS_MAX + 1] = { NULL };

	for (size_t i = 0; i < args->count && i < ARGS_MAX; i++)
		names[i] = args->items[i].name;
	return str_nearest(name, names);
}

static void find_unknown(struct faults *f)
{
	for (const struct json *item = f->given->first; item; item = item->next) {
		struct str shown = { item->key.p, MIN(item->key.len, (size_t)ARG_NAME_MAX) };
		const char *near;

		if (args_find(f->args, item->key) || ++f->unknown > SHOWN_MAX)
			continue;
		near = nearest(f->args, item->key);
		say(f, "there is no '" STR_FMT "'%s%s%s", STR_ARG(shown), near ? ", did you mean '" : "",
			near ? near : "", near ? "'?" : "");
		json_text(&f->w, shown);
	}
}

static void find_invalid(struct faults *f)
{
	for (size_t i = 0; i < f->args->count; i++) {
		const struct arg *arg = &f->args->items[i];
		const struct json *value = json_get(f->given, arg->name);
		const char *type = arg_types[arg->type];

		if (is_left_out(arg, value) || arg_takes(arg->type, value))
			continue;
		f->invalid++;
		json_string(&f->w, arg->name);
		if (value->type == JSON_NUMBER)
			say(f, "'%s' must be %s %s, not " STR_FMT, arg->name, strchr("aio", type[0]) ? "an" : "a", type,
				(int)MIN(value->text.len, 40), value->text.p);
		else
			say(f, "'%s' must be %s %s, not %s", arg->name, strchr("aio", type[0]) ? "an" : "a", type,
				json_type_name(value->type));
	}
}

static void list(struct faults *f, const char *key, void (*find)(struct faults *f))
{
	json_key(&f->w, key);
	json_array_begin(&f->w);
	find(f);
	json_array_end(&f->w);
}

int args_check(
	struct arena *arena, const struct args *args, const char *what, const struct json *object, struct err *err)
{
	struct faults f = { .args = args, .given = object };
	AUTOBUF struct buf details;

	buf_init(&details, DETAILS_MAX);
	/* No schema has so many; each of them is not worth a look. */
	if (object->count > ARGS_MAX + SHOWN_MAX)
		return err_set(err, ERR_ARGS_UNKNOWN, "%s takes at most %zu arguments, not %zu", what, args->count,
			object->count);
	buf_init(&f.text, DETAILS_MAX);
	json_write_init(&f.w, &details);
	json_object_begin(&f.w);
	list(&f, "missing", find_missing);
	list(&f, "unknown", find_unknown);
	list(&f, "invalid", find_invalid);
	json_object_end(&f.w);
	if (f.missing + f.unknown + f.invalid > 0) {
		err_set(err,
			f.missing   ? ERR_ARGS_MISSING
			: f.unknown ? ERR_ARGS_UNKNOWN
				    : ERR_ARGS_INVALID,
			"%s", buf_failed(&f.text) ? "many arguments are wrong" : f.text.data);
		if (!buf_failed(&details))
			err->details = arena_strndup(arena, details.data, details.len);
	}
	buf_free(&f.text);
	return f.missing + f.unknown + f.invalid ? -1 : 0;
}

void args_write(struct json_writer *w, const struct args *args, const struct json *given)
{
	json_object_begin(w);
	for (size_t i = 0; i < args->count; i++) {
		const struct arg *arg = &args->items[i];
		const struct json *value = json_get(given, arg->name);

		if (!value && !arg->def_json)
			continue;
		json_key(w, arg->name);
		if (value)
			json_tree(w, value, false);
		else
			json_raw(w, str_of(arg->def_json));
	}
	json_object_end(w);
}

struct str arg_text(const struct arg *arg, const struct json *given)
{
	const struct json *value = json_get(given, arg->name);

	if (!value || value->type == JSON_NULL)
		return str_of(arg->def_text ? arg->def_text : "");
	if (value->type == JSON_BOOL)
		return value->boolean ? STR("true") : STR("false");
	return value->text;
}
