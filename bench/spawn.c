/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What starting a program costs: spawn_start() against posix_spawn() and against the floor,
 * vfork and exec, each with /bin/true and its wait.  Ratios are medians of paired rounds, so
 * that other load on the machine falls on both; a large heap stands for a server at work.
 *
 * Prints "spawn/posix_spawn R spawn/vfork R old/vfork R us U".
 */
#include "base/clock.h"
#include "spawn/clone.h"
#include "spawn/spawn.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 60, STARTS = 8, HEAP_SIZE = 64 << 20 };

static const char *const arguments[] = { "/bin/true", NULL };
static const char *const environment[] = { "PATH=/usr/bin:/bin", NULL };

static void wait_for(pid_t pid)
{
	if (waitpid(pid, NULL, 0) != pid)
		abort();
}

static void by_spawn(void)
{
	struct spawn what = SPAWN_INIT;
	struct spawn_failure failure;
	struct child child;
	struct err err;

	what.argv = arguments;
	what.env = environment;
	if (spawn_start(&what, &child, &failure, &err) < 0)
		abort();
	wait_for(child.pid);
	child_close(&child);
}

static void by_old_way(void)
{
	clone_set_way(CLONE_WAY_OLD);
	by_spawn();
	clone_set_way(CLONE_WAY_UNKNOWN);
}

static void by_posix_spawn(void)
{
	pid_t pid;

	if (posix_spawn(&pid, arguments[0], NULL, NULL, (char *const *)arguments, (char *const *)environment) != 0)
		abort();
	wait_for(pid);
}

static void by_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execve(arguments[0], (char *const *)arguments, (char *const *)environment);
		_exit(127);
	}
	wait_for(pid);
}

static double time_of(void (*start)(void))
{
	int64_t before = clock_now_ns();

	for (int i = 0; i < STARTS; i++)
		start();
	return (double)(clock_now_ns() - before) / STARTS;
}

static int by_size(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static double median_ratio(void (*one)(void), void (*other)(void), double *ret_ns)
{
	double ratios[ROUNDS], times[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		/* Who goes first alternates. */
		double first = time_of(i % 2 ? other : one), second = time_of(i % 2 ? one : other);

		times[i] = i % 2 ? second : first;
		ratios[i] = i % 2 ? second / first : first / second;
	}
	qsort(ratios, ROUNDS, sizeof *ratios, by_size);
	qsort(times, ROUNDS, sizeof *times, by_size);
	*ret_ns = times[ROUNDS / 2];
	return ratios[ROUNDS / 2];
}

int main(void)
{
	char *heap = malloc(HEAP_SIZE);
	double ns, unused, posix, floor_ratio, old;

	if (!heap)
		return 1;
	memset(heap, 1, HEAP_SIZE);
	posix = median_ratio(by_spawn, by_posix_spawn, &ns);
	floor_ratio = median_ratio(by_spawn, by_vfork, &unused);
	old = median_ratio(by_old_way, by_vfork, &unused);
	printf("spawn/posix_spawn %.3f spawn/vfork %.3f old/vfork %.3f us %.0f\n", posix, floor_ratio, old, ns / 1000);
	free(heap);
	return 0;
}
