/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server needs more descriptors than a shell; its children get what the server was
 * started with (R55).
 */
#pragma once

#include <sys/resource.h>

void limits_raise_nofile(void);         /* the soft limit up to the hard one */
struct rlimit limits_of_children(void); /* RLIMIT_NOFILE as it was before */
