/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command of the template's author as an op: "custom.NAME".
 *
 * Its struct op is filled in at run time and is used like those of the table: the policy, GET /ops,
 * OpenAPI and core.check see no difference.  It belongs to a set (commands.h) and lives as long.
 */
#pragma once

#include "call/call.h"
#include "custom/args.h"
#include "custom/tail.h"

struct manifest;
struct worker;

/* Calls of a command under way, of whichever set they are: a reload does not make them fewer. */
struct custom_count {
	unsigned refs;
	unsigned running;
};

struct custom {
	struct op op;
	const char *name, *description;
	bool hidden;
	double timeout_s; /* 0 none */
	struct args args;
	const struct manifest *manifest;
	struct worker *worker; /* who does it; NULL: a program for each call */
	struct custom_count *count;
};

struct custom_in {
	const struct json *args; /* an object that fits */
};

struct hold;

/* Fills in c->op from the rest. */
void custom_make_op(struct custom *c, struct hold *hold);

static inline struct custom *custom_of(const struct op *op)
{
	return OWNER(op, struct custom, op);
}

/* Stands for any command, also for one that is not there: what the policy says of them all. */
extern const struct op custom_any;

/* The result of the op: JSON text of the call's state, and whether bytes of it were replaced. */
struct custom_out {
	struct str result;
	bool lossy;
};

/* How a call went wrong. */
struct custom_failure {
	const char *type;   /* the command's own; NULL: CommandError */
	struct str message; /* what the command says; p NULL none */
	struct str stderr_tail;
	bool exited;
	int exit_code, signal;
};

/* Fills in call->err: custom.failed with its details. */
void custom_fail(struct call *call, const struct custom_failure *failure);
/* commands.timeout: it did not answer in time. */
void custom_time_out(struct call *call, double timeout_s, struct str stderr_tail);

/* The two ways; each counts itself in c->count until the call is freed. */
void custom_run(struct call *call);
void custom_ask(struct call *call);
