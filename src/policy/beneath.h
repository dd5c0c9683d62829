/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders opened below an open folder, following no symbolic link and no "..": by openat2
 * where the kernel has it, by one open for each part where it has not (old kernels, old
 * seccomp profiles, gVisor).  Which of the two is found out once and remembered.
 */
#pragma once

#include "base/base.h"

/* Opens one folder in another: an O_PATH descriptor; -ELOOP when the entry is a symbolic link. */
int beneath_step(int dir_fd, const char *name) MUST_CHECK;

/*
 * The same for parts separated by single slashes, none of which is "." or ".."; "" is the
 * folder itself.  -ELOOP when one of them is a symbolic link.
 */
int beneath_open(int dir_fd, const char *parts) MUST_CHECK;

/* For tests: false walks even where openat2 works. */
void beneath_use_openat2(bool use);
