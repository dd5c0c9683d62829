/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call's turn with the one page of the one browser.
 *
 * Calls wait in a queue, and each has the page for itself until it is answered; its timeout runs from
 * its turn on.  The browser is started for the first call and ended when nobody has called for a while.
 * When it ends by itself every call, waiting or not, is told so at once, and the next one starts it anew.
 * A call whose turn finds it dead already has lost nothing, so the browser is started anew for it.
 *
 * A visit is the first member of the op's state, which lives in the call's arena.  It ends by one of
 * visit_reply(), visit_send() and visit_fail(); after that it must not be touched.
 */
#pragma once

#include "browser/cdp.h"
#include "call/call.h"

struct page;
struct input;
struct probe;
struct visit;
typedef void visit_fn(struct visit *v);

struct visit {
	struct call *call;
	visit_fn *run; /* its turn: the page is there */
	struct list_node node;
	struct cdp_request ask; /* the one question under way */
	struct timer timer;
	int64_t deadline_ns; /* of visit_left_ms() */
	struct buf kept;     /* an answer of the browser that the reply refers to */
	struct source source;
	size_t sent;
	struct probe *probe; /* under way (probe.h, input.h) */
	struct input *input;
	unsigned starts; /* how often the browser was gone when its turn came */
	bool running;    /* it is its turn; */
	bool begun;      /* and the browser was there */
	bool ended;
};

enum { VISITS_MAX = 64 }; /* that wait */

/* Makes the op's state of so many bytes, zeroed, and waits for its turn; fails the call itself when it cannot. */
void visit_start(struct call *call, size_t state_size, visit_fn *run);

/* In a turn: */
struct page *visit_page(void);
uint64_t visit_refusals(void);        /* requests that the policy allowed no host for, since the browser was started */
const char *visit_refused_host(void); /* of the last one */
struct json_writer *visit_begin(struct visit *v, const char *method);
void visit_ask(struct visit *v, int64_t timeout_ms, size_t max, cdp_fn *fn);
struct visit *visit_of(struct cdp_request *ask);
void visit_set_deadline(struct visit *v, int64_t ms);
int64_t visit_left_ms(const struct visit *v);

/* Ends of it. */
void visit_reply(struct visit *v, const void *out);
void visit_send(struct visit *v, const char *media_type, struct str bytes); /* bytes: of kept */
void visit_fail(struct visit *v);                                           /* with call->err */
/* The browser did not answer as hoped; what: what it was asked for, as in "cannot …". */
void visit_fail_with(struct visit *v, const struct cdp_answer *answer, const char *what);

/*
 * The file in the answer's "data", no longer than the op's max_bytes and kept in v.  0, or -1: it was no answer or is
 * too long, and the visit has ended.
 */
int visit_take_file(
	struct visit *v, const struct cdp_answer *answer, const char *what, struct str *ret_bytes) MUST_CHECK;

/* The server ends: what waits is failed, the browser ended. */
void visit_stop_all(void);
void visit_free_all(void); /* when the loop has stopped */
