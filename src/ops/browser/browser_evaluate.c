/* SPDX-License-Identifier: Apache-2.0 */
/*
 * browser.evaluate: run a script in the page.
 */
#include "call/call.h"

enum { TIMEOUT_DEFAULT = 10000, TIMEOUT_MAX = 300000 };

struct in {
	struct str script;
	int64_t timeout;
};

struct out {
	const struct json *result;
};

static const struct field params[] = {
	P_TEXT(struct in, script, F_REQUIRED, "JavaScript; its last expression is the result, a promise is awaited."),
	P_INT(struct in, timeout, TIMEOUT_DEFAULT, 1, TIMEOUT_MAX, "Milliseconds until it is ended."),
	FIELDS_END,
};

static const struct field result[] = {
	R_ANY(struct out, result, "The value as JSON; undefined is null."),
	FIELDS_END,
};

static void start(struct call *call)
{
	err_set(&call->err, ERR_RUNTIME_UNAVAILABLE, "there is no browser here");
	call_fail(call);
}

static const enum err_code errors[] = { ERR_RUNTIME_UNAVAILABLE, ERR_LIMIT_TOO_MANY, ERR_BROWSER_TIMEOUT,
	ERR_BROWSER_FAILED, ERR_BROWSER_CRASHED, ERR_NONE };

const struct op op_browser_evaluate = {
	.id = "browser.evaluate",
	.endpoint = "browser_evaluate",
	.group = "browser",
	.scope = "browser:use",
	.kind = OP_JSON,
	.method = "POST",
	.path = "/browser/evaluate",
	.since = "0.1.0",
	.summary = "Run a script in the page and answer with its value.",
	.description =
		"What a script throws is browser.failed with its message; so is a value that has no JSON form, such as a function. At "
		"the timeout the script is ended, also in the middle of a loop.",
	.effects = OP_RUNS | OP_WRITES,
	.params = params,
	.params_size = sizeof(struct in),
	.result = result,
	.result_size = sizeof(struct out),
	.errors = errors,
	.start = start,
};
