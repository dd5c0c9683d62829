/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/gen_python.h"
void gen_python(struct buf *out)
{
	buf_adds(out, "\n");
}
