/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of a call.  Read serve.c first to know the server.
 */
#pragma once

#include "call/call.h"
#include "http/http.h"
#include "policy/policy.h"

extern const struct http_handlers serve_handlers;

/* Marks of listeners (http_listen_tagged): all ops, or only those of kind OP_WS (R106). */
enum { SERVE_ALL, SERVE_SOCKETS_ONLY };

/* The policy of the calls to come; takes over the reference. settings: for a reload. */
void serve_init(struct loop *loop, struct policy *policy, const struct policy_settings *settings);
void serve_attach(struct http_server *http); /* takes the policy's max_connections, now and after each reload */
int serve_reload(struct err *err) MUST_CHECK;
struct policy *serve_policy(void);

/* No new calls; streams end now, the rest when they are done (R86). */
void serve_drain(void);
/* What still runs is told that its caller has gone. */
void serve_cancel_all(void);
