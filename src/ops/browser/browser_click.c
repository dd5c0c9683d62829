/* SPDX-License-Identifier: Apache-2.0 */
/*
 * browser.click: press the mouse on an element, as a person would.
 */
#include "browser/input.h"
#include "browser/wait.h"

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

struct click {
	struct visit visit;
	struct wait wait;
	struct input input;
};

static void on_clicked(struct input *input)
{
	struct out out = { .clicked = true, .selector = call_in(input->visit->call, struct in)->selector };

	visit_reply(input->visit, &out);
}

static void on_there(struct wait *wait)
{
	struct click *s = OWNER(wait, struct click, wait);

	input_click(&s->input, &s->visit, wait->x, wait->y, on_clicked);
}

static void run(struct visit *v)
{
	struct click *s = OWNER(v, struct click, visit);
	const struct in *in = call_in(v->call, struct in);

	wait_start(&s->wait, v, in->selector, WAIT_TO_CLICK, in->timeout, on_there);
}

static void start(struct call *call)
{
	visit_start(call, sizeof(struct click), run);
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
	.example = { .args = JSON_TEXT({ "selector" : "button" }),
		.after = "browser.navigate",
		.abx = "browser click button" },
	.effects = OP_RUNS | OP_WRITES,
	.params = params,
	.params_size = sizeof(struct in),
	.result = result,
	.result_size = sizeof(struct out),
	.errors = errors,
	.start = start,
};
