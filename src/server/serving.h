/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call on its way through HTTP: what serve.c, intake.c and answer.c share.
 * Made at the head of a request, freed when its answer is sent or given up.
 */
#pragma once

#include "base/list.h"
#include "call/call.h"
#include "catalog/route.h"
#include "custom/commands.h"
#include "http/http.h"
#include "policy/policy.h"
#include "wire/url.h"
#include "wire/ws.h"

/* What is known of the request only, and the answer where it is no stream. */
struct asked {
	struct route route;
	struct url url;
	struct rope rope; /* the answer's JSON */
	struct source rope_source;
};

struct serving {
	struct call call;
	struct http_conn *conn;
	struct policy *policy;           /* as it was when the request came */
	struct commands *commands;       /* likewise */
	struct list_node node;           /* in the list of all */
	struct asked *asked;             /* NULL once a stream has begun: many wait long */
	const char *cors_origin;         /* a listed one: the answer carries it */
	bool reading;                    /* the JSON body is on its way: no op runs yet */
	void (*then)(struct serving *s); /* when its arguments are bound */
	call_body_fn *body_fn;           /* the op's, while it waits for raw bytes */
	char accept[WS_ACCEPT_LEN + 1];  /* of a WebSocket's handshake */
	bool answered;
	bool head;  /* HEAD: no answer has a body, errors neither */
	int status; /* of the answer, for the log */
	char *body; /* JSON text; taken from the budget */
	size_t body_len, body_size, body_max;
	bool written; /* by the worker already, that a long one does not hold up the loop */
	struct source rope_source;
	/* For the audit log (audit.h): */
	bool refused;       /* before its body was looked at */
	uint64_t received;  /* bytes of the body */
	struct str secret;  /* the Authorization header's, while the arena holds it */
	const char *target; /* where there is no op: the request line without its query */
	char *audit_args;   /* JSON, kept when they were about to be given back */
	bool audit_cut;
};

/* intake.c: the arguments.  then() is called when they are bound, unless an answer was given. */
void intake(struct serving *s, const struct head *head, void (*then)(struct serving *s));
void intake_free(struct serving *s);
void intake_trust_forwarded(bool trust); /* once, at the start */

/* answer.c */
extern const struct call_port answer_port;
void answer_write(struct serving *s);                            /* call.out, in a worker */
void answer_error(struct serving *s);                            /* from call.err */
void answer_options(struct serving *s, const struct head *head); /* 204 */
void answer_problem(struct http_conn *c, enum http_problem problem, const char *reason, struct str received);
void answer_headers(const struct serving *s, struct buf *headers); /* those of every answer */

/* What a preflight is told where no route says less. */
#define SERVE_ANY_METHOD "GET, HEAD, POST, PUT, DELETE, OPTIONS"

/* serve.c: -1 with call.err: for what is kept of a request, and for a call that nobody waits for when its turn comes. */
int serve_no_memory(struct serving *s);
int serve_caller_left(struct serving *s);

/* serve.c: the id of a request: the one that its caller gave, where it is usable, or a new one. */
enum { SERVE_ID_SIZE = sizeof(((struct call *)0)->request_id) };
void serve_id(struct str given, char to[static SERVE_ID_SIZE]);

/* upgrade.c: of an op of kind OP_WS. bearer: of the Authorization header. 0, or -1 with call.err. */
extern const struct socket_port upgrade_port;
int upgrade_credentials(struct serving *s, const struct head *head, struct str bearer) MUST_CHECK;
int upgrade_check(struct serving *s, const struct head *head) MUST_CHECK;
