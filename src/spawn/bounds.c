/* SPDX-License-Identifier: Apache-2.0 */
#include "spawn/bounds.h"

#include "loop/loop.h"

#include <errno.h>
#include <linux/capability.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LAST_CAPABILITY = 63, STACK_SIZE = 256 * 1024 };

static bool given_up;

/* The thread that has the set still; 0: none.  A child by fork() has this number but not the thread. */
static pid_t keeper_of;
static sem_t asked, answered;
static struct {
	void (*fn)(void *arg);
	void *arg;
} task;

static void wait_on(sem_t *sem)
{
	while (sem_wait(sem) < 0 && errno == EINTR)
		;
}

static void *keep(void *unused)
{
	for (;;) {
		wait_on(&asked);
		task.fn(task.arg);
		sem_post(&answered);
	}
	return unused;
}

static int make_keeper(void)
{
	sigset_t before;
	pthread_attr_t attr;
	pthread_t thread;
	int error;

	if (keeper_of == getpid())
		return 0;
	sem_init(&asked, 0, 0);
	sem_init(&answered, 0, 0);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	signal_hold_all(&before);
	error = pthread_create(&thread, &attr, keep, NULL);
	signal_let_go(&before);
	pthread_attr_destroy(&attr);
	if (error == 0)
		keeper_of = getpid();
	return -error;
}

static bool may_give_up(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	return syscall(SYS_capget, &head, data) == 0 && data[0].effective & 1U << CAP_SETPCAP;
}

int bounds_give_up(void)
{
	int result;

	if (given_up || !may_give_up())
		return 0;
	result = make_keeper();
	if (result < 0)
		return result;
	/* Behind the kernel's last one it fails, and nobody has those. */
	for (int capability = 0; capability <= LAST_CAPABILITY; capability++)
		prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
	given_up = true;
	return 0;
}

void bounds_keep(void (*fn)(void *arg), void *arg)
{
	if (!given_up || keeper_of != getpid()) {
		fn(arg);
		return;
	}
	task.fn = fn;
	task.arg = arg;
	sem_post(&asked);
	wait_on(&answered);
}
