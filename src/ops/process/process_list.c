/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.list: the processes begun with process.start, running and retained.
 */
#include "ops/process/entry.h"

#include "base/clock.h"
#include "spawn/members.h"

struct out {
	struct list processes;
};

static const struct field result[] = {
	R_OBJECTS(struct out, processes, struct entry, "Process", entry_rows,
		"All of them, in the order of their starts."),
	FIELDS_END,
};

struct listing {
	struct call *call;
	struct job job;
	struct members walked;
	int64_t walked_ns;
	int failed;
};

/* Reading /proc of hundreds of processes takes milliseconds. */
static void walk(struct job *job)
{
	struct listing *l = OWNER(job, struct listing, job);

	l->walked_ns = clock_now_ns();
	l->failed = members_walk(&l->walked);
}

static void show(struct call *call)
{
	size_t count = 0;
	struct process **all = process_all(call, &count);
	struct entry *entries = all ? call_alloc(call, (count + 1) * sizeof *entries) : NULL;
	struct out out = { { entries, count } };

	if (!entries) {
		call_fail(call);
		return;
	}
	for (size_t i = 0; i < count; i++)
		entry_fill(&entries[i], all[i]);
	call_reply(call, &out);
}

static void on_walked(struct job *job)
{
	struct listing *l = OWNER(job, struct listing, job);

	/* A failed walk is done again by whoever looks. */
	if (l->failed == 0)
		tree_survey_begin(&l->walked, l->walked_ns);
	members_free(&l->walked);
	show(l->call);
	tree_survey_end();
}

static void start(struct call *call)
{
	struct listing *l = call_new(call, struct listing);

	if (l)
		l->call = call;
	if (!l || call_job(call, &l->job, LANE_SHORT, walk, on_walked) < 0)
		call_fail(call);
}

const struct op op_process_list = {
	.id = "process.list",
	.endpoint = "process_list",
	.group = "process",
	.scope = "process:read",
	.kind = OP_JSON,
	.method = "GET",
	.path = "/process/list",
	.since = "0.1.0",
	.summary = "List processes.",
	.description =
		"Those begun with process.start by any caller: all that run, and those that ended, until an hour has passed or "
		"'retain' newer ones have ended.",
	.example = { .args = JSON_TEXT({}), .abx = "ps" },
	.effects = OP_READS | OP_IDEMPOTENT,
	.result = result,
	.result_size = sizeof(struct out),
	.start = start,
};
