/* SPDX-License-Identifier: Apache-2.0 */
/*
 * browser.click: press the mouse on an element, as a person would.
 */
#include "call/call.h"

enum { TIMEOUT_DEFAULT = 5000, TIMEOUT_MAX = 300000 };

struct in {
	const char *selector;
	int64_t timeout;
};

struct out {
	bool clicked;
	const char *selector;
};

static const struct field params[] = {
	P_STRING(struct in, selector, F_REQUIRED, "CSS selector of the element; the first that matches."),
	P_INT(struct in, timeout, TIMEOUT_DEFAULT, 1, TIMEOUT_MAX, "Milliseconds until it is given up."),
	FIELDS_END,
};

static const struct field result[] = {
	R_BOOL(struct out, clicked, "Always true."),
	R_STRING(struct out, selector, "The selector."),
	FIELDS_END,
};

static void start(struct call *call)
{
	err_set(&call->err, ERR_RUNTIME_UNAVAILABLE, "there is no browser here");
	call_fail(call);
}

static const enum err_code errors[] = { ERR_RUNTIME_UNAVAILABLE, ERR_LIMIT_TOO_MANY, ERR_BROWSER_TIMEOUT,
	ERR_BROWSER_NOT_FOUND, ERR_BROWSER_FAILED, ERR_BROWSER_CRASHED, ERR_NONE };

const struct op op_browser_click = {
	.id = "browser.click",
	.endpoint = "browser_click",
	.group = "browser",
	.scope = "browser:use",
	.kind = OP_JSON,
	.method = "POST",
	.path = "/browser/click",
	.since = "0.1.0",
	.summary = "Click on an element.",
	.description =
		"Waits until the element is there, visible, at rest, enabled and not covered, scrolls it into view, and presses the "
		"mouse in its middle. What did not come true in time is in the error.",
	.effects = OP_RUNS | OP_WRITES,
	.params = params,
	.params_size = sizeof(struct in),
	.result = result,
	.result_size = sizeof(struct out),
	.errors = errors,
	.start = start,
};
