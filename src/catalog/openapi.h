/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenAPI 3.1 of the ops, made from their rows: what GET /openapi.json, `gen-client --lang openapi`
 * and catalog/openapi.json hold.
 *
 * An operationId is an op's id; the second path of an op has the name of its placeholder behind
 * it.  Bodies, results, events and named objects are components.  What OpenAPI has no words for
 * stands in x-abx-… members: scope, group, kind, limits, the events of a stream.
 */
#pragma once

#include "base/json_write.h"
#include "catalog/op.h"

/* Which ops to show: those that wanted() takes. */
struct openapi {
	const struct op *const *ops;                     /* out of these, NULL at the end */
	bool (*wanted)(const struct op *op, void *user); /* NULL: all */
	void *user;
};

/* The members of the document, each a value of its own; "openapi" itself is OPENAPI_VERSION. */
#define OPENAPI_VERSION "3.1.0"
void openapi_info(struct json_writer *w);
void openapi_servers(struct json_writer *w);
void openapi_security(struct json_writer *w);
void openapi_tags(struct json_writer *w, const struct openapi *api);
void openapi_paths(struct json_writer *w, const struct openapi *api);
void openapi_components(struct json_writer *w, const struct openapi *api);

/* All of it. */
void openapi_document(struct json_writer *w, const struct openapi *api);
