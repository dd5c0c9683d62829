/* SPDX-License-Identifier: Apache-2.0 */
#include "spawn/pipes.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
	READ_SIZE = 64 * 1024,
	PIPE_SIZE = 256 * 1024, /* of one that was found full: fewer turns for a child that writes much */
	TURN_READS = 4,         /* reads of one pipe in a turn, so that others get theirs */
};

#define QUIET_NS (250 * NS_PER_MS)
#define CAP_NS (2 * NS_PER_S)

static void on_out(struct watch *w, unsigned events);
static void on_err(struct watch *w, unsigned events);
static void on_in(struct watch *w, unsigned events);

static void close_stream(struct pipes *p, unsigned stream)
{
	watch_stop(&p->watches[stream]);
	close_fd(take_fd(&p->fds[stream]));
}

void pipes_close_input(struct pipes *p)
{
	p->input.len = 0;
	watch_stop(&p->in_watch);
	close_fd(take_fd(&p->in_fd));
}

static bool all_closed(const struct pipes *p)
{
	return p->fds[PIPES_OUT] < 0 && p->fds[PIPES_ERR] < 0;
}

static void end(struct pipes *p)
{
	bool held = !all_closed(p);

	if (p->ended)
		return;
	pipes_stop(p);
	p->events->on_end(p, held);
}

static bool is_owed(const struct pipes *p)
{
	return p->owed[PIPES_OUT] > 0 || p->owed[PIPES_ERR] > 0;
}

static void on_quiet(struct timer *t)
{
	struct pipes *p = OWNER(t, struct pipes, quiet);

	/* It was we who were slow: what the child wrote is still there, and is read next. */
	if (is_owed(p))
		timer_start(&p->quiet, p->loop, QUIET_NS, on_quiet);
	else
		end(p);
}

static void on_cap(struct timer *t)
{
	struct pipes *p = OWNER(t, struct pipes, cap);

	p->late = true;
	if (!is_owed(p))
		end(p);
}

static void watch_stream(struct pipes *p, unsigned stream)
{
	static watch_fn *const handlers[PIPES_COUNT] = { on_out, on_err };

	if (p->fds[stream] >= 0 &&
		watch_start(&p->watches[stream], p->loop, p->fds[stream], WATCH_READ, handlers[stream]) < 0)
		close_stream(p, stream);
}

void pipes_start(struct pipes *p, struct loop *loop, int in, int out, int err, const struct pipes_events *events)
{
	*p = (struct pipes){ .loop = loop, .events = events, .fds = { out, err }, .in_fd = in };
	watch_stream(p, PIPES_OUT);
	watch_stream(p, PIPES_ERR);
}

/* Once; where the system does not allow it, the pipe stays as it is. */
static void widen(struct pipes *p, unsigned stream)
{
	if (!p->wide[stream])
		fcntl(p->fds[stream], F_SETPIPE_SZ, PIPE_SIZE);
	p->wide[stream] = true;
}

/* One read: false when nothing more is to be had now. */
static bool read_once(struct pipes *p, unsigned stream)
{
	static char scratch[READ_SIZE]; /* one loop, one thread */
	size_t wanted = p->events->room ? MIN(p->events->room(p), sizeof scratch) : sizeof scratch;
	ssize_t len;

	if (wanted == 0) {
		pipes_pause(p);
		return false;
	}
	len = read(p->fds[stream], scratch, wanted);
	if (len < 0)
		return errno == EINTR;
	if (len == 0) {
		close_stream(p, stream);
		if (!p->exited && p->events->on_closed)
			p->events->on_closed(p, stream);
		return false;
	}
	if (p->exited) {
		timer_start(&p->quiet, p->loop, QUIET_NS, on_quiet);
		if (p->owed[stream] > 0)
			p->owed[stream] -= (int)len;
	}
	if ((size_t)len == sizeof scratch)
		widen(p, stream);
	p->events->on_bytes(p, stream, (struct str){ scratch, (size_t)len });
	/* Of one that lives, a short read was all there is; of one that ended, the end may stand behind it. */
	return (size_t)len == wanted || p->exited;
}

/* False: it was the end, and the owner may be gone. */
static bool on_stream(struct pipes *p, unsigned stream)
{
	for (int i = 0; i < TURN_READS && !p->paused && p->fds[stream] >= 0; i++) {
		if (!read_once(p, stream))
			break;
	}
	/* Closed pipes are the end only of a child that has ended; others may close them early. */
	if (!(p->exited && all_closed(p)) && !(p->late && !is_owed(p)))
		return true;
	end(p);
	return false;
}

static void on_out(struct watch *w, unsigned events)
{
	(void)events;
	on_stream(OWNER(w, struct pipes, watches[PIPES_OUT]), PIPES_OUT);
}

static void on_err(struct watch *w, unsigned events)
{
	(void)events;
	on_stream(OWNER(w, struct pipes, watches[PIPES_ERR]), PIPES_ERR);
}

static void feed_done(struct pipes *p)
{
	pipes_close_input(p);
	if (p->events->on_fed)
		p->events->on_fed(p);
}

static void on_in(struct watch *w, unsigned events)
{
	struct pipes *p = OWNER(w, struct pipes, in_watch);
	ssize_t len = 0;

	if (p->input.len && !(events & WATCH_ERROR))
		len = write(p->in_fd, p->input.p, p->input.len);
	if (len > 0) {
		p->input.p += len;
		p->input.len -= (size_t)len;
	}
	/* A child that closed its input does not want the rest: that is its right, not an error. */
	if (p->input.len == 0 || (events & WATCH_ERROR) || (len < 0 && errno != EAGAIN && errno != EINTR))
		feed_done(p);
}

void pipes_feed(struct pipes *p, struct str input)
{
	p->input = input;
	if (p->in_fd >= 0 && watch_start(&p->in_watch, p->loop, p->in_fd, WATCH_WRITE, on_in) < 0)
		pipes_close_input(p);
}

static void watch_all(struct pipes *p, unsigned events)
{
	for (unsigned i = 0; i < PIPES_COUNT; i++)
		watch_change(&p->watches[i], events);
}

void pipes_pause(struct pipes *p)
{
	if (p->paused || p->ended)
		return;
	p->paused = true;
	watch_all(p, 0);
	timer_stop(&p->quiet);
}

void pipes_resume(struct pipes *p)
{
	if (!p->paused || p->ended)
		return;
	p->paused = false;
	watch_all(p, WATCH_READ);
	if (p->exited)
		timer_start(&p->quiet, p->loop, QUIET_NS, on_quiet);
}

static void count_owed(struct pipes *p)
{
	for (unsigned i = 0; i < PIPES_COUNT; i++) {
		if (p->fds[i] < 0 || ioctl(p->fds[i], FIONREAD, &p->owed[i]) < 0)
			p->owed[i] = 0;
	}
}

void pipes_exited(struct pipes *p)
{
	if (p->exited || p->ended)
		return;
	p->exited = true;
	count_owed(p);
	timer_start(&p->cap, p->loop, CAP_NS, on_cap);
	/* What the child did not read is nobody's any more. */
	pipes_close_input(p);
	/* Most often all is there already: an answer need not wait for the next turn. */
	if (!p->paused && on_stream(p, PIPES_OUT) && on_stream(p, PIPES_ERR) && !p->paused)
		timer_start(&p->quiet, p->loop, QUIET_NS, on_quiet);
}

void pipes_stop(struct pipes *p)
{
	p->ended = true;
	pipes_close_input(p);
	close_stream(p, PIPES_OUT);
	close_stream(p, PIPES_ERR);
	timer_free(&p->quiet);
	timer_free(&p->cap);
}
