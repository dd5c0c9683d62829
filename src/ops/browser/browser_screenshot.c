/* SPDX-License-Identifier: Apache-2.0 */
/*
 * browser.screenshot: a picture of the page or of one element.
 */
#include "call/call.h"

struct in {
	const char *selector;
	bool full_page;
	int format;
	struct opt_int quality;
};

struct out {
	struct str image_base64;
	int64_t width, height;
};

static const char *const formats[] = { "png", "jpeg", NULL };

static const struct field params[] = {
	P_STRING(struct in, selector, 0, "CSS selector of one element; without it the page."),
	P_BOOL(struct in, full_page, true, "The whole page instead of what a window shows; not asked with a selector."),
	P_CHOICE(struct in, format, 0, formats, "The kind of picture."),
	P_OPT_INT(struct in, quality, 0, 100, "Of a jpeg."),
	FIELDS_END,
};

static const struct field result[] = {
	R_BYTES(struct out, image_base64, "The picture."),
	R_INT(struct out, width, "Its width in pixels."),
	R_INT(struct out, height, "Its height in pixels."),
	FIELDS_END,
};

static const struct raw raw = { .response = true, .media_type = "image/*" };

static void start(struct call *call)
{
	err_set(&call->err, ERR_RUNTIME_UNAVAILABLE, "there is no browser here");
	call_fail(call);
}

static const enum err_code errors[] = { ERR_RUNTIME_UNAVAILABLE, ERR_LIMIT_TOO_MANY, ERR_LIMIT_FILE,
	ERR_BROWSER_TIMEOUT, ERR_BROWSER_NOT_FOUND, ERR_BROWSER_FAILED, ERR_BROWSER_CRASHED, ERR_NONE };

const struct op op_browser_screenshot = {
	.id = "browser.screenshot",
	.endpoint = "browser_screenshot",
	.group = "browser",
	.scope = "browser:use",
	.kind = OP_RAW,
	.method = "POST",
	.path = "/browser/screenshot",
	.since = "0.1.0",
	.summary = "Take a picture of the page or of one element.",
	.description =
		"With Accept: image/* (or image/png, image/jpeg) the bytes are sent as they are, in the format that was asked for. A "
		"picture is at most 16384 pixels wide and high; a page that is longer is cut there.",
	.effects = OP_RUNS | OP_READS,
	.params = params,
	.params_size = sizeof(struct in),
	.result = result,
	.result_size = sizeof(struct out),
	.raw = &raw,
	.errors = errors,
	.start = start,
};
