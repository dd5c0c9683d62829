/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reference of the docs, out of the rows: docs/reference.md and a page for each group in
 * docs/reference/.  All print to standard output.
 */
#pragma once

#include "catalog/op.h"

void markdown_index(void);
void markdown_group(const char *group);
void markdown_op(const struct op *op);

/* In the order of the manual. */
void markdown_each_group(void (*put)(const char *group));
