/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands of the template's author, as they are now.
 *
 * A struct commands is one set of them and never changes: when a manifest was read anew or a
 * worker has described itself, another set takes its place.  A call keeps the one that it came
 * with (commands_ref, commands_unref), and with it the workers in it, which end with the last set
 * that has them.
 */
#pragma once

#include "base/list.h"
#include "catalog/route.h"
#include "custom/custom.h"
#include "custom/manifest.h"
#include "custom/worker.h"

struct commands;

/* Once: path as in manifests_read(), which is asked again at each reload. */
void commands_init(struct loop *loop, const char *path);

/* Reads the manifests, and makes them the ones that count: workers that they do not change are kept. */
int commands_read(struct manifests *ret_manifests, struct err *err) MUST_CHECK;
void commands_take(struct manifests *manifests, struct policy *policy);

struct commands *commands_ref(void); /* of the set that counts now */
void commands_unref(struct commands *c);

/* Every op there is: ops_all, then these; NULL at the end. */
const struct op *const *commands_ops(const struct commands *c);

/*
 * What route_find() does for ops_all: POST /commands/NAME and POST /ops/custom.NAME.  A name that no
 * command has leads to custom_any.
 */
void commands_route(
	const struct commands *c, struct str method, const struct str *segments, size_t count, struct route *ret_route);

/* custom.unknown_command for a name, be it with "custom." in front, that commands_route() did not find, with the names that the caller may know. */
int commands_refuse(const struct call *call, struct str name, struct arena *arena, struct err *err);

/* The workers of the manifests that count now, in their order: NULL behind the last. */
const struct worker *commands_worker(size_t index);
/* What is wrong with it, a command among it whose name was taken; NULL nothing. */
const char *commands_problem(const struct worker *w, struct arena *arena);

/* Calls fn, perhaps from inside, when every worker has described itself or failed to, or after ten seconds. */
struct commands_wait;
typedef void commands_wait_fn(struct commands_wait *w);
struct commands_wait {
	struct list_node node;
	struct timer patience;
	commands_wait_fn *fn;
};
void commands_wait(struct commands_wait *w, commands_wait_fn *fn);
void commands_wait_leave(struct commands_wait *w);

void commands_free(void); /* the loop has ended */
