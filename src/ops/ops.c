/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/op.h"

#define OP(symbol) extern const struct op symbol;
#include "ops/ops.def"
#undef OP

const struct op *const ops_all[] = {
#define OP(symbol) &symbol,
#include "ops/ops.def"
#undef OP
	NULL
};
