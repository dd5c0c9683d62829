/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments into an op's params struct, by its rows: JSON members, query pairs, parts of the
 * route.  Unknown names, wrong types, values out of range, doubles and missing ones are
 * refused with the parameter's name.  Paths are only taken over here; policy resolves them.
 *
 * Every path parameter has a twin NAME_b64 with the exact bytes in base64 (R43).
 */
#pragma once

#include "base/err.h"
#include "catalog/op.h"

enum { BIND_PARAMS_MAX = 64 };

struct bind {
	struct arena *arena;
	const struct op *op;
	char *params;
	uint64_t seen; /* a bit per row */
};

/* Fills in the defaults. params is zeroed and params_size large; it may be NULL for an op without any. */
void bind_begin(struct bind *b, struct arena *arena, const struct op *op, void *params);

/* From a query or a route, as text.  The bytes must live as long as the arena. */
int bind_text(struct bind *b, struct str name, struct str value, struct err *err) MUST_CHECK;

/* All members of an object. */
int bind_object(struct bind *b, const struct json *object, struct err *err) MUST_CHECK;

/* Whether all that is needed is there. */
int bind_end(struct bind *b, struct err *err) MUST_CHECK;
