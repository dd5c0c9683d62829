/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/rename.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Without RENAME_NOREPLACE: a name that is made by us cannot be somebody else's. */
static int rename_new(int from_fd, const char *name, const struct place *to, bool is_folder)
{
	if (is_folder) {
		if (mkdirat(to->parent_fd, to->name, 0700) < 0)
			return -errno;
		if (renameat(from_fd, name, to->parent_fd, to->name) == 0)
			return 0;
		unlinkat(to->parent_fd, to->name, AT_REMOVEDIR);
		return -errno;
	}
	if (linkat(from_fd, name, to->parent_fd, to->name, 0) < 0)
		return -errno;
	return unlinkat(from_fd, name, 0) < 0 ? -errno : 0;
}

int rename_entry(int from_fd, const char *name, const struct place *to, bool overwrite, bool is_folder)
{
	if (overwrite)
		return renameat(from_fd, name, to->parent_fd, to->name) < 0 ? -errno : 0;
	if (renameat2(from_fd, name, to->parent_fd, to->name, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	return rename_new(from_fd, name, to, is_folder);
}
