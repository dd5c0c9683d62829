/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ends of a child's pipes that are ours: output is read as it comes, input is fed as it
 * is taken, and neither can hold the other up.
 *
 * After the child itself ended (pipes_exited()) the output is read until both pipes are
 * closed, or nothing came for a quarter of a second, or two seconds passed; then our ends
 * are closed and somebody who still holds the others meets SIGPIPE (R01, R02).  Where the
 * owner pauses the reading, what the child itself wrote is still read to its end.
 */
#pragma once

#include "base/str.h"
#include "loop/loop.h"

enum { PIPES_OUT, PIPES_ERR, PIPES_COUNT };

struct pipes;

struct pipes_events {
	/* How many bytes may come now; at 0 the reading pauses until pipes_resume().  NULL: any number. */
	size_t (*room)(struct pipes *p);
	/* Bytes of one stream; valid during the call. */
	void (*on_bytes)(struct pipes *p, unsigned stream, struct str bytes);
	/* A child that lives has closed this one.  May be NULL. */
	void (*on_closed)(struct pipes *p, unsigned stream);
	/* No more will come.  held: given up while somebody had them open.  May free the owner. */
	void (*on_end)(struct pipes *p, bool held);
	/* The input was fed to its end, or the child does not read it any more.  May be NULL. */
	void (*on_fed)(struct pipes *p);
};

struct pipes {
	struct loop *loop;
	const struct pipes_events *events;
	int fds[PIPES_COUNT], in_fd;
	struct watch watches[PIPES_COUNT], in_watch;
	struct timer quiet, cap;
	int owed[PIPES_COUNT]; /* bytes in the pipes when the child ended: they are its own and are read in any case */
	struct str input;      /* what is still to be fed; the owner's memory */
	bool wide[PIPES_COUNT], paused, exited, late, ended;
};

/* Takes over the descriptors; -1 where there is none. */
void pipes_start(struct pipes *p, struct loop *loop, int in, int out, int err, const struct pipes_events *events);

/* Feeds all of input, then closes: the child reads end of file. */
void pipes_feed(struct pipes *p, struct str input);

void pipes_close_input(struct pipes *p); /* what was not fed yet is dropped */

void pipes_pause(struct pipes *p);
void pipes_resume(struct pipes *p);
void pipes_exited(struct pipes *p);
void pipes_stop(struct pipes *p); /* closes all, no event comes any more */
