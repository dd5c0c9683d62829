/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaches patch.c and diff.c.  The input is cut at its first NUL into a text and a patch.  What is
 * held: a fault tells why; and the diff from the text to the patch's bytes, applied, gives them.
 */
#include "ops/files/diff.h"
#include "ops/files/patch.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_round(struct str a, struct str b)
{
	struct buf patch, out;
	struct patch_fault fault;
	size_t hunks;

	buf_init(&patch, 1 << 20);
	buf_init(&out, 1 << 20);
	assert(diff_unified(&patch, STR("f"), a, b) == 0);
	if (patch.len && !buf_failed(&patch)) {
		assert(patch_apply(&out, a, buf_str(&patch), &fault, &hunks) == 0);
		assert(str_eq(buf_str(&out), b));
	}
	buf_free(&patch);
	buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str patch = { (const char *)data, MIN(size, (size_t)16384) };
	struct str text = str_cut(&patch, '\0');
	struct patch_fault fault = { 0 };
	struct buf out;
	size_t hunks;

	buf_init(&out, 1 << 20);
	if (patch_apply(&out, text, patch, &fault, &hunks) < 0)
		assert(fault.why);
	buf_free(&out);
	check_round(text, patch);
	return 0;
}
