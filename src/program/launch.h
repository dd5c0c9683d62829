/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of every start that the policy decides, for whoever starts a program: user, limits,
 * umask, confinement.
 */
#pragma once

#include "call/call.h"
#include "spawn/tree.h"

struct policy;

/* Fills it in for a program of `who`, whoever calls.  0, or -1 with err. */
int launch_prepare_for(const struct principal *who, const char *user, struct spawn *spawn, struct err *err) MUST_CHECK;

/* The same for the caller.  user: one that the caller names, or NULL for process.user.  0, or -1 with call->err. */
int launch_prepare(struct call *call, const char *user, struct spawn *spawn) MUST_CHECK;

/*
 * The same for a program of the server's own that works for all callers and needs none of their roots
 * but one folder.  spawn->ruleset_fd is the caller's to close.
 */
int launch_prepare_apart(const struct policy *policy, int own_fd, struct spawn *spawn, struct err *err) MUST_CHECK;

/* Whether programs run as root when nobody names another user. */
bool launch_is_root(const struct policy *policy);

/* Starts it.  NULL with call->err; a program that cannot be started keeps its errno in call->err.sys_errno. */
struct tree *launch(struct call *call, const struct spawn *spawn, const struct tree_events *events, void *user,
	struct child *ret_child);
