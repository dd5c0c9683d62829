/* SPDX-License-Identifier: Apache-2.0 */
/* The part of openapi.h that is about one op at one of its paths. */
#pragma once

#include "base/json_write.h"
#include "catalog/op.h"

/* The member "get", "post", … of a path's object. */
void openapi_operation(struct json_writer *w, const struct op *op, const char *path);

/* The same for POST /ops/{id}, which reaches every op. */
void openapi_uniform(struct json_writer *w);

/* The errors that any op may give, as components by status ("Status404"). */
void openapi_responses(struct json_writer *w);

/* Whether an op takes parameters in a JSON body. */
bool openapi_has_body(const struct op *op);
