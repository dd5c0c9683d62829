/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that write examples share. */
#pragma once

#include "catalog/example.h"

/* With the call that comes first; lines, each ended. */
void example_curl(struct buf *out, const struct op *op);
void example_abx(struct buf *out, const struct op *op);
void example_python(struct buf *out, const struct op *op);
void example_typescript(struct buf *out, const struct op *op);
