/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ctrl-C and its like, seen as a descriptor, so that whoever waits in poll wakes up and
 * leaves by the ordinary way of an error: files half written are removed, and the closed
 * connection tells the server to end what runs.  The second signal kills at once.
 */
#pragma once

#include "base/base.h"

int interrupt_init(void); /* 0 or -errno */
int interrupt_fd(void);   /* readable after a signal; never to be read */
bool interrupt_seen(void);
