/* SPDX-License-Identifier: Apache-2.0 */
/*
 * browser.screenshot: a picture of the page or of one element.
 */
#include "base/base64.h"
#include "browser/page.h"
#include "browser/picture.h"
#include "browser/span.h"
#include "browser/wait.h"

#include <math.h>

enum { BYTES_DEFAULT = 48 * 1024 * 1024, BYTES_CAP = 256 * 1024 * 1024 };

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

enum { PICTURE_MS = 30000, SIDE_MAX = 16384, SPARE = 4096 };

static const char *const media_types[] = { "image/png", "image/jpeg" };

struct box {
	double x, y, width, height;
};

struct shot {
	struct visit visit;
	struct wait wait;
};

static void on_picture(struct cdp_request *r, const struct cdp_answer *answer)
{
	struct visit *v = visit_of(r);
	struct out out = { .width = 0 };

	if (visit_take_file(v, answer, "take the picture", &out.image_base64) < 0)
		return;
	if (picture_size(out.image_base64, &out.width, &out.height) < 0) {
		err_set(&v->call->err, ERR_BROWSER_FAILED, "the browser gave no picture");
		visit_fail(v);
	} else if (v->call->http.raw_response) {
		visit_send(v, media_types[call_in(v->call, struct in)->format], out.image_base64);
	} else {
		visit_reply(v, &out);
	}
}

/* box NULL: what the window shows. */
static void take(struct visit *v, const struct box *box)
{
	const struct in *in = call_in(v->call, struct in);
	struct json_writer *w = visit_begin(v, "Page.captureScreenshot");

	json_key(w, "format");
	json_string(w, formats[in->format]);
	if (in->quality.set) {
		json_key(w, "quality");
		json_int(w, in->quality.value);
	}
	if (box) {
		json_key(w, "captureBeyondViewport");
		json_bool(w, true);
		json_key(w, "clip");
		json_object_begin(w);
		json_key(w, "x");
		json_double(w, box->x);
		json_key(w, "y");
		json_double(w, box->y);
		json_key(w, "width");
		json_double(w, MIN(MAX(box->width, 1), SIDE_MAX));
		json_key(w, "height");
		json_double(w, MIN(MAX(box->height, 1), SIDE_MAX));
		json_key(w, "scale");
		json_int(w, 1);
		json_object_end(w);
	}
	visit_ask(v, PICTURE_MS, base64_encoded_len((size_t)call_limit(v->call, "max_bytes")) + SPARE, on_picture);
}

static void on_there(struct wait *wait)
{
	struct shot *s = OWNER(wait, struct shot, wait);
	double right = ceil(wait->left + wait->width), bottom = ceil(wait->top + wait->height);
	struct box box = { .x = floor(wait->left), .y = floor(wait->top) };

	box.width = right - box.x;
	box.height = bottom - box.y;
	take(&s->visit, &box);
}

static void on_size(struct cdp_request *r, const struct cdp_answer *answer)
{
	struct visit *v = visit_of(r);
	struct str size = span_get(answer->result, "cssContentSize");
	struct box box = {
		.width = span_number(span_get(size, "width"), 0),
		.height = span_number(span_get(size, "height"), 0),
	};

	if (answer->status < 0)
		visit_fail_with(v, answer, "measure the page");
	else
		take(v, &box);
}

static void run(struct visit *v)
{
	struct shot *s = OWNER(v, struct shot, visit);
	const struct in *in = call_in(v->call, struct in);

	if (in->selector) {
		wait_start(&s->wait, v, in->selector, WAIT_TO_SHOW, WAIT_DEFAULT_MS, on_there);
	} else if (in->full_page) {
		visit_begin(v, "Page.getLayoutMetrics");
		visit_ask(v, PICTURE_MS, CDP_SMALL, on_size);
	} else {
		take(v, NULL);
	}
}

static void start(struct call *call)
{
	const struct in *in = call_in(call, struct in);

	if (in->quality.set && in->format == 0) {
		err_set(&call->err, ERR_ARGS_INVALID, "'quality' is for 'format' jpeg; a png has none");
		call_fail(call);
	} else {
		visit_start(call, sizeof(struct shot), run);
	}
}

static const struct limit limits[] = {
	{ "max_bytes", BYTES_DEFAULT, BYTES_CAP, ERR_LIMIT_FILE, "Bytes of the picture." },
	{ .name = NULL },
};

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
	.example = { .args = JSON_TEXT({ "selector" : "button" }), .file = "page.png", .after = "browser.navigate" },
	.effects = OP_RUNS | OP_READS,
	.params = params,
	.params_size = sizeof(struct in),
	.result = result,
	.result_size = sizeof(struct out),
	.raw = &raw,
	.errors = errors,
	.limits = limits,
	.start = start,
};
