/* SPDX-License-Identifier: Apache-2.0 */
#include "spawn/reaper.h"

#include <assert.h>
#include <signal.h>
#include <sys/wait.h>

enum { BUCKETS = 256 };

static struct reaped *buckets[BUCKETS];
static struct signal_watch child_signal;
static void (*after_round)(void);

static struct reaped **place_of(pid_t pid)
{
	struct reaped **at = &buckets[(unsigned)pid % BUCKETS];

	while (*at && (*at)->pid != pid)
		at = &(*at)->next;
	return at;
}

static void take(pid_t pid, int status, const struct rusage *usage)
{
	struct reaped **at = place_of(pid);
	struct reaped *r = *at;

	if (!r)
		return;
	*at = r->next;
	r->pid = 0;
	r->fn(r, status, usage);
}

/* One signal may stand for many ends. */
static void reap_all(void)
{
	struct rusage usage;
	bool any = false;
	int status;
	pid_t pid;

	while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0) {
		any = true;
		take(pid, status, &usage);
	}
	if (any && after_round)
		after_round();
}

static void on_child(struct signal_watch *s, int number)
{
	(void)s, (void)number;
	reap_all();
}

int reaper_start(struct loop *loop, void (*after)(void))
{
	sigset_t mask;

	after_round = after;
	/* Whoever started us may have blocked it. */
	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
	return signal_start(&child_signal, loop, SIGCHLD, on_child);
}

void reaper_stop(void)
{
	reap_all();
	signal_stop(&child_signal);
	after_round = NULL;
}

void reaper_add(struct reaped *r, pid_t pid, reaped_fn *fn)
{
	struct reaped **at = place_of(pid);

	assert(r->pid == 0 && *at == NULL);
	*r = (struct reaped){ .pid = pid, .fn = fn };
	*at = r;
}

void reaper_forget(struct reaped *r)
{
	struct reaped **at;

	if (r->pid == 0)
		return;
	at = place_of(r->pid);
	assert(*at == r);
	*at = r->next;
	r->pid = 0;
}

bool reaper_knows(pid_t pid)
{
	return *place_of(pid) != NULL;
}
