/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Landlock rulesets: what files a child may reach, whom it may signal.
 *
 * The rights are those of the kernel's documentation (userspace-api/landlock); what a kernel
 * does not know is left out, and landlock_abi() says how much it knows:
 * 1 files, 2 moves between folders, 3 truncation, 4 TCP, 5 device ioctls, 6 signals and
 * abstract sockets.
 */
#pragma once

#include "base/base.h"

enum { LANDLOCK_ABI_FILES = 1, LANDLOCK_ABI_TRUNCATE = 3, LANDLOCK_ABI_TCP = 4, LANDLOCK_ABI_SCOPES = 6 };

enum landlock_access {
	LANDLOCK_MAY_READ = 1, /* files and folders */
	LANDLOCK_MAY_EXECUTE = 2,
	LANDLOCK_MAY_WRITE = 4,  /* change, make, move and remove */
	LANDLOCK_MAY_DEVICE = 8, /* read, write and control a device node */
};

/* 0 where the kernel has none or it is switched off. */
int landlock_abi(void);

/* A new ruleset, close-on-exec, which allows nothing yet; or a negative errno. */
int landlock_new(bool deny_tcp) MUST_CHECK;

/* Allows a file, or a folder and all below it.  path_fd: O_PATH will do.  0 or a negative errno. */
int landlock_allow(int ruleset_fd, int path_fd, unsigned access) MUST_CHECK;
