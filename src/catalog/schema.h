/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON Schema (2020-12, the dialect of OpenAPI 3.1) out of rows.
 *
 * A named object is a reference to a component; schema_named() finds them all.  What the server
 * takes is closed (an unknown member is an error), what it writes is open: a newer server may
 * write more.
 */
#pragma once

#include "base/json_write.h"
#include "catalog/op.h"

enum { SCHEMA_NAME_SIZE = 128 };

/* "#/components/schemas/" and the name. */
void schema_ref(struct json_writer *w, const char *name);

/* One row: a parameter (with default and range, strings not empty) or a member of an answer. */
void schema_field(struct json_writer *w, const struct field *field, bool is_param);

/* The object of these rows. */
void schema_object(struct json_writer *w, const struct field *fields, bool is_param);

/* The body of an op's JSON binding: all parameters that do not stand in its route, with their twins. */
void schema_params(struct json_writer *w, const struct op *op);

/* "FilesListResult": the op's id in camel case and a suffix, as the clients call it too. */
void schema_name(const struct op *op, const char *suffix, char ret_name[static SCHEMA_NAME_SIZE]);
void schema_event_name(const struct op *op, const struct event *event, char ret_name[static SCHEMA_NAME_SIZE]);

/* Calls seen() for every row with a named object, inner ones first; the same name may come again. */
void schema_named(const struct field *fields, bool is_param,
	void (*seen)(const struct field *field, bool is_param, void *user), void *user);
