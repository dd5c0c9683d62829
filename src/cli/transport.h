/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes to and from a server, whatever carries them.  A kind of transport is one row of
 * functions; TCP and UNIX sockets are two, TLS would be a third.
 *
 * Nothing here blocks but transport_open() and transport_wait(), and both end at a
 * deadline and at Ctrl-C (interrupt.h).  No environment variable leads to a proxy.
 */
#pragma once

#include "cli/address.h"

struct transport;

struct transport_type {
	/* Connects, until deadline_ns of the monotonic clock. */
	int (*open)(struct transport *t, const struct address *to, int64_t deadline_ns, struct problem *p);
	ssize_t (*read)(struct transport *t, void *to, size_t len);           /* 0 at the end, -EAGAIN, -errno */
	ssize_t (*write)(struct transport *t, const void *bytes, size_t len); /* -EAGAIN, -errno */
	void (*close)(struct transport *t);
};

struct transport {
	const struct transport_type *type; /* NULL while closed */
	int fd;
};

enum { TRANSPORT_IN = 1, TRANSPORT_OUT = 2 };

int transport_open(struct transport *t, const struct address *to, int64_t deadline_ns, struct problem *p) MUST_CHECK;
void transport_close(struct transport *t); /* may be called again */
bool transport_is_open(const struct transport *t);

/* Which of the wanted are possible; 0 after timeout_ms (-1: no limit), -EINTR after Ctrl-C, -errno. */
int transport_wait(struct transport *t, int wanted, int timeout_ms) MUST_CHECK;

ssize_t transport_read(struct transport *t, void *to, size_t len) MUST_CHECK;
ssize_t transport_write(struct transport *t, const void *bytes, size_t len) MUST_CHECK;

/* A transport over a connected socket, which it owns from now on; for tests. */
void transport_adopt(struct transport *t, int fd);
