/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaches yaml_tree.c, row.c, row_values.c, row_kinds.c, policy_file.c: any text is either
 * taken or refused with a place in it, and every rule of what was taken can be looked up.
 */
#include "policy/policy_file.h"
#include "policy/row.h"

#include "../unit/some_ops.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { 0 };
	struct config *config = policy_file_parse("p", (struct str){ (const char *)data, size }, &err);

	if (!config) {
		assert(err.code == ERR_ARGS_INVALID && strncmp(err.text, "p:", 2) == 0);
		return 0;
	}
	for (const struct row *row = row_file; row->key; row++)
		policy_file_line(config, row->key);
	policy_file_line(config, "policy:tokens.a.paths.deny[0]");
	policy_file_free(config);
	return 0;
}
