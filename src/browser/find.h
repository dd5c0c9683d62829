/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the browser is, and what the machine asks of its start.  Touches the disk: for workers.
 */
#pragma once

#include "base/err.h"

enum { FIND_PATH_SIZE = 4096 };

/*
 * given: the policy's browser.path, a path or a name; empty: one of the usual names.  path_list: PATH
 * of children.  0, or -1 with ERR_RUNTIME_UNAVAILABLE.
 */
int find_browser(
	const char *given, const char *path_list, char ret_path[static FIND_PATH_SIZE], struct err *err) MUST_CHECK;

/* Whether /dev/shm is too small for what pages share with the browser, or cannot be written. */
bool find_shm_is_small(void);
