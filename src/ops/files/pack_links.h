/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that have several names, by inode: which name came first.  Memory is the budget's; where that
 * ends nothing more is remembered, and such a file is then there twice.
 */
#pragma once

#include "base/buf.h"

#include <sys/stat.h>

struct pack_links {
	struct buf names; /* each with its NUL */
	struct buf slots; /* the table */
	size_t count, cap;
};

void pack_links_init(struct pack_links *l);
void pack_links_done(struct pack_links *l);

/* The name that was given for this file before; else NULL, and this one is remembered. */
const char *pack_links_name(struct pack_links *l, const struct stat *st, const char *name);
