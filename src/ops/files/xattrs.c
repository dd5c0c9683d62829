/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/xattrs.h"

#include "base/base.h"

#include <limits.h>
#include <linux/limits.h>
#include <stdlib.h>
#include <sys/xattr.h>

static bool is_kept(const char *name)
{
	return strncmp(name, "user.", 5) == 0 || strcmp(name, "system.posix_acl_access") == 0 ||
	       strcmp(name, "system.posix_acl_default") == 0;
}

static void copy_one(int from_fd, int to_fd, const char *name, char *value)
{
	ssize_t len = fgetxattr(from_fd, name, value, XATTR_SIZE_MAX);

	if (len >= 0)
		(void)!fsetxattr(to_fd, name, value, (size_t)len, 0);
}

void xattrs_copy(int from_fd, int to_fd)
{
	AUTOFREE char *names = NULL, *value = NULL;
	ssize_t len = flistxattr(from_fd, NULL, 0);

	if (len <= 0)
		return;
	names = mem_alloc(XATTR_LIST_MAX);
	value = mem_alloc(XATTR_SIZE_MAX);
	len = flistxattr(from_fd, names, XATTR_LIST_MAX);
	for (const char *name = names; len > 0 && name < names + len; name += strlen(name) + 1) {
		if (is_kept(name))
			copy_one(from_fd, to_fd, name, value);
	}
}
