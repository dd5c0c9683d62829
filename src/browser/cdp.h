/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A conversation with the browser by the DevTools protocol: questions with an answer each, and
 * events.
 *
 * A question is written between cdp_begin() and cdp_ask() into the params object of a JSON writer.
 * Its answer, its timeout or the end of the conversation comes to the struct cdp_request, once and
 * never from inside; a request that is cancelled, or asked anew, hears nothing of it.  A request is a
 * member of the object that waits.  What an answer may hold is said by who asks (messages.h).
 */
#pragma once

#include "base/json_write.h"
#include "base/list.h"
#include "browser/messages.h"
#include "loop/loop.h"

struct cdp;
struct cdp_request;

enum { CDP_SMALL = 256 * 1024, CDP_EVENT_MAX = 1024 * 1024 };

struct cdp_answer {
	/*
	 * 0; -ETIMEDOUT; -EPROTO the browser refused, and said why; -EMSGSIZE it was too long; -ENOMEM
	 * there was no memory for it; -ECONNRESET the conversation ended.
	 */
	int status;
	struct str result; /* a span of text */
	struct str refusal;
	char *text;          /* for span_text() */
	struct buf *message; /* for messages_take() */
};

typedef void cdp_fn(struct cdp_request *request, const struct cdp_answer *answer);

struct cdp_request {
	cdp_fn *fn;
	uint64_t id; /* 0 while nothing is asked */
	size_t max;
	int status; /* that the timer will tell */
	struct cdp *cdp;
	struct list_node node;
	struct timer timer;
};

struct cdp_events {
	void (*on_event)(void *user, struct str method, struct str params, struct str session, char *text);
	/* One that was too long to keep; session is not known. */
	void (*on_cut)(void *user, struct str method);
	/* The browser closed its end.  All requests are answered after this.  cdp_free() may be called. */
	void (*on_closed)(void *user);
};

struct cdp {
	struct loop *loop;
	const struct cdp_events *events;
	void *user;
	int fd; /* -1 once it is over */
	struct watch watch;
	struct messages in;
	struct buf out, draft;
	struct json_writer writer;
	uint64_t last_id;
	struct list_node requests;
};

/* fd becomes its own: one end of a socket. */
void cdp_start(struct cdp *c, struct loop *loop, int fd, const struct cdp_events *events, void *user);
/* Ends it: requests that wait are answered with -ECONNRESET, later. */
void cdp_stop(struct cdp *c);

/* session NULL: the browser itself.  The writer stands inside of params. */
struct json_writer *cdp_begin(struct cdp *c, const char *method, const char *session);
/* max: bytes of the answer. */
void cdp_ask(struct cdp *c, struct cdp_request *request, int64_t timeout_ms, size_t max, cdp_fn *fn);
void cdp_tell(struct cdp *c); /* nobody waits for an answer */
void cdp_cancel(struct cdp_request *request);
