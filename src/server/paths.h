/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The step of a call that turns the paths among its arguments into places.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "catalog/op.h"

struct principal;

/* Whether there is a path to resolve: if not, no worker is needed for it. */
bool paths_given(const struct field *fields, const void *params);

/* Resolves every path of params, in a worker.  Also after a failure paths_close() is due. */
int paths_resolve(struct arena *arena, const struct principal *who, const struct field *fields, void *params,
	struct err *err) MUST_CHECK;
void paths_close(const struct field *fields, void *params);
