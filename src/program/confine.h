/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the policy's "process.confine" and "process.network" mean for a child (R99, R100).
 *
 * Confined children are put under Landlock with the principal's roots and the parts of the
 * system that programs need, without capabilities and without a way to new privileges; they
 * can neither signal nor trace the server.  "paths" asks for all of it, and what the kernel
 * cannot do is an error at start; "best_effort" does what it can, and the receipt says what
 * is missing.  A ruleset is kept for a principal while the files
 * that it is about are the same.
 */
#pragma once

#include "base/json_write.h"
#include "policy/policy.h"
#include "spawn/spawn.h"

/* Whether this policy can be enforced here, at start and at a reload: 0, or -1 with what is missing. */
int confine_check(const struct policy *policy, struct err *err) MUST_CHECK;

/* Fills in what a confined child needs.  Descriptors stay ours.  0, or -1 with err. */
int confine_apply(const struct principal *who, struct spawn *spawn, struct err *err) MUST_CHECK;

/*
 * For a program of the server's own, apart from all roots: it may write below one folder, and sees of
 * the system what the browser needs besides.  The ruleset is new and becomes the caller's.
 */
int confine_apart(const struct policy *policy, int own_fd, struct spawn *spawn, struct err *err) MUST_CHECK;

#define CONFINE_TEMP_NAME ".abx-tmp" /* and behind it, of users that a call names, "-UID" */

/*
 * A folder for temporary files under the base directory: of the user, as for policy_user().  NULL when children are not
 * confined, or may not write there.
 */
const char *confine_temp_dir(const struct principal *who, const char *user, struct arena *arena);
void confine_put_temp_dir(
	const struct principal *who, const char *user, struct child_env *env); /* as TMPDIR, unless there is one */

/* What becomes of a program's network: "inherit", "none", or "tcp_denied" where only TCP could be closed. */
const char *confine_network(const struct policy *policy);

enum { CONFINE_MISSING_MAX = 8 };

/* What is in force, for capabilities: {"mode", "filesystem", "signals", "network", "landlock_abi", "missing"}. */
struct confine_receipt {
	const char *mode, *network;
	bool filesystem, signals;
	int64_t landlock_abi;
	struct list missing; /* of const char *, in texts */
	const char *texts[CONFINE_MISSING_MAX];
};
void confine_receipt(const struct policy *policy, struct confine_receipt *ret_receipt);
