/* SPDX-License-Identifier: Apache-2.0 */
/*
 * browser.content: what the page holds, as HTML or as the text that it shows.
 */
#include "browser/probe.h"
#include "browser/span.h"

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

enum {
	READ_MS = 30000,
	ESCAPED = 3, /* times longer is text of many languages as the browser writes it */
	SPARE = 1024 * 1024,
};

static const char html[] =
	"() => { const d = document.doctype, r = document.documentElement; return { content: (d ? '<!DOCTYPE ' + d.name + "
	"(d.publicId ? ' PUBLIC \"' + d.publicId + '\"' : d.systemId ? ' SYSTEM' : '') + (d.systemId ? ' \"' + d.systemId + "
	"'\"' : '') + '>' : '') + (r ? r.outerHTML : ''), url: location.href.slice(0, 65536), title: document.title }; }";
static const char text[] =
	"() => { const r = document.body || document.documentElement; return { content: r ? r.innerText === undefined ? "
	"r.textContent : r.innerText : '', url: location.href.slice(0, 65536), title: document.title }; }";

struct content {
	struct visit visit;
	struct probe probe;
};

static void on_content(struct probe *p, const struct cdp_answer *answer, struct str value)
{
	struct visit *v = p->visit;
	struct call *call = v->call;
	struct out out = {
		.content = span_get(value, "content"),
		.url = span_get(value, "url"),
		.title = span_get(value, "title"),
	};

	if (!value.p) {
		visit_fail_with(v, answer, p->what);
		return;
	}
	out.content = span_text(answer->text, out.content);
	out.url = span_text(answer->text, out.url);
	out.title = span_text(answer->text, out.title);
	if ((int64_t)out.content.len > call_limit(call, "max_bytes")) {
		call_over_limit(call, "max_bytes", &call->err, "the page holds %zu bytes; max_bytes is %lld",
			out.content.len, (long long)call_limit(call, "max_bytes"));
		visit_fail(v);
		return;
	}
	v->kept = messages_take(answer->message);
	visit_reply(v, &out);
}

static void run(struct visit *v)
{
	struct content *s = OWNER(v, struct content, visit);
	const struct in *in = call_in(v->call, struct in);

	s->probe = (struct probe){
		.visit = v,
		.script = in->type == 0 ? html : text,
		.what = "read the page",
		.max = (size_t)call_limit(v->call, "max_bytes") * ESCAPED + SPARE,
		.fn = on_content,
	};
	visit_set_deadline(v, READ_MS);
	probe_run(&s->probe);
}

static void start(struct call *call)
{
	visit_start(call, sizeof(struct content), run);
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
	.example = { .args = JSON_TEXT({ "type" : "text" }), .after = "browser.navigate", .abx = "browser text" },
	.effects = OP_RUNS | OP_READS,
	.params = params,
	.params_size = sizeof(struct in),
	.result = result,
	.result_size = sizeof(struct out),
	.errors = errors,
	.limits = limits,
	.start = start,
};
