/* SPDX-License-Identifier: Apache-2.0 */
/*
 * browser.content: what the page holds, as HTML or as the text that it shows.
 */
#include "call/call.h"

enum { CONTENT_DEFAULT = 10 * 1024 * 1024, CONTENT_CAP = 32 * 1024 * 1024 };

struct in {
	int type;
};

struct out {
	struct str content, url, title;
};

static const char *const types[] = { "html", "text", NULL };

static const struct field params[] = {
	P_CHOICE(struct in, type, 0, types, "The document as it is now, or the text that it shows."),
	FIELDS_END,
};

static const struct field result[] = {
	R_TEXT(struct out, content, "The content."),
	R_TEXT(struct out, url, "Where the page is."),
	R_TEXT(struct out, title, "Its title."),
	FIELDS_END,
};

static const struct limit limits[] = {
	{ "max_bytes", CONTENT_DEFAULT, CONTENT_CAP, ERR_LIMIT_FILE, "Bytes of the content." },
	{ .name = NULL },
};

static void start(struct call *call)
{
	err_set(&call->err, ERR_RUNTIME_UNAVAILABLE, "there is no browser here");
	call_fail(call);
}

static const enum err_code errors[] = { ERR_RUNTIME_UNAVAILABLE, ERR_LIMIT_TOO_MANY, ERR_LIMIT_FILE,
	ERR_BROWSER_TIMEOUT, ERR_BROWSER_FAILED, ERR_BROWSER_CRASHED, ERR_NONE };

const struct op op_browser_content = {
	.id = "browser.content",
	.endpoint = "browser_content",
	.group = "browser",
	.scope = "browser:use",
	.kind = OP_JSON,
	.method = "GET",
	.path = "/browser/content",
	.since = "0.1.0",
	.summary = "Read the page as HTML or text.",
	.description =
		"The HTML is the document as scripts have made it by now, not what the server sent. The text is what a reader sees.",
	.effects = OP_RUNS | OP_READS,
	.params = params,
	.params_size = sizeof(struct in),
	.result = result,
	.result_size = sizeof(struct out),
	.errors = errors,
	.limits = limits,
	.start = start,
};
