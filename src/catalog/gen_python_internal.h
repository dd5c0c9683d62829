/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the Python generator share. */
#pragma once

#include "catalog/gen_python.h"
#include "catalog/op.h"

/* A name that is a keyword of Python gets an underscore behind it. */
const char *python_name(const char *name, char ret_name[static 64]);

/* Text for the inside of a docstring. */
void python_doc(struct buf *out, const char *text);

/* Named objects, results, events. */
void gen_python_models(struct buf *out, enum python_style style);

/* The method of an op and its twin that waits. */
void gen_python_method(struct buf *out, const struct op *op);
