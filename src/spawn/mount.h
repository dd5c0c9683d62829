/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where in the file system our own cgroup is, v2 or a controller of v1.
 */
#pragma once

#include "base/base.h"

enum { MOUNT_PATH_SIZE = 4096 };

/*
 * The folder of our cgroup from the texts of /proc/self/mountinfo and /proc/self/cgroup.
 * controller NULL: v2.  0, or -ENOENT when there is none that can be seen from here.
 */
int mount_cgroup(const char *mountinfo, const char *cgroups, const char *controller,
	char ret_path[static MOUNT_PATH_SIZE]) MUST_CHECK;
