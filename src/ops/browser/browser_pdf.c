/* SPDX-License-Identifier: Apache-2.0 */
/*
 * browser.pdf: print the page.
 */
#include "base/base64.h"
#include "browser/picture.h"
#include "browser/visit.h"

enum { BYTES_DEFAULT = 48 * 1024 * 1024, BYTES_CAP = 256 * 1024 * 1024 };

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

enum { PRINT_MS = 60000, SPARE = 4096 };

/* In inches, as the browser wants it; the order is that of formats. */
static const struct {
	double width, height;
} papers[] = { { 11.69, 16.54 }, { 8.27, 11.69 }, { 5.83, 8.27 }, { 8.5, 11 }, { 8.5, 14 }, { 11, 17 } };

struct pdf {
	struct visit visit;
};

static void on_printed(struct cdp_request *r, const struct cdp_answer *answer)
{
	struct visit *v = visit_of(r);
	struct out out = { .pages = 0 };

	if (visit_take_file(v, answer, "print the page", &out.pdf_base64) < 0)
		return;
	out.pages = picture_pages(out.pdf_base64);
	if (v->call->http.raw_response)
		visit_send(v, raw.media_type, out.pdf_base64);
	else
		visit_reply(v, &out);
}

static void run(struct visit *v)
{
	const struct in *in = call_in(v->call, struct in);
	struct json_writer *w = visit_begin(v, "Page.printToPDF");

	json_key(w, "printBackground");
	json_bool(w, true);
	json_key(w, "landscape");
	json_bool(w, in->landscape);
	json_key(w, "paperWidth");
	json_double(w, papers[in->format].width);
	json_key(w, "paperHeight");
	json_double(w, papers[in->format].height);
	visit_ask(v, PRINT_MS, base64_encoded_len((size_t)call_limit(v->call, "max_bytes")) + SPARE, on_printed);
}

static void start(struct call *call)
{
	visit_start(call, sizeof(struct pdf), run);
}

static const struct limit limits[] = {
	{ "max_bytes", BYTES_DEFAULT, BYTES_CAP, ERR_LIMIT_FILE, "Bytes of the document." },
	{ .name = NULL },
};

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
	.example = { .args = JSON_TEXT({ "format" : "A5" }), .file = "page.pdf", .after = "browser.navigate" },
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
