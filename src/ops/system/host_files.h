/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The small text files in which a Linux system tells of itself, below a root that is "" for the
 * real ones and a folder in tests.  In workers.
 */
#pragma once

#include "base/base.h"

/* The whole text, terminated, to be freed; NULL when it cannot be read, is no plain file or over max bytes. */
char *host_read(const char *root, const char *path, size_t max);

/* An unsigned number alone in a file: 0, -EINVAL ("max" too), or what kept it from being read. */
int host_read_number(const char *root, const char *path, uint64_t *ret_value) MUST_CHECK;

/* The number behind a name: "MemTotal:  16 kB", "usage_usec 12".  false: no such line. */
bool host_find_number(const char *text, const char *name, uint64_t *ret_value);
