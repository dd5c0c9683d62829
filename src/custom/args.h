/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arguments that a command takes: their schema, and whether a caller's object fits it.
 *
 * args_check() names all that is wrong at once.  An argument that is neither required nor has a
 * default may be left out or null.  Everything is in memory of the schema's owner.
 */
#pragma once

#include "base/err.h"
#include "base/json_write.h"

enum arg_type { ARG_STRING, ARG_INTEGER, ARG_FLOAT, ARG_BOOLEAN, ARG_ARRAY, ARG_OBJECT, ARG_TYPES };

extern const char *const arg_types[]; /* their names, NULL at the end */

enum { ARGS_MAX = 64, ARG_NAME_MAX = 64 };

struct arg {
	const char *name, *description; /* description "" when there is none */
	enum arg_type type;
	bool required;
	const char *def_json; /* the default as JSON text; NULL none */
	const char *def_text; /* of a plain one also as it stands in a program's argument */
};

struct args {
	const struct arg *items;
	size_t count;
};

/* A letter or '_', then letters, digits and '_'. */
bool arg_name_valid(struct str name);
bool arg_is_plain(enum arg_type type); /* neither an array nor an object */
const struct arg *args_find(const struct args *args, struct str name);

/* Whether the value is of the type. */
bool arg_takes(enum arg_type type, const struct json *value);

/*
 * 0, or -1 with err, whose text names all that is missing, unknown or wrong, and whose details
 * list it: {"missing": [], "unknown": [], "invalid": []}.  what: "custom.grade".
 */
int args_check(struct arena *arena, const struct args *args, const char *what, const struct json *object,
	struct err *err) MUST_CHECK;

/* All of them as one object, defaults included. */
void args_write(struct json_writer *w, const struct args *args, const struct json *given);

/* A plain argument as text. */
struct str arg_text(const struct arg *arg, const struct json *given);
