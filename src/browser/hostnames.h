/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names to addresses for the loop: lookups run in the long lane, a few at once so that they leave
 * it to others too, those who ask for the same name share one, and what was found is kept for
 * as long as it holds, at most a minute.
 */
#pragma once

#include "base/list.h"
#include "browser/lookup.h"
#include "loop/loop.h"

struct hostnames;

/* A member of who waits. */
struct hostnames_wait {
	struct list_node node;
	void (*on_done)(struct hostnames_wait *wait, const struct lookup_result *result);
};

/* files must outlive what runs: constants. */
struct hostnames *hostnames_new(struct loop *loop, const struct lookup_files *files, int64_t within_ns);
void hostnames_free(struct hostnames *names); /* nobody may wait any more; what runs is told to stop and frees itself */

/* What is known already, valid until the next call; or NULL, and on_done is called later, once. */
const struct lookup_result *hostnames_ask(
	struct hostnames *names, const char *name, struct hostnames_wait *wait) MUST_CHECK;
void hostnames_leave(struct hostnames_wait *wait); /* also when it does not wait; the node must be initialised */
