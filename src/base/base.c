/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *mem_alloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		abort();
	return p;
}

char *mem_strdup(const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		abort();
	return copy;
}

int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

void close_fd(int fd)
{
	int saved = errno;

	if (fd >= 0)
		close(fd);
	errno = saved;
}

void cleanup_free(void *p)
{
	free(*(void **)p);
}

void cleanup_close(int *fd)
{
	close_fd(*fd);
}
