/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A body that is made as its reader takes it: the one mechanism of back-pressure.  Output of
 * processes, downloads and archives are sources; a connection pulls while its peer reads and
 * stops when it does not.  A source is a member of its owner's state; OWNER() finds it.
 */
#pragma once

#include "base/buf.h"

enum source_status {
	SOURCE_MORE,   /* something was added, or ask again soon */
	SOURCE_WAIT,   /* nothing now: the owner will say when to ask again */
	SOURCE_END,    /* all is in out */
	SOURCE_BROKEN, /* cannot go on: the connection is closed so that the peer sees it */
};

struct source {
	/* Adds about room bytes to out (a single event may be larger, within reason). */
	enum source_status (*pull)(struct source *s, struct buf *out, size_t room);
	/* Once, as the last thing: all was sent, or the peer has gone. */
	void (*close)(struct source *s);
};
