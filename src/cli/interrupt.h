/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ctrl-C and its like, seen as a descriptor, so that whoever waits in poll wakes up and
 * leaves by the ordinary way of an error: files half written are removed, and the closed
 * connection tells the server to end what runs.  The second signal kills at once (the second
 * hang-up is ignored: shells and the kernel both send one); a terminal that was made raw is given back.
 */
#pragma once

#include "base/base.h"

int interrupt_init(void); /* 0 or -errno */
int interrupt_fd(void);   /* readable after a signal; never to be read */
bool interrupt_seen(void);
void interrupt_forget(void); /* for what is still to be done; the next signal is a first one again */

/* What stdin's terminal is set to before a second signal ends us; it must stay.  NULL: nothing. */
struct termios;
void interrupt_restore(const struct termios *before);
