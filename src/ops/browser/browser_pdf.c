/* SPDX-License-Identifier: Apache-2.0 */
/*
 * browser.pdf: print the page.
 */
#include "call/call.h"

struct in {
	int format;
	bool landscape;
};

struct out {
	struct str pdf_base64;
	int64_t pages;
};

static const char *const formats[] = { "A3", "A4", "A5", "Letter", "Legal", "Tabloid", NULL };

enum { FORMAT_A4 = 1 };

static const struct field params[] = {
	P_CHOICE(struct in, format, FORMAT_A4, formats, "The size of the paper."),
	P_BOOL(struct in, landscape, false, "Whether the paper lies on its long side."),
	FIELDS_END,
};

static const struct field result[] = {
	R_BYTES(struct out, pdf_base64, "The document."),
	R_INT(struct out, pages, "How many pages it has."),
	FIELDS_END,
};

static const struct raw raw = { .response = true, .media_type = "application/pdf" };

static void start(struct call *call)
{
	err_set(&call->err, ERR_RUNTIME_UNAVAILABLE, "there is no browser here");
	call_fail(call);
}

static const enum err_code errors[] = { ERR_RUNTIME_UNAVAILABLE, ERR_LIMIT_TOO_MANY, ERR_LIMIT_FILE,
	ERR_BROWSER_TIMEOUT, ERR_BROWSER_FAILED, ERR_BROWSER_CRASHED, ERR_NONE };

const struct op op_browser_pdf = {
	.id = "browser.pdf",
	.endpoint = "browser_pdf",
	.group = "browser",
	.scope = "browser:use",
	.kind = OP_RAW,
	.method = "POST",
	.path = "/browser/pdf",
	.since = "0.1.0",
	.summary = "Print the page as a PDF document.",
	.description = "Backgrounds are printed. With Accept: application/pdf the bytes are sent as they are.",
	.effects = OP_RUNS | OP_READS,
	.params = params,
	.params_size = sizeof(struct in),
	.result = result,
	.result_size = sizeof(struct out),
	.raw = &raw,
	.errors = errors,
	.start = start,
};
