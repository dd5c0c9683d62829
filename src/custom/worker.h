/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker: a program of the template's author that is started once and kept, and answers calls
 * by lines of JSON (message.h).
 *
 * It is started at once and again whenever it ends or breaks the protocol, after a pause that
 * doubles each time.  Calls that were sent to it fail then; those that were not yet wait for the
 * next start, and fail with it when it fails.  Who holds a worker has a reference; without any it
 * is told to end, is ended after a grace with all that it started, and then frees itself.
 *
 * It runs for all callers, so with what the server's policy gives, not with what one token has.
 */
#pragma once

#include "base/buf.h"
#include "base/list.h"
#include "custom/description.h"
#include "custom/message.h"
#include "custom/tail.h"
#include "loop/loop.h"

struct manifest;
struct policy;
struct worker;

enum worker_state {
	WORKER_STARTING, /* it was started and has not said yet what it can */
	WORKER_READY,
	WORKER_ENDING,  /* it broke the protocol and is being ended */
	WORKER_WAITING, /* for its next start */
	WORKER_CLOSED,  /* nobody holds it */
};
extern const char *const worker_states[]; /* their names */

/* A call under way: a member of the call's state. */
struct worker_call {
	struct list_node node;
	struct worker *worker;
	uint64_t id;
	uint64_t stderr_from; /* where the worker's standard error was when it began */
	bool sent;
	struct buf line;
	/* message NULL: it came, and there was no memory for it. */
	void (*on_answer)(struct worker_call *c, const struct message *message);
	void (*on_failed)(struct worker_call *c, const char *reason); /* the worker is gone */
};

/* Starts it.  described: what one before it could do, or NULL.  on_change: it has described itself anew, or could not. */
struct worker *worker_new(struct loop *loop, struct manifest *manifest, struct policy *policy,
	struct description *described, void (*on_change)(struct worker *w));
struct worker *worker_ref(struct worker *w);
void worker_unref(struct worker *w);

const struct manifest *worker_manifest(const struct worker *w);
struct description *worker_described(const struct worker *w); /* NULL: not yet */
bool worker_has_settled(const struct worker *w);              /* its first start went well or badly */
enum worker_state worker_state(const struct worker *w);
const char *worker_problem(const struct worker *w); /* why the last start or life of it failed; NULL: nothing did */
bool worker_fits(const struct worker *w, const struct manifest *manifest,
	const struct policy *policy); /* need not be replaced */

/*
 * One of its commands; the events, filled in before, come later.  0, -EAGAIN when it is down and
 * was so before (worker_problem() says why), or -ENOMEM.
 */
int worker_call(struct worker *w, struct worker_call *c, const char *name, const struct args *args,
	const struct json *given) MUST_CHECK;
/* The answer is not wanted any more: the worker is told.  No event comes. */
void worker_leave(struct worker_call *c);
/* What the call still holds; once, at its end, however it ended.  Zeroed is fine. */
void worker_call_done(struct worker_call *c);
struct str worker_said(
	const struct worker_call *c, char to[static TAIL_SIZE]); /* on standard error, since the call began */

void workers_end(void);  /* none is started again: the server ends */
void workers_free(void); /* at once: the loop has ended */
