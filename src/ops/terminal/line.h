/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The master side of a pseudo-terminal: output is read as it comes, whoever may want it; input
 * waits in a bounded queue until the terminal takes it.
 *
 * After the leader ended (line_exited()) output is read until the other side is closed, or was
 * quiet for a quarter of a second, or two seconds passed (R01); then on_end comes, once.
 */
#pragma once

#include "base/buf.h"
#include "loop/loop.h"

enum { LINE_INPUT_HIGH = 256 * 1024 }; /* bytes that wait; beyond them there is no room */

struct line;

struct line_events {
	void (*on_output)(struct line *l, struct str bytes);
	void (*on_room)(struct line *l); /* after line_room() was 0 */
	void (*on_end)(struct line *l);
};

struct line {
	struct loop *loop;
	const struct line_events *events;
	int fd; /* -1: ended */
	struct watch watch;
	struct buf input;
	struct timer quiet, cap, again;
	bool exited, starved, hung_up; /* hung_up: nobody has the other side open at the moment */
};

void line_start(struct line *l, struct loop *loop, int fd, const struct line_events *events); /* takes over fd */
void line_exited(struct line *l);
void line_stop(struct line *l); /* no event comes any more */

/* false: memory is used up, or very much waits already; nothing of it was taken. */
bool line_write(struct line *l, struct str bytes) MUST_CHECK;
bool line_room(struct line *l);

void line_resize(struct line *l, unsigned columns, unsigned rows);
pid_t line_foreground(const struct line *l); /* process group in the foreground; -1 none */
