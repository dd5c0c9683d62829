/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/page.h"

#include "base/clock.h"
#include "browser/console.h"
#include "browser/span.h"

#include <errno.h>
#include <stdio.h>

enum {
	OPEN_TIMEOUT_MS = 20000,
	PING_MS = 1000,
	LAST_PING_MS = 3000, /* a page that is given up loses all that it has: it may only have had no CPU */
	TERMINATE_MS = 5000,
	WIDTH = 1280,
	HEIGHT = 720,
};

const char *const wait_until_choices[] = { "load", "domcontentloaded", "networkidle", "commit", NULL };

static void changed(struct page *page)
{
	if (page->on_change)
		page->on_change(page->user);
}

struct json_writer *page_begin(struct page *page, const char *method)
{
	return cdp_begin(page->cdp, method, page->session);
}

/* A name that the browser made: letters and digits. */
static void copy_id(char to[static PAGE_ID_SIZE], struct str id)
{
	snprintf(to, PAGE_ID_SIZE, STR_FMT, id.len > 2 ? (int)MIN(id.len - 2, PAGE_ID_SIZE) : 0,
		id.len > 2 ? id.p + 1 : "");
}

static void finish(struct page *page, bool ok)
{
	page_fn *done = take_ptr(page->done);

	page->opening = false;
	page->is_open = ok;
	if (done)
		done(page, ok);
}

/* The browser itself is gone: its owner is told, and tells how it came. */
static bool is_over(const struct cdp_answer *answer)
{
	return answer->status == -ECONNRESET;
}

/* --- opening */

static void on_set_up(struct cdp_request *r, const struct cdp_answer *answer)
{
	if (!is_over(answer))
		finish(OWNER(r, struct page, ask), answer->status == 0);
}

static void tell(struct page *page, const char *method)
{
	page_begin(page, method);
	cdp_tell(page->cdp);
}

static void discover_targets(struct page *page, bool on)
{
	struct json_writer *w = cdp_begin(page->cdp, "Target.setDiscoverTargets", NULL);

	json_key(w, "discover");
	json_bool(w, on);
	cdp_tell(page->cdp);
}

static void set_up(struct page *page)
{
	struct json_writer *w;

	tell(page, "Page.enable");
	tell(page, "Runtime.enable");
	tell(page, "Log.enable");
	tell(page, "Inspector.enable");
	w = page_begin(page, "Page.setLifecycleEventsEnabled");
	json_key(w, "enabled");
	json_bool(w, true);
	cdp_tell(page->cdp);
	w = cdp_begin(page->cdp, "Browser.setDownloadBehavior", NULL);
	json_key(w, "behavior");
	json_string(w, "deny");
	json_key(w, "eventsEnabled");
	json_bool(w, true);
	cdp_tell(page->cdp);
	/* Switched on anew it tells all that there are, windows too that were opened while this page had no name yet. */
	discover_targets(page, false);
	discover_targets(page, true);
	w = page_begin(page, "Emulation.setDeviceMetricsOverride");
	json_key(w, "width");
	json_int(w, WIDTH);
	json_key(w, "height");
	json_int(w, HEIGHT);
	json_key(w, "deviceScaleFactor");
	json_int(w, 1);
	json_key(w, "mobile");
	json_bool(w, false);
	cdp_ask(page->cdp, &page->ask, OPEN_TIMEOUT_MS, CDP_SMALL, on_set_up);
}

static void on_attached(struct cdp_request *r, const struct cdp_answer *answer)
{
	struct page *page = OWNER(r, struct page, ask);

	if (is_over(answer))
		return;
	copy_id(page->session, span_get(answer->result, "sessionId"));
	if (answer->status < 0 || !page->session[0])
		finish(page, false);
	else
		set_up(page);
}

static void on_created(struct cdp_request *r, const struct cdp_answer *answer)
{
	struct page *page = OWNER(r, struct page, ask);
	struct json_writer *w;

	if (is_over(answer))
		return;
	copy_id(page->target, span_get(answer->result, "targetId"));
	if (answer->status < 0 || !page->target[0]) {
		finish(page, false);
		return;
	}
	w = cdp_begin(page->cdp, "Target.attachToTarget", NULL);
	json_key(w, "targetId");
	json_string(w, page->target);
	json_key(w, "flatten");
	json_bool(w, true);
	cdp_ask(page->cdp, &page->ask, OPEN_TIMEOUT_MS, CDP_SMALL, on_attached);
}

static void close_target(struct page *page, const char *target)
{
	struct json_writer *w = cdp_begin(page->cdp, "Target.closeTarget", NULL);

	json_key(w, "targetId");
	json_string(w, target);
	cdp_tell(page->cdp);
}

void page_open(struct page *page, struct loop *loop, struct cdp *cdp, page_fn *done)
{
	char old[PAGE_ID_SIZE];
	struct json_writer *w;

	cdp_cancel(&page->ask);
	timer_free(&page->later);
	memcpy(old, page->target, sizeof old);
	*page = (struct page){ .loop = loop, .cdp = cdp, .opening = true, .done = done };
	if (old[0])
		close_target(page, old);
	w = cdp_begin(cdp, "Target.createTarget", NULL);
	json_key(w, "url");
	json_string(w, "about:blank");
	cdp_ask(cdp, &page->ask, OPEN_TIMEOUT_MS, CDP_SMALL, on_created);
}

void page_forget(struct page *page)
{
	cdp_cancel(&page->ask);
	timer_free(&page->later);
	*page = (struct page){ .loop = page->loop };
}

/* --- recovering */

static void ping(struct page *page);

static void on_terminated(struct cdp_request *r, const struct cdp_answer *answer)
{
	struct page *page = OWNER(r, struct page, ask);

	if (is_over(answer))
		return;
	if (answer->status == 0)
		ping(page);
	else
		page_open(page, page->loop, page->cdp, page->done);
}

static void on_pong(struct cdp_request *r, const struct cdp_answer *answer)
{
	struct page *page = OWNER(r, struct page, ask);

	if (is_over(answer))
		return;
	/* It closed itself, and the browser answers for it. */
	if (page->lost) {
		page_open(page, page->loop, page->cdp, page->done);
		return;
	}
	/* An answer of any kind, be it that the script was ended, is one. */
	if (answer->status != -ETIMEDOUT) {
		finish(page, true);
	} else if (page->attempt++ == 0) {
		page_begin(page, "Runtime.terminateExecution");
		cdp_ask(page->cdp, &page->ask, TERMINATE_MS, CDP_SMALL, on_terminated);
	} else {
		page_open(page, page->loop, page->cdp, page->done);
	}
}

static void ping(struct page *page)
{
	struct json_writer *w = page_begin(page, "Runtime.evaluate");

	json_key(w, "expression");
	json_string(w, "0");
	cdp_ask(page->cdp, &page->ask, page->attempt ? LAST_PING_MS : PING_MS, CDP_SMALL, on_pong);
}

void page_recover(struct page *page, page_fn *done)
{
	page->done = done;
	page->attempt = 0;
	ping(page);
}

/* --- what happens on it */

int64_t page_status(const struct page *page)
{
	bool is_its_own = page->response_loader[0] && strcmp(page->response_loader, page->document.loader) == 0;

	return is_its_own && page->response_status > 0 ? page->response_status : -1;
}

static void on_dialog(struct page *page, struct str params, char *text)
{
	struct str type = span_get(params, "type"), message = span_get(params, "message");
	/* To dismiss the question whether to leave would be to stay for ever. */
	bool leaves = span_is(type, "beforeunload");
	char line[CONSOLE_TEXT_MAX];
	struct json_writer *w = page_begin(page, "Page.handleJavaScriptDialog");

	json_key(w, "accept");
	json_bool(w, leaves);
	cdp_tell(page->cdp);
	message = span_text(text, message);
	snprintf(line, sizeof line, STR_FMT ": " STR_FMT, type.len > 2 ? (int)type.len - 2 : 0,
		type.len ? type.p + 1 : "", (int)MIN(message.len, CONSOLE_TEXT_MAX), message.len ? message.p : "");
	console_add("dialog", str_of(line), 0);
}

static void on_lifecycle(struct page *page, struct str params, char *text)
{
	struct str name = span_get(params, "name"), loader = span_get(params, "loaderId");
	char id[PAGE_ID_SIZE];

	(void)text;
	copy_id(id, span_get(params, "frameId"));
	if (strcmp(id, page->target) != 0)
		return; /* the main frame is named as its page */
	copy_id(id, loader);
	if (strcmp(id, page->document.loader) != 0) {
		page->document = (struct document){ .dom = false };
		memcpy(page->document.loader, id, sizeof id);
		network_reset(&page->network, clock_now_ns());
	}
	if (span_is(name, "DOMContentLoaded"))
		page->document.dom = true;
	if (span_is(name, "load"))
		page->document.dom = page->document.load = true;
}

static bool is_main_frame(const struct page *page, struct str params)
{
	char id[PAGE_ID_SIZE];

	copy_id(id, span_get(params, "frameId"));
	return strcmp(id, page->target) == 0;
}

static void on_loading(struct page *page, struct str params, char *text)
{
	(void)text;
	if (is_main_frame(page, params))
		page->loading = true;
}

static void on_loaded(struct page *page, struct str params, char *text)
{
	(void)text;
	if (is_main_frame(page, params))
		page->wanted = page->loading = false;
}

static void on_wanted(struct page *page, struct str params, char *text)
{
	(void)text;
	if (is_main_frame(page, params) && span_is(span_get(params, "disposition"), "currentTab"))
		page->wanted = true;
}

static void on_request(struct page *page, struct str params, char *text)
{
	struct str type = span_get(params, "type");

	(void)text;
	/* A stream of events and a beacon are not what a page waits for. */
	if (!span_get(params, "redirectResponse").p && !span_is(type, "EventSource") && !span_is(type, "Ping"))
		network_begin(&page->network, span_get(params, "requestId"));
}

static void on_request_end(struct page *page, struct str params, char *text)
{
	(void)text;
	network_end(&page->network, span_get(params, "requestId"), clock_now_ns());
}

static void on_data(struct page *page, struct str params, char *text)
{
	(void)params;
	(void)text;
	page->network.quiet_since_ns = clock_now_ns();
}

static void on_response(struct page *page, struct str params, char *text)
{
	struct str loader = span_get(params, "loaderId"), type = span_get(params, "type");

	(void)text;
	/*
	 * A body that the page never reads has no end for the browser, and that of a frame of another site
	 * ends where we do not hear it.  From here on only their bytes count, and the load event.
	 */
	if (span_is(type, "Fetch") || span_is(type, "Document"))
		network_end(&page->network, span_get(params, "requestId"), clock_now_ns());
	if (!span_is(type, "Document") || !str_eq(loader, span_get(params, "requestId")) ||
		!is_main_frame(page, params) || !str_starts(span_at(params, "response.url"), "\"http"))
		return;
	copy_id(page->response_loader, loader);
	page->response_status = span_integer(span_at(params, "response.status"), 0);
}

static void on_console(struct page *page, struct str params, char *text)
{
	(void)page;
	console_add_call(params, text);
}

static void on_exception(struct page *page, struct str params, char *text)
{
	(void)page;
	console_add_exception(params, text);
}

static void on_revoked(struct page *page, struct str params, char *text)
{
	(void)page;
	(void)text;
	console_revoke_exception(params);
}

static void on_log(struct page *page, struct str params, char *text)
{
	(void)page;
	console_add_log(params, text);
}

static void on_download(struct page *page, struct str params, char *text)
{
	struct str url = span_text(text, span_get(params, "url"));

	(void)page;
	console_add("download", url, 0);
}

static void on_window(struct page *page, struct str params, char *text)
{
	bool by_click = span_is(span_get(params, "userGesture"), "true");
	struct str url = span_text(text, span_get(params, "url"));

	console_add("window", url, 0);
	if (by_click && (str_starts(url, "http://") || str_starts(url, "https://")) && url.len < sizeof page->popup)
		snprintf(page->popup, sizeof page->popup, STR_FMT, STR_ARG(url));
}

/* There is one page: another one is closed, and where a click wanted it, ours goes there. */
static void on_target(struct page *page, struct str params, char *text)
{
	struct str info = span_get(params, "targetInfo");
	char target[PAGE_ID_SIZE];
	struct json_writer *w;

	(void)text;
	copy_id(target, span_get(info, "targetId"));
	if (!page->target[0] || !span_is(span_get(info, "type"), "page") || strcmp(target, page->target) == 0)
		return;
	close_target(page, target);
	if (!page->popup[0])
		return;
	w = page_begin(page, "Page.navigate");
	json_key(w, "url");
	json_string(w, page->popup);
	cdp_tell(page->cdp);
	page->popup[0] = '\0';
	page->loading = true; /* whoever clicked waits for it */
}

static void on_detached(struct page *page, struct str params, char *text)
{
	char session[PAGE_ID_SIZE];

	(void)text;
	copy_id(session, span_get(params, "sessionId"));
	if (!page->session[0] || strcmp(session, page->session) != 0)
		return;
	page->lost = true;
	page->is_open = false;
	page->target[0] = page->session[0] = '\0';
}

static void on_crash(struct page *page, struct str params, char *text)
{
	(void)params;
	(void)text;
	page->crashed = true;
	console_add("crash", STR("the page's process ended unexpectedly"), 0);
}

static const struct handler {
	const char *method;
	void (*fn)(struct page *page, struct str params, char *text);
	bool of_browser; /* comes without a session */
} handlers[] = {
	{ "Runtime.consoleAPICalled", on_console, false },
	{ "Network.requestWillBeSent", on_request, false },
	{ "Network.responseReceived", on_response, false },
	{ "Network.dataReceived", on_data, false },
	{ "Network.loadingFinished", on_request_end, false },
	{ "Network.loadingFailed", on_request_end, false },
	{ "Page.lifecycleEvent", on_lifecycle, false },
	{ "Page.frameRequestedNavigation", on_wanted, false },
	{ "Page.frameStartedLoading", on_loading, false },
	{ "Page.frameStoppedLoading", on_loaded, false },
	{ "Page.javascriptDialogOpening", on_dialog, false },
	{ "Page.windowOpen", on_window, false },
	{ "Runtime.exceptionThrown", on_exception, false },
	{ "Runtime.exceptionRevoked", on_revoked, false },
	{ "Log.entryAdded", on_log, false },
	{ "Inspector.targetCrashed", on_crash, false },
	{ "Browser.downloadWillBegin", on_download, true },
	{ "Target.targetCreated", on_target, true },
	{ "Target.detachedFromTarget", on_detached, true },
};

void page_event(struct page *page, struct str method, struct str params, struct str session, char *text)
{
	for (size_t i = 0; i < ARRAY_LEN(handlers); i++) {
		if (!str_is(method, handlers[i].method))
			continue;
		/* What a page before this one still says is not of interest. */
		if (handlers[i].of_browser || span_is(session, page->session)) {
			handlers[i].fn(page, params, text);
			changed(page);
		}
		return;
	}
}

void page_cut(struct page *page, struct str method)
{
	(void)page;
	if (str_is(method, "Runtime.consoleAPICalled") || str_is(method, "Runtime.exceptionThrown"))
		console_add("log", STR("(more than a megabyte at once)"), 0);
}
