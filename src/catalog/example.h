/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The example of an op (op.h) as its four callers would write it.
 *
 * In front of them stand the lines of example_setup: the variables that they use.  They work in the
 * folder that example_demo makes.  Where an example needs something first, the call that makes it is
 * a part of it.
 */
#pragma once

#include "base/json_write.h"
#include "catalog/op.h"

enum example_form { EXAMPLE_CURL, EXAMPLE_ABX, EXAMPLE_PYTHON, EXAMPLE_TYPESCRIPT, EXAMPLE_FORMS };

extern const char example_demo[];                       /* for a shell, with abx */
extern const char *const example_setup[EXAMPLE_FORMS];  /* "" for abx */
extern const char *const example_fences[EXAMPLE_FORMS]; /* the language as Markdown names it */

void example_write(struct buf *out, const struct op *op, enum example_form form);

/* The arguments of the example; the caller's arena holds them.  Asserts that they are an object of JSON. */
const struct json *example_args(struct arena *arena, const struct op *op);
const struct json *example_args_of(struct arena *arena, const char *args);

/* The op whose example comes first, with the arguments that it has here; false when there is none. */
bool example_first(const struct op *op, struct op *ret_first);
