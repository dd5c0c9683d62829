/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaches custom/manifest.c, template.c and args.c: any text is either taken or refused with a
 * place in it, and every element of what was taken can be filled in.
 */
#include "custom/manifest.h"

#include "../unit/some_ops.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct json nothing = { .type = JSON_OBJECT };
	AUTOBUF struct buf text = { .limit = SIZE_MAX / 2 };
	struct err err = { 0 };
	struct manifest *m = manifest_parse("m", (struct str){ (const char *)data, size }, NULL, &err);
	const struct template *templates = m ? m->run.items : NULL;

	if (!m) {
		assert(err.code == ERR_ARGS_INVALID && strncmp(err.text, "m:", 2) == 0);
		return 0;
	}
	assert(!m->worker != !m->run.count);
	for (size_t i = 0; i < m->run.count; i++)
		template_fill(&templates[i], &m->args, &nothing, &text);
	manifest_unref(m);
	return 0;
}
