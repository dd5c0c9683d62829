/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The generated half of the Python client: models of results and events, the catalog as the
 * runtime needs it, the tree of ops, and a class for each of its nodes with a method for each op.
 * The other half, around it in clients/python, is written by hand.
 */
#pragma once

#include "base/buf.h"

/* How results are typed. */
enum python_style { PYTHON_PYDANTIC, PYTHON_TYPEDDICT };

void gen_python(struct buf *out, enum python_style style);
