/* SPDX-License-Identifier: Apache-2.0 */
/*
 * browser.navigate: go to an address and wait until the page is there.
 */
#include "base/clock.h"
#include "browser/address.h"
#include "browser/page.h"
#include "browser/probe.h"
#include "browser/span.h"

#include <errno.h>
#include <stdio.h>

enum { TIMEOUT_DEFAULT = 30000, TIMEOUT_MAX = 300000 };

struct in {
	const char *url;
	int wait_until;
	int64_t timeout;
};

struct out {
	struct str url, title;
	struct opt_int status;
};

static const struct field params[] = {
	P_STRING(struct in, url, F_REQUIRED, "Where to go: http, https, data or about:blank."),
	P_CHOICE(struct in, wait_until, WAIT_NETWORK_IDLE, wait_until_choices,
		"When the page counts as there: its load event, its DOM, no request for 500 ms, or the first byte."),
	P_INT(struct in, timeout, TIMEOUT_DEFAULT, 1, TIMEOUT_MAX, "Milliseconds until it is given up."),
	FIELDS_END,
};

static const struct field result[] = {
	R_TEXT(struct out, url, "Where the page is, after redirects."),
	R_TEXT(struct out, title, "Its title."),
	R_NULL_INT(struct out, status, "The HTTP status of the main document; null where there was no HTTP."),
	FIELDS_END,
};

enum { QUIET_MS = 500, TITLE_MAX = 1024 * 1024 };

static const char where[] = "() => ({ url: location.href.slice(0, 65536), title: document.title })";

struct navigate {
	struct visit visit;
	struct probe probe;
	char loader[PAGE_ID_SIZE]; /* of the document that is waited for; empty: none is */
	bool answered, arrived;    /* the browser named it; it was there */
	uint64_t refusals;         /* before */
};

static struct navigate *navigate_of(struct visit *v)
{
	return OWNER(v, struct navigate, visit);
}

static void tell(struct visit *v, const char *method)
{
	visit_begin(v, method);
	cdp_tell(visit_page()->cdp);
}

static void on_where(struct probe *p, const struct cdp_answer *answer, struct str value)
{
	struct visit *v = p->visit;
	int64_t status = page_status(visit_page());
	struct out out = {
		.url = span_get(value, "url"),
		.title = span_get(value, "title"),
		.status = { .set = status >= 0, .value = status },
	};

	tell(v, "Network.disable");
	if (!value.p) {
		visit_fail_with(v, answer, p->what);
		return;
	}
	out.url = span_text(answer->text, out.url);
	out.title = span_text(answer->text, out.title);
	/* The browser shows a page of its own in place of an answer without a body. */
	if (str_starts(out.url, "chrome-error:"))
		out.url = str_of(call_in(v->call, struct in)->url);
	if (address_check_host(v->call, out.url) < 0) {
		visit_fail(v);
		return;
	}
	v->kept = messages_take(answer->message);
	visit_reply(v, &out);
}

/* Once: an event of the page may tell it, and a timer that is due at that moment would tell it again. */
static void arrived(struct navigate *s)
{
	visit_page()->on_change = NULL;
	timer_stop(&s->visit.timer);
	s->probe = (struct probe){
		.visit = &s->visit, .script = where, .what = "read the page", .max = TITLE_MAX, .fn = on_where
	};
	probe_run(&s->probe);
}

static void give_up(struct timer *t)
{
	struct visit *v = OWNER(t, struct visit, timer);
	struct navigate *s = navigate_of(v);
	struct page *page = visit_page();
	const struct in *in = call_in(v->call, struct in);

	if (!s->arrived)
		tell(v, "Page.stopLoading");
	tell(v, "Network.disable");
	err_set(&v->call->err, ERR_BROWSER_TIMEOUT, "the page was not at '%s' within %lld ms: %s",
		wait_until_choices[in->wait_until], (long long)in->timeout,
		!s->arrived            ? "there is no answer yet"
		: !page->document.dom  ? "its document is not whole"
		: !page->document.load ? "it still loads"
		: page->network.count  ? "requests are still under way"
				       : "its requests do not end");
	visit_fail(v);
}

static void look(void *user);

static void on_time(struct timer *t)
{
	struct visit *v = OWNER(t, struct visit, timer);

	if (visit_left_ms(v) == 0)
		give_up(t);
	else
		look(navigate_of(v));
}

static bool is_there(const struct navigate *s, int64_t *ret_wait_ms)
{
	const struct page *page = visit_page();
	int64_t quiet_ms = (clock_now_ns() - page->network.quiet_since_ns) / NS_PER_MS;

	*ret_wait_ms = INT64_MAX;
	switch ((enum wait_until)call_in(s->visit.call, struct in)->wait_until) {
	case WAIT_COMMIT:
		return true;
	case WAIT_DOM:
		return page->document.dom;
	case WAIT_LOAD:
		return page->document.load;
	case WAIT_NETWORK_IDLE:
		if (page->document.load && page->network.count == 0)
			*ret_wait_ms = MAX(QUIET_MS - quiet_ms, 0);
		return *ret_wait_ms == 0;
	}
	return false;
}

static void look(void *user)
{
	struct navigate *s = user;
	struct visit *v = &s->visit;
	int64_t wait_ms;

	if (s->loader[0] && strcmp(s->loader, visit_page()->document.loader) == 0)
		s->arrived = true;
	if (!s->answered || !s->arrived)
		return;
	/* A document that a script of the first one went on to counts in its place. */
	if (is_there(s, &wait_ms))
		arrived(s);
	else
		timer_start(&v->timer, v->call->loop, MIN(wait_ms, visit_left_ms(v)) * NS_PER_MS, on_time);
}

static void fail(struct visit *v, enum err_code code, struct str reason)
{
	tell(v, "Network.disable");
	if (visit_refusals() > navigate_of(v)->refusals) {
		address_refuse(v->call, str_of(visit_refused_host()));
		visit_fail(v);
		return;
	}
	err_set(&v->call->err, code, "cannot open '%.200s': " STR_FMT, call_in(v->call, struct in)->url,
		(int)MIN(reason.len, 200), reason.p);
	visit_fail(v);
}

static void on_navigated(struct cdp_request *r, const struct cdp_answer *answer)
{
	struct visit *v = visit_of(r);
	struct navigate *s = navigate_of(v);
	struct str loader = span_get(answer->result, "loaderId"), error = span_get(answer->result, "errorText");
	bool is_download = span_is(span_get(answer->result, "isDownload"), "true");

	if (answer->status == -ETIMEDOUT) {
		give_up(&v->timer);
	} else if (answer->status < 0) {
		visit_fail_with(v, answer, "open the address");
	} else if (is_download) {
		fail(v, ERR_BROWSER_FAILED, STR("it is a download, and downloads are refused"));
	} else if (!loader.p) {
		arrived(s); /* another place of the same document */
	} else if (error.p &&
		   !(span_is(loader, visit_page()->response_loader) && visit_page()->response_status >= 400)) {
		fail(v, ERR_BROWSER_FAILED, span_text(answer->text, error));
	} else {
		/* What the browser calls an error may be an answer with an error's status and no body. */
		snprintf(s->loader, sizeof s->loader, STR_FMT, (int)MAX((ssize_t)loader.len - 2, 0), loader.p + 1);
		s->answered = true;
		timer_start(&v->timer, v->call->loop, visit_left_ms(v) * NS_PER_MS, on_time);
		look(s);
	}
}

static void run(struct visit *v)
{
	const struct in *in = call_in(v->call, struct in);
	struct page *page = visit_page();
	struct json_writer *w;

	page->user = navigate_of(v);
	page->on_change = look;
	network_reset(&page->network, clock_now_ns());
	tell(v, "Network.enable");
	navigate_of(v)->refusals = visit_refusals();
	visit_set_deadline(v, in->timeout);
	w = visit_begin(v, "Page.navigate");
	json_key(w, "url");
	json_string(w, in->url);
	visit_ask(v, in->timeout, TITLE_MAX, on_navigated);
}

static int permit(struct call *call)
{
	const char *url = call_in(call, struct in)->url;

	return url ? address_check(call, url) : 0;
}

static void start(struct call *call)
{
	if (permit(call) < 0)
		call_fail(call);
	else
		visit_start(call, sizeof(struct navigate), run);
}

static const enum err_code errors[] = { ERR_RUNTIME_UNAVAILABLE, ERR_LIMIT_TOO_MANY, ERR_POLICY_HOST,
	ERR_BROWSER_TIMEOUT, ERR_BROWSER_FAILED, ERR_BROWSER_CRASHED, ERR_NONE };

const struct op op_browser_navigate = {
	.id = "browser.navigate",
	.endpoint = "browser_navigate",
	.group = "browser",
	.scope = "browser:use",
	.kind = OP_JSON,
	.method = "POST",
	.path = "/browser/navigate",
	.since = "0.1.0",
	.summary = "Go to an address and wait until the page is there.",
	.description =
		"A page that answers with an error status is a page: 'status' says so. 'networkidle' is the load event and no request for "
		"500 ms. Redirects and whatever the page loads are held to the policy's browser.allow_hosts.",
	.example = { .args = JSON_TEXT(
			     { "url" : "data:text/html,<title>Demo</title><h1>Demo</h1><input><button>Go</button>" }) },
	.effects = OP_RUNS | OP_READS,
	.params = params,
	.params_size = sizeof(struct in),
	.result = result,
	.result_size = sizeof(struct out),
	.errors = errors,
	.permit = permit,
	.start = start,
};
