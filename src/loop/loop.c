/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/loop.h"

#include "base/clock.h"
#include "loop/loop_internal.h"

#include <assert.h>
#include <stdlib.h>

struct watch_handle {
	uv_poll_t uv;
	struct watch *owner; /* NULL once stopped: the handle only waits to be closed */
};

struct timer_handle {
	uv_timer_t uv;
	struct timer *owner;
};

struct signal_handle {
	uv_signal_t uv;
	struct signal_watch *owner;
};

struct turn_handle {
	uv_idle_t uv; /* runs in each turn, before the waiting, which it makes short */
	struct turn *owner;
};

struct loop *loop_new(void)
{
	struct loop *loop = mem_new(struct loop);

	if (uv_loop_init(&loop->uv) < 0)
		abort();
	return loop;
}

void loop_free(struct loop *loop)
{
	if (!loop)
		return;
	/* Some handles only wait to be closed; a stop that nobody saw makes the first turn an empty one. */
	for (int turn = 0; turn < 4 && uv_loop_close(&loop->uv) == UV_EBUSY; turn++)
		uv_run(&loop->uv, UV_RUN_NOWAIT);
	free(loop);
}

void loop_run(struct loop *loop)
{
	uv_run(&loop->uv, UV_RUN_DEFAULT);
}

void loop_stop(struct loop *loop)
{
	uv_stop(&loop->uv);
}

static void free_handle(uv_handle_t *handle)
{
	/* The uv member is the first of every handle struct of this file. */
	free(handle);
}

static unsigned events_from_uv(int status, int events)
{
	unsigned found = 0;

	if (status < 0)
		return WATCH_READ | WATCH_WRITE | WATCH_HANGUP | WATCH_ERROR;
	if (events & UV_READABLE)
		found |= WATCH_READ;
	if (events & UV_WRITABLE)
		found |= WATCH_WRITE;
	if (events & UV_DISCONNECT)
		found |= WATCH_HANGUP;
	return found;
}

static void on_poll(uv_poll_t *uv, int status, int events)
{
	struct watch *w = OWNER(uv, struct watch_handle, uv)->owner;

	if (!w)
		return;
	if (status < 0)
		w->events = 0; /* libuv has stopped it: a change starts it again */
	w->fn(w, events_from_uv(status, events));
}

static int poll_start(struct watch *w)
{
	int events = 0;

	if (w->events & WATCH_READ)
		events |= UV_READABLE;
	if (w->events & WATCH_WRITE)
		events |= UV_WRITABLE;
	if (w->events & WATCH_HANGUP)
		events |= UV_DISCONNECT;
	return events ? uv_poll_start(&w->handle->uv, events, on_poll) : uv_poll_stop(&w->handle->uv);
}

int watch_start(struct watch *w, struct loop *loop, int fd, unsigned events, watch_fn *fn)
{
	struct watch_handle *handle = mem_new(struct watch_handle);
	int status = uv_poll_init(&loop->uv, &handle->uv, fd);

	assert(!w->handle);
	if (status < 0) {
		free(handle);
		return status;
	}
	handle->owner = w;
	*w = (struct watch){ .handle = handle, .fn = fn, .events = events };
	status = poll_start(w);
	if (status < 0)
		watch_stop(w);
	return status;
}

void watch_change(struct watch *w, unsigned events)
{
	if (w->handle && w->events != events) {
		w->events = events;
		poll_start(w);
	}
}

void watch_stop(struct watch *w)
{
	struct watch_handle *handle = take_ptr(w->handle);

	if (handle) {
		handle->owner = NULL;
		uv_close((uv_handle_t *)&handle->uv, free_handle);
	}
}

static void on_timer(uv_timer_t *uv)
{
	struct timer *t = OWNER(uv, struct timer_handle, uv)->owner;

	if (t)
		t->fn(t);
}

/*
 * libuv counts from the start of this turn of the loop, which may be a while ago.  That time is
 * added, not brought forward: a timer that its own callback starts again would otherwise come back
 * in the same turn when callbacks are slow, and no descriptor would have its own.
 */
static uint64_t from_start_of_turn(struct loop *loop, int64_t after_ns)
{
	/* Rounded up: a deadline never fires before its time. */
	uint64_t now_ms = (uv_hrtime() + NS_PER_MS - 1) / NS_PER_MS, turn_ms = uv_now(&loop->uv);
	uint64_t ms = after_ns <= 0 ? 0 : (uint64_t)((after_ns + NS_PER_MS - 1) / NS_PER_MS);

	return MAX(ms + (now_ms > turn_ms ? now_ms - turn_ms : 0), (uint64_t)1);
}

void timer_start(struct timer *t, struct loop *loop, int64_t after_ns, timer_fn *fn)
{
	if (!t->handle) {
		t->handle = mem_new(struct timer_handle);
		uv_timer_init(&loop->uv, &t->handle->uv);
		t->handle->owner = t;
	}
	t->fn = fn;
	uv_timer_start(&t->handle->uv, on_timer, from_start_of_turn(loop, after_ns), 0);
}

void timer_stop(struct timer *t)
{
	if (t->handle)
		uv_timer_stop(&t->handle->uv);
}

bool timer_running(const struct timer *t)
{
	return t->handle && uv_is_active((const uv_handle_t *)&t->handle->uv);
}

void timer_free(struct timer *t)
{
	struct timer_handle *handle = take_ptr(t->handle);

	if (handle) {
		handle->owner = NULL;
		uv_close((uv_handle_t *)&handle->uv, free_handle);
	}
}

static void on_idle(uv_idle_t *uv)
{
	struct turn *t = OWNER(uv, struct turn_handle, uv)->owner;

	uv_idle_stop(uv);
	if (t)
		t->fn(t);
}

void turn_start(struct turn *t, struct loop *loop, turn_fn *fn)
{
	if (!t->handle) {
		t->handle = mem_new(struct turn_handle);
		uv_idle_init(&loop->uv, &t->handle->uv);
		t->handle->owner = t;
	}
	t->fn = fn;
	uv_idle_start(&t->handle->uv, on_idle);
}

void turn_free(struct turn *t)
{
	struct turn_handle *handle = take_ptr(t->handle);

	if (handle) {
		handle->owner = NULL;
		uv_close((uv_handle_t *)&handle->uv, free_handle);
	}
}

static void on_signal(uv_signal_t *uv, int number)
{
	struct signal_watch *s = OWNER(uv, struct signal_handle, uv)->owner;

	if (s)
		s->fn(s, number);
}

int signal_start(struct signal_watch *s, struct loop *loop, int number, signal_fn *fn)
{
	struct signal_handle *handle = mem_new(struct signal_handle);
	int status;

	assert(!s->handle);
	uv_signal_init(&loop->uv, &handle->uv);
	handle->owner = s;
	*s = (struct signal_watch){ .handle = handle, .fn = fn };
	status = uv_signal_start(&handle->uv, on_signal, number);
	if (status < 0)
		signal_stop(s);
	return status;
}

void signal_stop(struct signal_watch *s)
{
	struct signal_handle *handle = take_ptr(s->handle);

	if (handle) {
		handle->owner = NULL;
		uv_close((uv_handle_t *)&handle->uv, free_handle);
	}
}

void signal_hold_all(sigset_t *ret_before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, ret_before);
}

void signal_let_go(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}
