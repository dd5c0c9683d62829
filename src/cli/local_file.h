/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A local file that is written whole or not at all: a temporary neighbour, renamed at the
 * end.  A symbolic link is followed and stays; a device or FIFO is written as it is.
 */
#pragma once

#include "cli/problem.h"

struct local_file {
	int fd;
	char *target, *temporary; /* temporary NULL: written directly */
};

/* mode: permission bits of a new file, before the umask; an existing one keeps its own. */
int local_file_open(struct local_file *ret_file, const char *path, unsigned mode, struct problem *p) MUST_CHECK;
int local_file_write(struct local_file *file, struct str bytes, struct problem *p) MUST_CHECK;
int local_file_commit(struct local_file *file, struct problem *p) MUST_CHECK;
void local_file_abandon(struct local_file *file); /* nothing after a commit */
#define AUTOLOCAL CLEANUP(local_file_abandon)
