/* SPDX-License-Identifier: Apache-2.0 */
#include "spawn/network.h"

#include "loop/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>

/* A thread of its own moves to the new namespace and ends; what is left of it is the descriptor. */
static void *make_namespace(void *arg)
{
	int fd;

	(void)arg;
	if (unshare(CLONE_NEWNET) < 0)
		return (void *)(intptr_t)-errno;
	fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	return (void *)(intptr_t)(fd < 0 ? -errno : fd);
}

int network_none_fd(void)
{
	static int fd = -EINPROGRESS;
	sigset_t before;
	pthread_t thread;
	void *result;
	int status;

	if (fd != -EINPROGRESS)
		return fd;
	signal_hold_all(&before);
	status = pthread_create(&thread, NULL, make_namespace, NULL);
	signal_let_go(&before);
	if (status != 0)
		return -status;
	pthread_join(thread, &result);
	fd = (int)(intptr_t)result;
	return fd;
}
