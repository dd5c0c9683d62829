/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.list: the processes begun with process.start, running and retained.
 */
#include "ops/process/entry.h"

struct out {
	struct list processes;
};

static const struct field result[] = {
	R_OBJECTS(struct out, processes, struct entry, "Process", entry_rows,
		"All of them, in the order of their starts."),
	FIELDS_END,
};

static void start(struct call *call)
{
	size_t count = 0;
	struct process **all = process_all(call, &count);
	struct entry *entries = all ? call_alloc(call, (count + 1) * sizeof *entries) : NULL;
	struct out out = { { entries, count } };

	if (!entries) {
		call_fail(call);
		return;
	}
	tree_survey_begin();
	for (size_t i = 0; i < count; i++)
		entry_fill(&entries[i], all[i]);
	tree_survey_end();
	call_reply(call, &out);
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
