/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

enum { AGAIN_S = 1 };

static int pipe_fds[2] = { -1, -1 };
static volatile sig_atomic_t seen;
static const struct termios *volatile restore;

/* All of it may be called in a handler of signals. */
static void end_at_once(int number)
{
	if (restore)
		tcsetattr(STDIN_FILENO, TCSANOW, restore);
	signal(number, SIG_DFL);
	raise(number); /* comes when the handler returns */
}

/* A write that begins just behind a signal would wait as if there had been none: so it is interrupted again each second. */
static void on_alarm(int number)
{
	(void)number;
	alarm(AGAIN_S);
}

static void on_signal(int number)
{
	int saved = errno;

	/* The next hang-up tells nothing new, and must not disturb what is still to be done. */
	if (number == SIGHUP)
		signal(SIGHUP, SIG_IGN);
	else if (seen)
		end_at_once(number);
	seen = 1;
	alarm(AGAIN_S);
	if (write(pipe_fds[1], "", 1) < 0) {
		/* The pipe is full: it was written before, which is all that matters. */
	}
	errno = saved;
}

int interrupt_init(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal }, again = { .sa_handler = on_alarm };
	struct sigaction old;

	if (pipe2(pipe_fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	sigemptyset(&action.sa_mask);
	sigemptyset(&again.sa_mask);
	if (sigaction(SIGALRM, &again, NULL) < 0)
		return -errno;
	for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
		/* What nohup or a shell's background job ignores stays ignored. */
		if (sigaction(signals[i], NULL, &old) < 0 || old.sa_handler == SIG_IGN)
			continue;
		if (sigaction(signals[i], &action, NULL) < 0)
			return -errno;
	}
	return 0;
}

int interrupt_fd(void)
{
	return pipe_fds[0];
}

bool interrupt_seen(void)
{
	return seen != 0;
}

void interrupt_forget(void)
{
	char bytes[16];

	alarm(0);
	seen = 0;
	while (read(pipe_fds[0], bytes, sizeof bytes) > 0)
		;
}

void interrupt_restore(const struct termios *before)
{
	restore = before;
}
