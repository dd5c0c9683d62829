/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an op is.  Each op is one constant in one file of ops/, listed in ops/ops.def.
 *
 * Two ways to do the work, exactly one of which is given:
 * - work(): for what may block (disk).  Runs in a worker of the op's lane, fills in call->out
 *   and returns 0, or -1 with call->err.  It looks at call_stopped() where it may take long.
 * - start(): for what waits (children, streams, bodies).  Runs on the loop, never blocks, and
 *   sees to it that the call is finished later, once (call/call.h).
 */
#pragma once

#include "catalog/field.h"
#include "base/err.h"

struct arena;
struct call;

enum op_kind { OP_JSON, OP_SSE, OP_RAW, OP_WS };

enum op_effects {
	OP_READS = 1,
	OP_WRITES = 2,
	OP_RUNS = 4, /* starts programs: the call is ended when its caller leaves (R14) */
	OP_IDEMPOTENT = 8,
};

enum op_lane { OP_LANE_SHORT, OP_LANE_LONG };

enum { OP_ONE_OF_MAX = 4 };

/* Of these parameters exactly one is given (or at most one, when `optional`). */
struct one_of {
	const char *names[OP_ONE_OF_MAX + 1];
	bool optional;
};

struct event {
	const char *name;
	const struct field *fields;
	size_t size; /* of the struct */
	bool final;  /* the last one of its stream */
	bool has_id;
	const char *text;
};

/* A number that the policy may change between 0 and cap; ops ask for it with call_limit(). */
struct limit {
	const char *name;
	int64_t def, cap;
	enum err_code code; /* when it is passed */
	const char *text;
};

struct raw {
	bool request, response; /* bytes instead of JSON, which way */
	bool multipart;         /* the request may be multipart/form-data too */
	bool preferred;         /* the response is bytes on the op's own route, unless JSON is asked for */
	const char *media_type; /* of the response */
};

/*
 * What goes over a WebSocket: messages of JSON, described like events.  The first subprotocol that
 * a caller offers of these is taken: call->http.subprotocol is its index.
 */
struct socket_shape {
	const struct event *client_messages, *server_messages; /* each ends with an empty one */
	const char *const *subprotocols;                       /* NULL at the end */
};

/*
 * A call of the op that works in the demo folder of docs/reference.md: what the docs show for curl, abx,
 * Python and TypeScript, and a test runs (catalog/example.h).
 */
struct example {
	const char *args;        /* a JSON object, by JSON_TEXT() */
	const char *file;        /* of the caller's machine: its bytes are sent, or it gets those that come */
	const char *after;       /* id of the op whose own example comes first, or NULL */
	const char *after_args;  /* with these arguments instead of its own; NULL: with its own */
	const char *take, *into; /* this member of that one's result is this parameter here; NULL: not shown */
	const char *abx;         /* what follows `abx` where a command does just this; NULL: it is `server call` */
	const char *typed;       /* into a WebSocket, as in a string of JSON */
};

#define JSON_TEXT(...) #__VA_ARGS__

enum { OP_ERRORS_MAX = 24, OP_LIMITS_MAX = 6, OP_EVENTS_MAX = 8, OP_ROUTES_MAX = 2 };

struct op {
	const char *id;            /* "files.list" */
	const char *endpoint;      /* "files_list", NULL when there was none in v1 */
	const char *group, *scope; /* scope NULL: no authentication */
	enum op_kind kind;
	const char *method, *path; /* "GET", "/process/{pid}" */
	const char *also;          /* a second path that answers the same op, or NULL */
	const char *since, *summary, *description;
	struct example example;
	unsigned effects;
	const struct field *params; /* NULL: none */
	size_t params_size;
	const struct one_of *one_of; /* ends with an empty one; NULL: none */
	const struct field *result;  /* NULL for streams */
	size_t result_size;
	const struct event *events;        /* of OP_SSE; ends with an empty one */
	const struct socket_shape *socket; /* of OP_WS */
	const struct raw *raw;             /* of OP_RAW */
	const enum err_code *errors;       /* its own, ends with ERR_NONE; those of every op are not repeated */
	const struct limit *limits;        /* ends with an empty one; NULL: none */
	enum op_lane lane;
	bool is_dynamic; /* a command of the template author: not in ops_all, and only as long as its set (custom/commands.h) */
	/* Takes the arguments as one object; the rows then only describe them.  NULL: the rows do it. */
	int (*bind)(struct arena *arena, const struct op *op, const struct json *object, void *params, struct err *err);
	/*
	 * What the policy says of its arguments beside their paths: asked by the call itself, and by core.check alone,
	 * which may know some of them only.  Paths are resolved, it may block, and it changes nothing.  NULL: nothing.
	 */
	int (*permit)(struct call *call);
	int (*work)(struct call *call);
	void (*start)(struct call *call);
	/* On the loop, before its paths are looked at: whether the call was answered, as one that came before; or NULL. */
	bool (*replay)(struct call *call);
};

extern const struct op *const ops_all[]; /* in manual order, NULL at the end; made from ops/ops.def */

/* By id or endpoint id; those of the template author have one endpoint id for all, and are found by their id alone. */
const struct op *op_find(struct str id);
const struct op *op_find_in(const struct op *const *ops, struct str id);
const struct limit *op_limit(const struct op *op, const char *name);
bool op_has_paths(const struct op *op); /* it works on files, then with the rights of process.user (R94) */
bool op_param_in_route(const struct op *op, const char *name);
