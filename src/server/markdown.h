/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reference of the docs, out of the rows: docs/reference.md.
 */
#pragma once

#include "catalog/op.h"

/* To standard output; only one op, or all with the tables of limits and errors when NULL. */
void markdown_print(const struct op *only);
