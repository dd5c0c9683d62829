/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strict JSON (RFC 8259) into a tree.
 *
 * Refused besides what the RFC refuses: duplicate keys, depth over 64, invalid UTF-8
 * (overlong forms and surrogates included), lone surrogates in escapes, a byte order
 * mark, anything behind the value.  The text is parsed in place: strings without an
 * escape point into it, others are unescaped in it, so it must live as long as the tree
 * and is changed.  Nodes come from the arena, whose limit bounds them.  No recursion
 * deeper than the depth limit; time is linear (duplicate keys by hashing).
 */
#pragma once

#include "base/arena.h"

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

enum { JSON_DEPTH_MAX = 64 };

struct json {
	enum json_type type;
	bool boolean;
	bool is_integer; /* a number without fraction or exponent that fits int64_t */
	int64_t integer;
	double number;      /* may be infinite where the text says 1e400 */
	struct str text;    /* JSON_STRING: unescaped UTF-8, may hold NUL; JSON_NUMBER: as written */
	struct str key;     /* the member's name, when the parent is an object */
	struct json *first; /* of an array or object */
	struct json *next;  /* sibling */
	size_t count;       /* elements or members */
};

struct json_error {
	size_t line, column; /* from 1; the column counts bytes */
	const char *reason;  /* lower case, no full stop; a constant */
	bool is_json;        /* to the grammar it is, this far: what we do not take is refused */
};

/* 0, -EINVAL with *ret_error filled in, or -ENOMEM at the arena's limit (also filled in). */
int json_parse(
	struct arena *arena, char *text, size_t len, struct json **ret_value, struct json_error *ret_error) MUST_CHECK;

const struct json *json_get(const struct json *object, const char *key); /* NULL when absent or not an object */

const char *json_type_name(enum json_type type); /* "null", "boolean", "number", "string", "array", "object" */
