/* SPDX-License-Identifier: Apache-2.0 */
#include "custom/description.h"

#include "custom/manifest.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { TIMEOUT_MAX = 24 * 3600, DEFAULT_MAX = 64 * 1024 };

struct reader {
	struct description *d;
	char *problem;
};

static int PRINTF_LIKE(2, 3) fail(struct reader *r, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(r->problem, DESCRIPTION_PROBLEM_SIZE, fmt, args);
	va_end(args);
	return -1;
}

static bool is_absent(const struct json *value)
{
	return !value || value->type == JSON_NULL;
}

/* A text, "" when absent. */
static int take_text(struct reader *r, const struct json *object, const char *key, const char **ret_text)
{
	const struct json *value = json_get(object, key);

	*ret_text = "";
	if (is_absent(value))
		return 0;
	if (value->type != JSON_STRING || str_has(value->text, '\0'))
		return fail(r, "'%s' must be a text without NUL", key);
	*ret_text = hold_text(&r->d->hold, value->text);
	return 0;
}

static int take_bool(struct reader *r, const struct json *object, const char *key, bool *ret_value)
{
	const struct json *value = json_get(object, key);

	if (is_absent(value))
		return 0;
	if (value->type != JSON_BOOL)
		return fail(r, "'%s' must be true or false", key);
	*ret_value = value->boolean;
	return 0;
}

static int take_type(struct reader *r, const struct json *object, struct arg *arg)
{
	const char *type;

	if (take_text(r, object, "type", &type) < 0)
		return -1;
	if (!type[0])
		type = arg_types[ARG_STRING];
	for (size_t i = 0; arg_types[i]; i++) {
		if (strcmp(arg_types[i], type) == 0) {
			arg->type = (enum arg_type)i;
			return 0;
		}
	}
	return fail(r, "there is no type '%.40s' of arguments", type);
}

static int take_default(struct reader *r, const struct json *object, struct arg *arg)
{
	const struct json *value = json_get(object, "default");
	AUTOBUF struct buf text;
	struct json_writer w;

	buf_init(&text, DEFAULT_MAX);
	if (is_absent(value))
		return 0;
	if (!arg_takes(arg->type, value))
		return fail(r, "the default of '%.40s' is not of type %s", arg->name, arg_types[arg->type]);
	json_write_init(&w, &text);
	json_tree(&w, value, false);
	if (buf_failed(&text))
		return fail(r, "the default of '%.40s' is longer than %d bytes", arg->name, DEFAULT_MAX);
	arg->def_json = hold_text(&r->d->hold, buf_str(&text));
	return 0;
}

static int take_arg(struct reader *r, const struct json *object, struct arg *arg)
{
	if (take_text(r, object, "name", &arg->name) < 0 || take_text(r, object, "description", &arg->description) < 0)
		return -1;
	if (!arg_name_valid(str_of(arg->name)))
		return fail(r, "'%.40s' is not a name for an argument", arg->name);
	arg->required = !json_get(object, "default");
	if (take_type(r, object, arg) < 0 || take_bool(r, object, "required", &arg->required) < 0 ||
		take_default(r, object, arg) < 0)
		return -1;
	return arg->required && arg->def_json ? fail(r, "'%.40s' is required and has a default", arg->name) : 0;
}

static int take_args(struct reader *r, const struct json *list, struct args *args)
{
	struct arg *items;

	if (is_absent(list))
		return 0;
	if (list->type != JSON_ARRAY || list->count > ARGS_MAX)
		return fail(r, "'args' must be a list of at most %d arguments", ARGS_MAX);
	items = hold_array(&r->d->hold, struct arg, list->count + 1);
	*args = (struct args){ items, 0 };
	for (const struct json *object = list->first; object; object = object->next) {
		struct arg arg = { .required = true };

		if (take_arg(r, object, &arg) < 0)
			return -1;
		if (args_find(args, str_of(arg.name)))
			return fail(r, "two arguments are called '%.40s'", arg.name);
		items[args->count++] = arg;
	}
	return 0;
}

static int take_command(struct reader *r, const struct json *object, struct described *c)
{
	const struct json *timeout = json_get(object, "timeout");

	*c = (struct described){ .timeout = -1 };
	if (take_text(r, object, "name", &c->name) < 0)
		return -1;
	if (!command_name_valid(c->name))
		return fail(r, "'%.40s' is not a name for a command", c->name);
	if (take_text(r, object, "description", &c->description) < 0 || take_bool(r, object, "hidden", &c->hidden) < 0)
		return -1;
	if (!is_absent(timeout)) {
		if (timeout->type != JSON_NUMBER || !isfinite(timeout->number) || timeout->number < 0 ||
			timeout->number > TIMEOUT_MAX)
			return fail(r, "'timeout' must be from 0 to %d seconds", TIMEOUT_MAX);
		c->timeout = timeout->number;
	}
	return take_args(r, json_get(object, "args"), &c->args);
}

static int take_commands(struct reader *r, const struct json *list)
{
	struct description *d = r->d;

	if (!list || list->type != JSON_ARRAY || list->count > DESCRIPTION_MAX)
		return fail(r, "it has no 'commands', a list of at most %d", DESCRIPTION_MAX);
	d->items = hold_array(&d->hold, struct described, list->count + 1);
	for (const struct json *object = list->first; object; object = object->next) {
		struct described *c = &d->items[d->count];

		if (take_command(r, object, c) < 0)
			return -1;
		for (size_t i = 0; i < d->count; i++) {
			if (strcmp(d->items[i].name, c->name) == 0)
				return fail(r, "two commands are called '%s'", c->name);
		}
		d->count++;
	}
	return 0;
}

struct description *description_parse(const struct json *result, char ret_problem[static DESCRIPTION_PROBLEM_SIZE])
{
	struct reader r = { mem_new(struct description), ret_problem };

	r.d->refs = 1;
	if (take_commands(&r, json_get(result, "commands")) == 0)
		return r.d;
	description_unref(r.d);
	return NULL;
}

struct description *description_ref(struct description *d)
{
	d->refs++;
	return d;
}

void description_unref(struct description *d)
{
	if (!d || --d->refs > 0)
		return;
	hold_free(&d->hold);
	free(d);
}
