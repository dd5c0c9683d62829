/* SPDX-License-Identifier: Apache-2.0 */
/*
 * browser.evaluate: run a script in the page.
 */
#include "browser/page.h"
#include "browser/span.h"
#include "browser/visit.h"

#include <errno.h>

enum {
	TIMEOUT_DEFAULT = 10000,
	TIMEOUT_MAX = 300000,
	RESULT_DEFAULT = 8 * 1024 * 1024,
	RESULT_CAP = 32 * 1024 * 1024,
};

struct in {
	struct str script;
	int64_t timeout;
};

struct out {
	struct str result;
};

static const struct field params[] = {
	P_TEXT(struct in, script, F_REQUIRED, "JavaScript; its last expression is the result, a promise is awaited."),
	P_INT(struct in, timeout, TIMEOUT_DEFAULT, 1, TIMEOUT_MAX, "Milliseconds until it is ended."),
	FIELDS_END,
};

static const struct field result[] = {
	FIELD_ROW(struct out, result, struct str, FIELD_ANY, "The value as JSON; undefined is null.", .raw_json = true,
		.flags = F_REQUIRED | F_NULLABLE),
	FIELDS_END,
};

enum { DEPTH_MAX = 60, SPARE = 64 * 1024 };

struct evaluate {
	struct visit visit;
};

/* What was thrown, without the trace of calls that follows it. */
static struct str thrown(char *text, struct str details)
{
	struct str said = span_at(details, "exception.description"), value = span_at(details, "exception.value");
	const char *trace;

	if (!said.p)
		said = value.p ? value : span_get(details, "text");
	if (said.len && *said.p == '"')
		said = span_text(text, said);
	trace = said.len ? memmem(said.p, said.len, "\n    at ", strlen("\n    at ")) : NULL;
	if (trace)
		said.len = (size_t)(trace - said.p);
	return said;
}

static void fail_thrown(struct visit *v, const struct cdp_answer *answer)
{
	struct str said = thrown(answer->text, span_get(answer->result, "exceptionDetails"));

	err_set(&v->call->err, ERR_BROWSER_FAILED, "the script threw: " STR_FMT, (int)MIN(said.len, 440),
		said.len ? said.p : "");
	visit_fail(v);
}

static void fail_shapeless(struct visit *v, const char *what)
{
	err_set(&v->call->err, ERR_BROWSER_FAILED, "the result has no JSON form: it is %s", what);
	visit_fail(v);
}

static void reply(struct visit *v, const struct cdp_answer *answer, struct str value)
{
	struct out out = { .result = value };

	if (value.p && span_depth(value) > DEPTH_MAX) {
		fail_shapeless(v, "nested more than 60 levels deep");
		return;
	}
	if (!value.p || span_is(value, "null"))
		out.result = STR("null");
	else
		span_mend(answer->text, value);
	v->kept = messages_take(answer->message);
	visit_reply(v, &out);
}

/* The common end of an answer that is no result yet; false: it is one. */
static bool has_failed(struct visit *v, const struct cdp_answer *answer)
{
	if (answer->status == -ETIMEDOUT) {
		err_set(&v->call->err, ERR_BROWSER_TIMEOUT, "the script did not end within %lld ms and was ended",
			(long long)call_in(v->call, struct in)->timeout);
		visit_fail(v);
	} else if (answer->status < 0) {
		visit_fail_with(v, answer, "run the script");
	} else if (span_get(answer->result, "exceptionDetails").p) {
		fail_thrown(v, answer);
	} else {
		return false;
	}
	return true;
}

static void on_json(struct cdp_request *r, const struct cdp_answer *answer)
{
	struct visit *v = visit_of(r);

	if (!has_failed(v, answer))
		reply(v, answer, span_at(answer->result, "result.value"));
}

static size_t room(const struct visit *v)
{
	return (size_t)call_limit(v->call, "max_bytes") + SPARE;
}

/* An object is asked for its JSON form as JSON.stringify() has it, so that dates and toJSON() count. */
static void ask_json(struct visit *v, struct str id)
{
	struct json_writer *w = visit_begin(v, "Runtime.callFunctionOn");

	json_key(w, "objectId");
	json_raw(w, id);
	json_key(w, "functionDeclaration");
	json_string(w, "function() { const t = JSON.stringify(this); return t === undefined ? null : JSON.parse(t); }");
	json_key(w, "returnByValue");
	json_bool(w, true);
	visit_ask(v, visit_left_ms(v), room(v), on_json);
}

static void on_value(struct cdp_request *r, const struct cdp_answer *answer)
{
	struct visit *v = visit_of(r);
	struct str object = span_get(answer->result, "result"), type = span_get(object, "type");
	struct str odd = span_get(object, "unserializableValue"), id = span_get(object, "objectId");

	if (has_failed(v, answer))
		return;
	if (span_is(type, "function") || span_is(type, "symbol") || span_is(type, "bigint"))
		fail_shapeless(v, span_is(type, "function") ? "a function"
				  : span_is(type, "symbol") ? "a symbol"
							    : "a BigInt");
	else if (span_is(span_get(object, "subtype"), "node"))
		fail_shapeless(v, "a node of the document");
	else if (odd.p && !span_is(odd, "-0"))
		fail_shapeless(v, "not a finite number");
	else if (odd.p)
		reply(v, answer, STR("0"));
	else if (id.p && span_is(type, "object"))
		ask_json(v, id);
	else
		reply(v, answer, span_get(object, "value"));
}

/* As a console does it the script's own promise is waited for, and not one that is its value. */
static void on_result(struct cdp_request *r, const struct cdp_answer *answer)
{
	struct visit *v = visit_of(r);
	struct str object = span_get(answer->result, "result"), id = span_get(object, "objectId");
	struct json_writer *w;

	if (answer->status < 0 || !id.p || !span_is(span_get(object, "type"), "object") ||
		span_get(answer->result, "exceptionDetails").p) {
		on_value(r, answer);
		return;
	}
	w = visit_begin(v, "Runtime.callFunctionOn");
	json_key(w, "objectId");
	json_raw(w, id);
	json_key(w, "functionDeclaration");
	json_string(w, "function() { return this; }");
	json_key(w, "awaitPromise");
	json_bool(w, true);
	json_key(w, "objectGroup");
	json_string(w, "abx");
	visit_ask(v, visit_left_ms(v), room(v), on_value);
}

static void run(struct visit *v)
{
	const struct in *in = call_in(v->call, struct in);
	struct json_writer *w = visit_begin(v, "Runtime.releaseObjectGroup");

	/* What the one before left in the page's memory. */
	json_key(w, "objectGroup");
	json_string(w, "abx");
	cdp_tell(visit_page()->cdp);
	w = visit_begin(v, "Runtime.evaluate");
	json_key(w, "expression");
	json_text(w, in->script);
	/* As in a console: 'await' at the top, and a name may be declared once more. */
	json_key(w, "replMode");
	json_bool(w, true);
	json_key(w, "objectGroup");
	json_string(w, "abx");
	visit_set_deadline(v, in->timeout);
	visit_ask(v, in->timeout, room(v), on_result);
}

static void start(struct call *call)
{
	visit_start(call, sizeof(struct evaluate), run);
}

static const struct limit limits[] = {
	{ "max_bytes", RESULT_DEFAULT, RESULT_CAP, ERR_LIMIT_FILE, "Bytes of the result, about." },
	{ .name = NULL },
};

static const enum err_code errors[] = { ERR_RUNTIME_UNAVAILABLE, ERR_LIMIT_TOO_MANY, ERR_LIMIT_FILE,
	ERR_BROWSER_TIMEOUT, ERR_BROWSER_FAILED, ERR_BROWSER_CRASHED, ERR_NONE };

const struct op op_browser_evaluate = {
	.id = "browser.evaluate",
	.endpoint = "browser_evaluate",
	.group = "browser",
	.scope = "browser:use",
	.kind = OP_JSON,
	.method = "POST",
	.path = "/browser/evaluate",
	.since = "0.1.0",
	.summary = "Run a script in the page and answer with its value.",
	.description =
		"What a script throws is browser.failed with its message; so is a value that has no JSON form, such as a function. At "
		"the timeout the script is ended, also in the middle of a loop.",
	.example = { .args = JSON_TEXT({ "script" : "document.title" }),
		.after = "browser.navigate",
		.abx = "browser eval document.title" },
	.effects = OP_RUNS | OP_WRITES,
	.params = params,
	.params_size = sizeof(struct in),
	.result = result,
	.result_size = sizeof(struct out),
	.errors = errors,
	.limits = limits,
	.start = start,
};
