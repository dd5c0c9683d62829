/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The proxy through which the browser must go, so that browser.allow_hosts holds for all that it
 * fetches: redirects, subresources, frames and WebSockets alike (R100).
 *
 * It listens on 127.0.0.1, on a port of the kernel's choice, and speaks HTTP/1.1: whole http://
 * URLs, and CONNECT for https and WebSockets.  A host that no pattern allows is answered 403.
 * An allowed name is looked up once and connected to as found.  A name server is not trusted to
 * send the browser to this machine itself or to a link-local address: what it says of that kind is
 * held against the patterns as an address.
 *
 * Who may use it: connections of the uid that the browser runs as, as the kernel tells.  A
 * password would be the better lock, but Chromium takes one only by pausing each request over
 * DevTools.  And processes of that uid gain nothing: they may connect to more than the patterns
 * allow by themselves, or, where programs have no network, cannot come here either.
 *
 * All on the loop; names in the long lane.  Stop it when the browser ends.
 */
#pragma once

#include "base/err.h"
#include "browser/lookup.h"
#include "loop/loop.h"

struct proxy;

struct proxy_settings {
	const char *const *allow_hosts; /* of the policy; copied */
	uid_t uid;                      /* whose connections are taken */
	/* A host was refused; from a callback of the loop, may not stop the proxy.  NULL: nobody wants to know. */
	void (*on_refused)(void *user, const char *host, unsigned port);
	void *user;

	/* For tests; zero is the usual. */
	const struct lookup_files *files;
	unsigned max_connections;
	int64_t head_ns, connect_ns, silence_ns;
};

enum { PROXY_FLAGS = 4, PROXY_FLAG_SIZE = 96 };

/* NULL with err where nothing can be listened on. */
struct proxy *proxy_start(struct loop *loop, const struct proxy_settings *settings, struct err *err) MUST_CHECK;
void proxy_stop(struct proxy *proxy); /* closes everything; NULL is none */

/*
 * What Chromium must be started with: this proxy for everything, loopback included, no names
 * looked up by itself, and WebRTC held to the proxy.
 */
void proxy_flags(const struct proxy *proxy, char flags[static PROXY_FLAGS][PROXY_FLAG_SIZE]);

unsigned proxy_port(const struct proxy *proxy);
unsigned proxy_connections(const struct proxy *proxy);
uint64_t proxy_refused(const struct proxy *proxy); /* how many requests, so far */
