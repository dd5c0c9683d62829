/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event loop: one thread, on libuv.
 *
 * A watch, a timer or a signal is a member of the object that it serves; the callback gets
 * the member and finds its object with OWNER().  It may be stopped, and its object freed,
 * at any time, also in its own callback: libuv's handle is separate and closes later.
 * Stop a watch before closing its descriptor.  Zeroed members are stopped.
 */
#pragma once

#include "base/base.h"

#include <signal.h>

struct loop;
struct watch;
struct timer;
struct signal_watch;
struct turn;

typedef void watch_fn(struct watch *w, unsigned events);
typedef void timer_fn(struct timer *t);
typedef void signal_fn(struct signal_watch *s, int number);
typedef void turn_fn(struct turn *t);

enum {
	WATCH_READ = 1,
	WATCH_WRITE = 2,
	WATCH_HANGUP = 4, /* the peer closed its sending side, or all */
	WATCH_ERROR = 8,  /* told, never asked for: the descriptor is broken; the watch pauses */
};

struct watch {
	struct watch_handle *handle; /* NULL while stopped */
	watch_fn *fn;
	unsigned events;
};

struct timer {
	struct timer_handle *handle; /* NULL until first started */
	timer_fn *fn;
};

struct signal_watch {
	struct signal_handle *handle;
	signal_fn *fn;
};

struct turn {
	struct turn_handle *handle;
	turn_fn *fn;
};

struct loop *loop_new(void);
void loop_free(struct loop *loop); /* everything must be stopped */
void loop_run(struct loop *loop);  /* until loop_stop(), or nothing is left to wait for */
void loop_stop(struct loop *loop);

/* 0 or a negative errno (a descriptor that cannot be watched: a regular file). */
int watch_start(struct watch *w, struct loop *loop, int fd, unsigned events, watch_fn *fn) MUST_CHECK;
void watch_change(struct watch *w, unsigned events); /* 0 pauses; nothing happens when they are the same */
void watch_stop(struct watch *w);

/* Starts, or starts anew, a timer that fires once. */
void timer_start(struct timer *t, struct loop *loop, int64_t after_ns, timer_fn *fn);
void timer_stop(struct timer *t); /* may be started again */
bool timer_running(const struct timer *t);
void timer_free(struct timer *t); /* gives the handle back; also stops */

/*
 * Once, in the next turn of the loop, after the descriptors that are ready had theirs.  A timer
 * of no time is not that: one that starts itself again comes back before any descriptor does.
 */
void turn_start(struct turn *t, struct loop *loop, turn_fn *fn);
void turn_free(struct turn *t); /* also stops */

int signal_start(struct signal_watch *s, struct loop *loop, int number, signal_fn *fn) MUST_CHECK;
void signal_stop(struct signal_watch *s);

/* Around the making of a thread, which inherits it: signals are for the loop's. */
void signal_hold_all(sigset_t *ret_before);
void signal_let_go(const sigset_t *before);
