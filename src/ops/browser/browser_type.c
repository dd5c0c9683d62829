/* SPDX-License-Identifier: Apache-2.0 */
/*
 * browser.type: type text into an element, key by key.
 */
#include "call/call.h"

enum { DELAY_DEFAULT = 50, DELAY_MAX = 10000 };

struct in {
	const char *selector;
	struct str text;
	int64_t delay;
	bool clear;
};

struct out {
	bool typed;
	const char *selector;
	struct str text;
};

static const struct field params[] = {
	P_STRING(struct in, selector, F_REQUIRED, "CSS selector of the element; the first that matches."),
	P_TEXT(struct in, text, F_REQUIRED, "What is typed; a line feed is the Enter key, a tab the Tab key."),
	P_INT(struct in, delay, DELAY_DEFAULT, 0, DELAY_MAX, "Milliseconds between two keys."),
	P_BOOL(struct in, clear, false, "Whether what the element holds is removed first."),
	FIELDS_END,
};

static const struct field result[] = {
	R_BOOL(struct out, typed, "Always true."),
	R_STRING(struct out, selector, "The selector."),
	R_TEXT(struct out, text, "The text."),
	FIELDS_END,
};

static void start(struct call *call)
{
	err_set(&call->err, ERR_RUNTIME_UNAVAILABLE, "there is no browser here");
	call_fail(call);
}

static const enum err_code errors[] = { ERR_RUNTIME_UNAVAILABLE, ERR_LIMIT_TOO_MANY, ERR_BROWSER_TIMEOUT,
	ERR_BROWSER_NOT_FOUND, ERR_BROWSER_FAILED, ERR_BROWSER_CRASHED, ERR_NONE };

const struct op op_browser_type = {
	.id = "browser.type",
	.endpoint = "browser_type",
	.group = "browser",
	.scope = "browser:use",
	.kind = OP_JSON,
	.method = "POST",
	.path = "/browser/type",
	.since = "0.1.0",
	.summary = "Type text into an element.",
	.description =
		"Waits up to five seconds for the element as browser.click does, gives it the focus, and presses real keys. Characters "
		"that no key has are put in as an input method does.",
	.effects = OP_RUNS | OP_WRITES,
	.params = params,
	.params_size = sizeof(struct in),
	.result = result,
	.result_size = sizeof(struct out),
	.errors = errors,
	.start = start,
};
