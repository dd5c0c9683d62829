/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.get: one process begun with process.start.
 */
#include "ops/process/entry.h"

struct in {
	const char *pid;
};

struct out {
	struct entry entry;
	struct receipt confinement;
};

static const struct field params[] = {
	PROCESS_PARAM(struct in),
	FIELDS_END,
};

static const struct field result[] = {
	ENTRY_ROWS,
	R_OBJECT(struct out, confinement, struct receipt, "ProcessConfinement", receipt_rows,
		"What has been in force for it since its start."),
	FIELDS_END,
};

static void start(struct call *call)
{
	struct process *p = process_find(call, call_in(call, struct in)->pid);
	struct out out;

	if (!p) {
		call_fail(call);
		return;
	}
	entry_fill(&out.entry, p);
	out.confinement = p->receipt;
	call_reply(call, &out);
}

static const enum err_code errors[] = { ERR_PROCESS_NOT_FOUND, ERR_NONE };

const struct op op_process_get = {
	.id = "process.get",
	.endpoint = "process_detail",
	.group = "process",
	.scope = "process:read",
	.kind = OP_JSON,
	.method = "GET",
	.path = "/process/{pid}",
	.since = "0.1.0",
	.summary = "Look at one process.",
	.description =
		"An ended process stays known until an hour has passed or 'retain' newer ones have ended. 'descendants' tells "
		"of what still lives of it after its own end; process.signal with 'group' reaches them.",
	.example = { .args = JSON_TEXT({}), .after = "process.start", .take = "pid", .into = "pid" },
	.effects = OP_READS | OP_IDEMPOTENT,
	.params = params,
	.params_size = sizeof(struct in),
	.result = result,
	.result_size = sizeof(struct out),
	.errors = errors,
	.start = start,
};
