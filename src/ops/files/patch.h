/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A unified diff of one file, applied strictly: each hunk stands at its line, and every line of
 * context and every line taken away is exactly the text's.  Lines of a head in front of the
 * first hunk are not looked at, but for a second file's.
 */
#pragma once

#include "base/buf.h"

struct patch_fault {
	size_t patch_line; /* of the patch, from 1 */
	size_t hunk;       /* from 1 */
	size_t text_line;  /* of the text, from 1; 0 when it is not about one */
	const char *why;
};

/* 0, or with *ret_fault: -EINVAL, it is no such diff; -ENOENT, it does not fit.  Ask buf_failed(out) too. */
int patch_apply(struct buf *out, struct str text, struct str patch, struct patch_fault *ret_fault,
	size_t *ret_hunks) MUST_CHECK;
