/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request's body from a descriptor: a file with its length, or a pipe to its end, which
 * Ctrl-C can interrupt.
 */
#pragma once

#include "cli/http_client.h"
#include "cli/term.h"

struct upload_fd {
	struct upload upload;
	int fd;           /* stays the caller's */
	const char *name; /* for messages and the progress line */
	struct progress progress;
};

/* Looks at the descriptor; mode gets the permission bits of a file, or stays 0. */
int upload_fd_init(
	struct upload_fd *u, int fd, const char *name, bool quiet, unsigned *ret_mode, struct problem *p) MUST_CHECK;

/* All bytes of a descriptor into `to`, which bounds them. */
int upload_fd_read_all(int fd, const char *name, struct buf *to, struct problem *p) MUST_CHECK;
