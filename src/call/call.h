/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an op sees: who calls, the arguments, and the ways to answer.
 *
 * A call is finished exactly once: by call_reply(), call_fail(), or the end of a body or
 * stream begun with call_stream() or call_send().  Until then it lives, also when the caller
 * has gone: then on_gone is called once, and the op stops its work and finishes as usual
 * (nobody sees the answer).  After it is finished the op must not touch it any more; what
 * it keeps in call->arena is gone, and on_free was called.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/rope.h"
#include "call/socket.h"
#include "catalog/op.h"
#include "loop/job.h"
#include "loop/source.h"

struct principal;
struct call;
struct call_port;

enum { CALL_HASH_SIZE = 32 };

/* The head of an answer in raw bytes. */
struct raw_reply {
	int status; /* 200, 206, 304; 416 with call->err set, whose JSON is the body */
	const char *media_type;
	int64_t length;   /* -1: not known (chunked) */
	const char *etag; /* with its quotes; NULL none */
	time_t modified;  /* 0 none */
	bool accepts_ranges;
	uint64_t first, last, size; /* of a 206; size also of a 416 */
	struct str filename;        /* of Content-Disposition; any bytes; p NULL none */
	const char *trailer;        /* the name of the field that trailers adds behind a chunked body; NULL none */
	void (*trailers)(struct source *source, struct buf *out); /* whole lines with CRLF, when all was made */
};

struct call {
	struct arena arena;
	const struct op *op;
	const struct principal *caller;
	const struct op *const
		*ops; /* all there were when the call came: ops_all, then the template author's; NULL at the end */
	struct loop *loop;
	char request_id[129];
	struct err err;
	void *in;    /* the op's params struct, bound; paths resolved */
	void *out;   /* a zeroed result struct, for work() */
	void *state; /* the op's */
	void (*on_gone)(struct call *call);
	void (*on_shutdown)(struct call *call); /* a stream's: end it now, with call->err as its last event (R86) */
	void (*on_free)(struct call *call);
	bool drops_args; /* the op's: `in` and what it has in the arena are not needed once the stream has begun */

	/* The conditional and range headers, and whether bytes are wanted, for raw ops; strs with p NULL when absent. */
	struct {
		bool raw_request, raw_response; /* the caller sends bytes; wants bytes */
		bool multipart, head;           /* HEAD: headers only */
		struct str content_type, range, if_range, if_match, if_none_match, if_modified_since, last_event_id;
		struct str idempotency_key;
		uint8_t body_hash
			[CALL_HASH_SIZE];   /* SHA-256 of the canonical JSON body; only beside an idempotency_key */
		int64_t length;             /* of the body; -1 not known */
		const char *ws_base;        /* "ws://HOST", as the caller sees this server */
		int subprotocol;            /* chosen one of op->socket->subprotocols, -1 none */
		const char *ticket_subject; /* came with a ticket: what alone it is good for; NULL without */
	} http;

	/* Not for ops: */
	const struct call *asked_by; /* core.check, when this is no call but only asks op->permit */
	const struct call_port *port;
	void *port_user;
	struct job job;
	struct socket socket;
	int work_status;
	bool gone, finished;
	int64_t started_ns;
};

#define call_in(call, type) ((type *)(call)->in)
#define call_out(call, type) ((type *)(call)->out)

/* Answers. */
void call_reply(struct call *call, const void *out);            /* by the op's result rows */
void call_fail(struct call *call);                              /* with call->err */
void call_fail_with_result(struct call *call, const void *out); /* the same, with the result as details (R05) */
void call_stream(struct call *call, struct source *source);     /* SSE: headers at once, then what pull adds */
void call_send(struct call *call, const struct raw_reply *head, struct source *source); /* raw; source NULL: no body */
void call_wake(struct call *call);                                                      /* the source has more */

/* Writes one event, into what pull was given.  index: in op->events; id NULL: none. */
void call_event(struct call *call, struct buf *out, unsigned index, const void *fields, const char *id);

/* The error event of a stream, from call->err; index: where CALL_ERROR_EVENT stands in op->events. */
void call_event_error(struct call *call, struct buf *out, unsigned index);

struct call_error {
	const char *error, *wire_code, *code, *type;
};
extern const struct field call_error_fields[];
#define CALL_ERROR_EVENT \
	{ \
		.name = "error", .fields = call_error_fields, .size = sizeof(struct call_error), \
		.text = "What went wrong; the fields are those of an error's body." \
	}

/*
 * The request's raw body: fills `to` with exactly len bytes, or fewer at its end, then calls fn
 * (never from inside): got bytes, and whether the body is complete.  One at a time; not asking is
 * back-pressure.  A caller that leaves in the middle is on_gone, and fn does not come; so is a
 * body that is malformed or too slow, with call->err filled in for call_fail().
 */
typedef void call_body_fn(struct call *call, size_t got, bool end);
void call_body(struct call *call, char *to, size_t len, call_body_fn *fn);

/* A job in the op's own flow: work runs off the loop, then done on the loop. -1 with call->err (lane full: 429). */
int call_job(struct call *call, struct job *job, enum lane lane, job_fn *work, job_fn *done) MUST_CHECK;

bool call_stopped(const struct call *call); /* in work(): the caller has gone, or the deadline passed */
int64_t call_limit(
	const struct call *call, const char *name); /* effective: the principal's, the policy's, the row's default */

/* More than the op's limit of this name: -1 with the row's code in err, and the rule (a token's, where that is the narrower). */
int call_over_limit(const struct call *call, const char *name, struct err *err, const char *fmt, ...) PRINTF_LIKE(4, 5);

/* Memory of the call, or -1 / NULL with call->err (server.busy). */
void *call_alloc(struct call *call, size_t size) MUST_CHECK;
#define call_new(call, type) ((type *)call_alloc((call), sizeof(type)))

/* What the server offers ops that look at the server itself; filled in by server/. */
struct call_host {
	/* Whether the caller may call op with these arguments, by the code of a real call up to its effect; NULL: none known. */
	int (*check)(struct call *call, const struct op *op, const struct json *args, struct err *err);
	/* Reads the policy and the custom commands again: all or nothing. */
	int (*reload)(struct err *err);
};
extern const struct call_host *call_host;
