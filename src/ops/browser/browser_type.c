/* SPDX-License-Identifier: Apache-2.0 */
/*
 * browser.type: type text into an element, key by key.
 */
#include "browser/input.h"
#include "browser/wait.h"

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

struct typing {
	struct visit visit;
	struct wait wait;
	struct input input;
};

static void on_typed(struct input *input)
{
	const struct in *in = call_in(input->visit->call, struct in);
	struct out out = { .typed = true, .selector = in->selector, .text = in->text };

	visit_reply(input->visit, &out);
}

static void on_there(struct wait *wait)
{
	struct typing *s = OWNER(wait, struct typing, wait);
	const struct in *in = call_in(s->visit.call, struct in);

	input_type(&s->input, &s->visit, in->text, in->delay, in->clear && wait->holds_something, on_typed);
}

static void run(struct visit *v)
{
	struct typing *s = OWNER(v, struct typing, visit);
	const struct in *in = call_in(v->call, struct in);

	wait_start(&s->wait, v, in->selector, in->clear ? WAIT_TO_CLEAR : WAIT_TO_TYPE, WAIT_DEFAULT_MS, on_there);
}

static void start(struct call *call)
{
	visit_start(call, sizeof(struct typing), run);
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
	.example = { .args = JSON_TEXT({ "selector" : "input", "text" : "hello" }),
		.after = "browser.navigate",
		.abx = "browser type input hello" },
	.effects = OP_RUNS | OP_WRITES,
	.params = params,
	.params_size = sizeof(struct in),
	.result = result,
	.result_size = sizeof(struct out),
	.errors = errors,
	.start = start,
};
