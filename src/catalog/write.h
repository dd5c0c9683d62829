/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A struct out as JSON, by its rows.
 */
#pragma once

#include "base/rope.h"
#include "catalog/field.h"

/* As one object.  Large texts and bytes are only referred to by the rope. */
void write_rope(struct rope *rope, const struct field *fields, const void *from);

/* As one object, all of it now. */
void write_json(struct json_writer *w, const struct field *fields, const void *from);
