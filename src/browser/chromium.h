/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run of the browser, from finding the program to removing its folder.
 *
 * It is a child like any other: the policy's user, limits and walls, a fixed clean environment, ended
 * with all that it started.  It reads and writes the protocol at its descriptors 3 and 4, which are one
 * socket, so nobody else can talk to it and it ends when the server does.
 *
 * chromium_start() gives an object that belongs to itself.  The owner hears on_started or on_ended,
 * never from inside, and lets go of it at on_ended or by chromium_end().
 */
#pragma once

#include "browser/cdp.h"
#include "policy/policy.h"

struct chromium;
struct proxy;

struct chromium_plan {
	struct loop *loop;
	struct policy *policy;           /* referred to until the end */
	const char *base_path;           /* where its folder is made when no other place will do */
	struct proxy *proxy;             /* through which alone it may go; NULL none */
	const struct cdp_events *events; /* of the conversation; on_closed is not called */
	void *user;
	void (*on_started)(void *user);
	/* why: ERR_RUNTIME_UNAVAILABLE, ERR_BROWSER_FAILED before it had started, ERR_BROWSER_CRASHED. */
	void (*on_ended)(void *user, const struct err *why);
};

struct chromium *chromium_start(const struct chromium_plan *plan); /* NULL: nobody has time for it */
void chromium_end(struct chromium *c);                             /* nothing is heard any more */
struct cdp *chromium_cdp(struct chromium *c);

/* At the end of the server, when the loop has stopped: what is left goes without waiting. */
void chromium_free_all(void);
void chromium_remove_all(void); /* their folders, when nothing of them lives any more */
