/* SPDX-License-Identifier: Apache-2.0 */
#include "spawn/reaper.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BUCKETS = 256 };

static struct reaped *buckets[BUCKETS];
static int signal_fd = -1;
static struct watch child_watch;
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

static void on_child(struct watch *w, unsigned events)
{
	struct signalfd_siginfo unused;

	(void)w, (void)events;
	while (read(signal_fd, &unused, sizeof unused) < 0 && errno == EINTR)
		;
	reap_all();
}

static sigset_t only_child(void)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	return mask;
}

/* A handler would break off whatever the loop does; no thread takes the signal (signal_hold_all()). */
int reaper_start(struct loop *loop, void (*after)(void))
{
	sigset_t mask = only_child();

	after_round = after;
	/* Whoever started us may have ignored it, and then nobody could be waited for. */
	signal(SIGCHLD, SIG_DFL);
	pthread_sigmask(SIG_BLOCK, &mask, NULL);
	signal_fd = signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
	return signal_fd < 0 ? -errno : watch_start(&child_watch, loop, signal_fd, WATCH_READ, on_child);
}

void reaper_stop(void)
{
	sigset_t mask = only_child();

	reap_all();
	watch_stop(&child_watch);
	close_fd(take_fd(&signal_fd));
	pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
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
