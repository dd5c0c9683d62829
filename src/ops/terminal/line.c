/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/terminal/line.h"

#include "base/clock.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum {
	READ_SIZE = 16 * 1024,
	TURN_READS = 16,              /* in one turn of the loop, so that others get theirs */
	INPUT_MAX = 16 * 1024 * 1024, /* messages of several viewers behind LINE_INPUT_HIGH */
};

#define QUIET_NS (250 * NS_PER_MS)
#define CAP_NS (2 * NS_PER_S)
/* A program may close the terminal and open it again by its name: looked at so often meanwhile. */
#define AGAIN_NS (100 * NS_PER_MS)

static void on_ready(struct watch *w, unsigned events);

static void end(struct line *l)
{
	if (l->fd < 0)
		return;
	line_stop(l);
	l->events->on_end(l);
}

static void on_quiet(struct timer *t)
{
	end(OWNER(t, struct line, quiet));
}

static void on_cap(struct timer *t)
{
	end(OWNER(t, struct line, cap));
}

static void watch(struct line *l)
{
	watch_change(&l->watch, l->hung_up ? 0 : WATCH_READ | (l->input.len ? WATCH_WRITE : 0));
}

static void on_again(struct timer *t)
{
	struct line *l = OWNER(t, struct line, again);

	l->hung_up = false;
	watch(l);
}

/* The event of a hang-up does not go away by reading: the watch rests, or it would come for ever. */
static void hang_up(struct line *l)
{
	l->hung_up = true;
	buf_free(&l->input);
	watch(l);
	if (!l->exited)
		timer_start(&l->again, l->loop, AGAIN_NS, on_again);
}

void line_start(struct line *l, struct loop *loop, int fd, const struct line_events *events)
{
	*l = (struct line){ .loop = loop, .events = events, .fd = fd };
	buf_init_budgeted(&l->input, INPUT_MAX);
	if (watch_start(&l->watch, loop, fd, WATCH_READ, on_ready) < 0)
		hang_up(l);
}

void line_stop(struct line *l)
{
	watch_stop(&l->watch);
	timer_free(&l->quiet);
	timer_free(&l->cap);
	timer_free(&l->again);
	buf_free(&l->input);
	close_fd(take_fd(&l->fd));
}

/* One read: false when nothing more is to be had now. */
static bool read_once(struct line *l)
{
	static char scratch[READ_SIZE]; /* one loop, one thread */
	ssize_t len = read(l->fd, scratch, sizeof scratch);

	if (len < 0 && (errno == EINTR || errno == EAGAIN))
		return errno == EINTR;
	if (len <= 0) {
		hang_up(l);
		return false;
	}
	if (l->exited)
		timer_start(&l->quiet, l->loop, QUIET_NS, on_quiet);
	l->events->on_output(l, (struct str){ scratch, (size_t)len });
	return l->fd >= 0;
}

static void read_some(struct line *l)
{
	for (int i = 0; i < TURN_READS; i++) {
		if (!read_once(l))
			break;
	}
	if (l->exited && l->hung_up)
		end(l);
}

/* What the terminal takes now. */
static void push(struct line *l)
{
	ssize_t len;

	while (l->input.len && (len = write(l->fd, l->input.data, l->input.len)) > 0)
		buf_drop(&l->input, (size_t)len);
	if (l->input.len == 0)
		buf_free(&l->input);
	if (l->starved && l->input.len <= LINE_INPUT_HIGH / 2) {
		l->starved = false;
		l->events->on_room(l);
	}
}

static void on_ready(struct watch *w, unsigned events)
{
	struct line *l = OWNER(w, struct line, watch);

	/* Input first: a key is not to wait for a flood. */
	if (events & WATCH_WRITE)
		push(l);
	if (l->fd >= 0)
		read_some(l);
	if (l->fd >= 0)
		watch(l);
}

void line_exited(struct line *l)
{
	if (l->exited || l->fd < 0)
		return;
	l->exited = true;
	timer_stop(&l->again);
	timer_start(&l->quiet, l->loop, QUIET_NS, on_quiet);
	timer_start(&l->cap, l->loop, CAP_NS, on_cap);
	l->hung_up = false;
	read_some(l);
	if (l->fd >= 0)
		watch(l);
}

bool line_write(struct line *l, struct str bytes)
{
	if (l->fd < 0 || l->hung_up || bytes.len == 0)
		return true; /* to nobody */
	if (bytes.len > INPUT_MAX - l->input.len)
		return false;
	buf_add(&l->input, bytes.p, bytes.len);
	if (buf_failed(&l->input)) {
		buf_free(&l->input);
		return false;
	}
	push(l);
	watch(l);
	return true;
}

bool line_room(struct line *l)
{
	l->starved |= l->input.len > LINE_INPUT_HIGH;
	return l->input.len <= LINE_INPUT_HIGH;
}

void line_resize(struct line *l, unsigned columns, unsigned rows)
{
	struct winsize size = { .ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows };

	if (l->fd >= 0)
		ioctl(l->fd, TIOCSWINSZ, &size);
}

pid_t line_foreground(const struct line *l)
{
	pid_t group = -1;

	return l->fd >= 0 && ioctl(l->fd, TIOCGPGRP, &group) == 0 ? group : -1;
}
