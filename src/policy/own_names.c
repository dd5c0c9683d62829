/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/own_names.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Without links in the folder; as it is where there is no such folder. */
static char *with_real_folder(const char *path)
{
	AUTOFREE char *folder = mem_strdup(path);
	char real[PATH_MAX], *slash = strrchr(folder, '/');
	const char *name = slash ? path + (slash - folder) + 1 : path;
	char *joined = NULL;

	if (slash)
		*slash = '\0';
	if (!realpath(slash ? (folder[0] ? folder : "/") : ".", real))
		return mem_strdup(path);
	if (asprintf(&joined, "%s/%s", strcmp(real, "/") == 0 ? "" : real, name) < 0)
		abort();
	return joined;
}

/* Where a link leads, seen from its own folder; NULL when it is none. */
static char *target_of(const char *link)
{
	char target[PATH_MAX];
	ssize_t len = readlink(link, target, sizeof target - 1);
	int folder = (int)(strrchr(link, '/') ? strrchr(link, '/') - link + 1 : 0);
	char *joined = NULL;

	if (len <= 0)
		return NULL;
	target[len] = '\0';
	if (asprintf(&joined, "%.*s%s", target[0] == '/' ? 0 : folder, link, target) < 0)
		abort();
	return joined;
}

size_t own_names(const char *path, char *ret_names[static OWN_NAMES_MAX])
{
	char *next = mem_strdup(path), real[PATH_MAX];
	size_t count = 0;

	while (next && count < OWN_NAMES_MAX - 1) {
		ret_names[count] = with_real_folder(next);
		free(next);
		next = target_of(ret_names[count++]);
	}
	/* Of a long chain the end at least; and that of one which ends in "..". */
	free(next);
	if (realpath(path, real) && strcmp(real, ret_names[count - 1]) != 0)
		ret_names[count++] = mem_strdup(real);
	return count;
}
