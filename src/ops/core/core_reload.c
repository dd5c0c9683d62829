/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core.reload: read the policy and the template author's commands again.
 *
 * All or nothing: a file with an error changes nothing.  It runs on the loop, because the new
 * policy must take the place of the old one between two calls; the files are small and local.
 * The answer waits until new workers have said what they can, so that their commands are there.
 */
#include "custom/commands.h"

struct out {
	bool reloaded;
};

static const struct field result[] = {
	R_BOOL(struct out, reloaded, "Always true: a failure is an error."),
	FIELDS_END,
};

struct reload {
	struct call *call;
	struct commands_wait wait;
};

static void on_settled(struct commands_wait *w)
{
	static const struct out out = { true };

	call_reply(OWNER(w, struct reload, wait)->call, &out);
}

static void on_free(struct call *call)
{
	commands_wait_leave(&((struct reload *)call->state)->wait);
}

static void on_gone(struct call *call)
{
	err_set(&call->err, ERR_HTTP_BAD_REQUEST, "the caller left before the answer");
	call_fail(call);
}

static void start(struct call *call)
{
	struct reload *reload = call_new(call, struct reload);

	if (!reload || call_host->reload(&call->err) < 0) {
		call_fail(call);
		return;
	}
	reload->call = call;
	call->state = reload;
	call->on_gone = on_gone;
	call->on_free = on_free;
	commands_wait(&reload->wait, on_settled);
}

static const enum err_code errors[] = { ERR_ARGS_INVALID, ERR_NONE };

const struct op op_core_reload = {
	.id = "core.reload",
	.group = "core",
	.scope = "admin",
	.kind = OP_JSON,
	.method = "POST",
	.path = "/reload",
	.since = "0.1.0",
	.summary = "Read the policy file and the custom commands again.",
	.description =
		"All or nothing: a file with an error changes nothing and is answered with file, line, column and "
		"reason. SIGHUP does the same. Running calls keep the policy and the commands that they began with. The answer "
		"comes when new workers have described themselves, or after ten seconds.",
	.example = { .args = JSON_TEXT({}) },
	.effects = OP_WRITES | OP_IDEMPOTENT,
	.result = result,
	.result_size = sizeof(struct out),
	.errors = errors,
	.start = start,
};
