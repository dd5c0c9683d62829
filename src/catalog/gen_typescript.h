/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The generated part of the TypeScript client: types of parameters, results and events, the
 * catalog and the table of errors as constants, and a class for each node of the tree.
 */
#pragma once

#include "base/buf.h"

void gen_typescript(struct buf *out);
