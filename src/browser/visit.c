/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/visit.h"

#include "base/base64.h"
#include "base/clock.h"
#include "browser/address.h"
#include "browser/chromium.h"
#include "browser/console.h"
#include "browser/page.h"
#include "browser/proxy.h"
#include "browser/span.h"
#include "policy/config.h"
#include "policy/place.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum { ALIVE_MS = 300, STARTS_MAX = 3 };

enum state { BROWSER_OFF, BROWSER_STARTING, BROWSER_READY };

static struct {
	struct loop *loop;
	enum state state;
	struct chromium *chromium;
	struct policy *policy; /* with which it was started */
	struct proxy *proxy;   /* NULL: it may go everywhere */
	char refused[320];     /* the last host that the proxy refused */
	struct page page;
	bool page_busy; /* the page is opened or recovers: nobody's turn */
	struct list_node queue;
	size_t waiting;
	struct visit *current;
	struct turn pump;
	struct timer idle;
	bool stopped;
} browser = { .queue = { &browser.queue, &browser.queue } };

static void pump(struct turn *t);

static void pump_soon(void)
{
	turn_start(&browser.pump, browser.loop, pump);
}

struct page *visit_page(void)
{
	return &browser.page;
}

uint64_t visit_refusals(void)
{
	return browser.proxy ? proxy_refused(browser.proxy) : 0;
}

const char *visit_refused_host(void)
{
	return browser.refused;
}

/* --- ends of a visit */

static void page_done(struct page *page, bool ok);

/* From here on it is not in the browser's way any more.  dirty: something of it may still go on in the page. */
static void leave(struct visit *v, bool dirty)
{
	cdp_cancel(&v->ask);
	timer_free(&v->timer);
	v->ended = true;
	if (!v->running) {
		list_remove(&v->node);
		browser.waiting--;
		return;
	}
	browser.current = NULL;
	browser.page.on_change = NULL;
	if (dirty && browser.state == BROWSER_READY && browser.page.is_open && !browser.page.crashed) {
		browser.page_busy = true;
		page_recover(&browser.page, page_done);
	}
	pump_soon();
}

void visit_reply(struct visit *v, const void *out)
{
	leave(v, false);
	call_reply(v->call, out);
}

void visit_fail(struct visit *v)
{
	leave(v, v->call->err.code == ERR_BROWSER_TIMEOUT || v->call->gone);
	call_fail(v->call);
}

static enum source_status pull(struct source *source, struct buf *out, size_t room)
{
	struct visit *v = OWNER(source, struct visit, source);
	size_t len = MIN(room, v->kept.len - v->sent);

	buf_add(out, v->kept.data + v->sent, len);
	v->sent += len;
	return v->sent == v->kept.len ? SOURCE_END : SOURCE_MORE;
}

static void close_source(struct source *source)
{
	(void)source;
}

void visit_send(struct visit *v, const char *media_type, struct str bytes)
{
	struct raw_reply head = { .status = 200, .media_type = media_type, .length = (int64_t)bytes.len };

	buf_drop(&v->kept, (size_t)(bytes.p - v->kept.data));
	buf_truncate(&v->kept, bytes.len);
	v->source = (struct source){ pull, close_source };
	leave(v, false);
	call_send(v->call, &head, &v->source);
}

static void fail_all(const struct err *why)
{
	struct visit *v;

	while ((v = browser.current) ||
		(!list_is_empty(&browser.queue) && (v = OWNER(browser.queue.next, struct visit, node)))) {
		v->call->err = *why;
		visit_fail(v);
	}
}

void visit_fail_with(struct visit *v, const struct cdp_answer *answer, const char *what)
{
	struct err *err = &v->call->err, why;

	switch (answer->status) {
	case -ETIMEDOUT:
		err_set(err, ERR_BROWSER_TIMEOUT, "cannot %s: the page did not answer in time", what);
		break;
	case -EMSGSIZE:
		if (op_limit(v->call->op, "max_bytes"))
			call_over_limit(
				v->call, "max_bytes", err, "cannot %s: the answer is larger than is allowed", what);
		else
			err_set(err, ERR_BROWSER_FAILED, "cannot %s: the page's answer is too large", what);
		break;
	case -ENOMEM:
		err_set(err, ERR_BUSY, "cannot %s: it needs more memory than is left", what);
		break;
	case -ECONNRESET:
		/* So are those who wait behind one that had begun; its end may come to be known only later. */
		err_set(&why, ERR_BROWSER_CRASHED, "the browser ended");
		fail_all(&why);
		return;
	default:
		err_set(err, ERR_BROWSER_FAILED, "cannot %s: " STR_FMT, what, (int)MIN(answer->refusal.len, 400),
			answer->refusal.len ? answer->refusal.p : "");
	}
	visit_fail(v);
}

int visit_take_file(struct visit *v, const struct cdp_answer *answer, const char *what, struct str *ret_bytes)
{
	int64_t most = call_limit(v->call, "max_bytes");
	struct str data = span_get(answer->result, "data");
	ssize_t len;

	if (answer->status < 0 || data.len < 2) {
		visit_fail_with(v, answer, what);
		return -1;
	}
	data = (struct str){ data.p + 1, data.len - 2 };
	v->kept = messages_take(answer->message);
	len = base64_decode(answer->text + (data.p - answer->text), data);
	*ret_bytes = (struct str){ data.p, len > 0 ? (size_t)len : 0 };
	if ((int64_t)ret_bytes->len <= most)
		return 0;
	call_over_limit(v->call, "max_bytes", &v->call->err, "cannot %s: it has %zu bytes; max_bytes is %lld", what,
		ret_bytes->len, (long long)most);
	visit_fail(v);
	return -1;
}

/* The browser ended.  Where nobody had begun with it, nobody needs to know. */
static void fail_begun(const struct err *why)
{
	struct visit *v = browser.current;

	if (v && !v->begun && v->starts++ < STARTS_MAX) {
		cdp_cancel(&v->ask);
		browser.current = NULL;
		v->running = false;
		list_append(browser.queue.next, &v->node);
		browser.waiting++;
		pump_soon();
		return;
	}
	fail_all(why);
}

/* --- the browser's life */

static void forget(void)
{
	page_forget(&browser.page);
	browser.chromium = NULL;
	browser.state = BROWSER_OFF;
	browser.page_busy = false;
	proxy_stop(take_ptr(browser.proxy));
	if (browser.policy)
		policy_unref(take_ptr(browser.policy));
}

static void end_browser(void)
{
	if (browser.chromium)
		chromium_end(browser.chromium);
	forget();
}

static void on_idle(struct timer *t)
{
	(void)t;
	if (!browser.current && browser.waiting == 0)
		end_browser();
}

/* The page's process has gone: nothing of this browser is believed any more. */
static void check_crash(void)
{
	struct err why;

	if (!browser.page.crashed || browser.state == BROWSER_OFF)
		return;
	end_browser();
	err_set(&why, ERR_BROWSER_CRASHED, "the page's process ended unexpectedly");
	fail_begun(&why);
}

static void check_lost(void)
{
	struct err why;

	if (!browser.page.lost || !browser.current)
		return;
	err_set(&why, ERR_BROWSER_FAILED, "the page closed itself");
	if (browser.current->begun) {
		browser.current->call->err = why;
		visit_fail(browser.current);
	} else {
		fail_begun(&why);
	}
}

static void page_done(struct page *page, bool ok)
{
	struct err why;

	(void)page;
	browser.page_busy = false;
	pump_soon();
	if (ok)
		return;
	end_browser();
	err_set(&why, ERR_BROWSER_FAILED, "the browser gives no page");
	fail_all(&why);
}

static void on_event(void *user, struct str method, struct str params, struct str session, char *text)
{
	(void)user;
	page_event(&browser.page, method, params, session, text);
	check_crash();
	check_lost();
}

static void on_cut(void *user, struct str method)
{
	(void)user;
	page_cut(&browser.page, method);
}

static void on_ended(void *user, const struct err *why)
{
	(void)user;
	forget();
	fail_begun(why);
}

static void open_page(void)
{
	browser.page_busy = true;
	page_open(&browser.page, browser.loop, chromium_cdp(browser.chromium), page_done);
}

static void on_started(void *user)
{
	(void)user;
	browser.state = BROWSER_READY;
	open_page();
}

static const struct cdp_events events = { .on_event = on_event, .on_cut = on_cut };

/* The browser fetches dictionaries of its maker's by itself: no page did that, and nobody is told. */
static const char of_maker[] = "redirector.gvt1.com";

static void on_refused(void *user, const char *host, unsigned port)
{
	(void)user;
	if (strcmp(host, of_maker) == 0)
		return;
	snprintf(browser.refused, sizeof browser.refused, "%s:%u", host, port);
	console_add("refused", str_of(browser.refused), 0);
}

static int start_proxy(const struct policy *policy, struct err *err)
{
	const struct run_as *user = policy_user(policy, NULL);
	struct proxy_settings settings = {
		.allow_hosts = policy_config(policy)->browser.allow_hosts,
		.uid = user ? user->uid : geteuid(),
		.on_refused = on_refused,
	};

	if (address_any_host(settings.allow_hosts))
		return 0;
	browser.proxy = proxy_start(browser.loop, &settings, err);
	return browser.proxy ? 0 : -1;
}

static void start_browser(const struct call *call)
{
	struct policy *policy = (struct policy *)principal_policy(call->caller);
	struct err why = { .code = ERR_BUSY, .text = "the browser cannot be started now: try again" };
	bool has_way = start_proxy(policy, &why) == 0;
	struct chromium_plan plan = {
		.loop = browser.loop,
		.policy = policy,
		.proxy = browser.proxy,
		.base_path = place_base_path(call->caller),
		.events = &events,
		.on_started = on_started,
		.on_ended = on_ended,
	};

	browser.chromium = has_way ? chromium_start(&plan) : NULL;
	if (browser.chromium) {
		browser.state = BROWSER_STARTING;
		browser.policy = policy_ref(policy);
		return;
	}
	forget();
	fail_all(&why);
}

/* Busy with a script of its own, the page does not answer in time; only its end counts. */
static void on_alive(struct cdp_request *r, const struct cdp_answer *answer)
{
	struct visit *v = visit_of(r);

	if (answer->status == -ECONNRESET)
		return; /* what ended it will be told */
	v->begun = true;
	v->run(v);
}

static void run_next(void)
{
	struct visit *v = OWNER(list_shift(&browser.queue), struct visit, node);
	struct json_writer *w;

	browser.waiting--;
	browser.current = v;
	v->running = true;
	w = visit_begin(v, "Runtime.evaluate");
	json_key(w, "expression");
	json_string(w, "0");
	visit_ask(v, ALIVE_MS, CDP_SMALL, on_alive);
}

static void serve_next(const struct call *call)
{
	timer_stop(&browser.idle);
	/* A policy that was read again may say something else about where and as whom it runs. */
	if (browser.state == BROWSER_READY && browser.policy != principal_policy(call->caller))
		end_browser();
	if (browser.state == BROWSER_OFF)
		start_browser(call);
	else if (!browser.page.is_open)
		open_page();
	else
		run_next();
}

static void wait_idle(void)
{
	int64_t seconds = browser.policy ? policy_config(browser.policy)->browser.idle_timeout : 0;

	if (browser.state == BROWSER_READY && seconds > 0 && !timer_running(&browser.idle))
		timer_start(&browser.idle, browser.loop, seconds * NS_PER_S, on_idle);
}

static void pump(struct turn *t)
{
	(void)t;
	check_crash();
	if (browser.stopped || browser.current || browser.page_busy || browser.state == BROWSER_STARTING)
		return;
	if (browser.waiting == 0)
		wait_idle();
	else
		serve_next(OWNER(browser.queue.next, struct visit, node)->call);
}

/* --- a visit's life */

static void on_gone(struct call *call)
{
	struct visit *v = call->state;

	if (v->ended)
		return;
	err_set(&call->err, ERR_BROWSER_FAILED, "the caller left");
	visit_fail(v);
}

static void on_free(struct call *call)
{
	buf_free(&((struct visit *)call->state)->kept);
}

static int may_wait(struct err *err)
{
	if (browser.stopped)
		return err_set(err, ERR_SHUTTING_DOWN, "the server is shutting down");
	if (browser.waiting >= VISITS_MAX)
		return err_set(
			err, ERR_LIMIT_TOO_MANY, "as many calls as may wait for the browser are waiting: try again");
	return 0;
}

void visit_start(struct call *call, size_t state_size, visit_fn *run)
{
	struct visit *v = may_wait(&call->err) == 0 ? call_alloc(call, state_size) : NULL;

	browser.loop = call->loop;
	if (!v) {
		call_fail(call);
		return;
	}
	v->call = call;
	v->run = run;
	buf_init_budgeted(&v->kept, SIZE_MAX);
	call->state = v;
	call->on_gone = on_gone;
	call->on_free = on_free;
	list_append(&browser.queue, &v->node);
	browser.waiting++;
	pump_soon();
}

struct visit *visit_of(struct cdp_request *ask)
{
	return OWNER(ask, struct visit, ask);
}

struct json_writer *visit_begin(struct visit *v, const char *method)
{
	(void)v;
	return page_begin(&browser.page, method);
}

void visit_ask(struct visit *v, int64_t timeout_ms, size_t max, cdp_fn *fn)
{
	cdp_ask(browser.page.cdp, &v->ask, timeout_ms, max, fn);
}

void visit_set_deadline(struct visit *v, int64_t ms)
{
	v->deadline_ns = clock_now_ns() + ms * NS_PER_MS;
}

int64_t visit_left_ms(const struct visit *v)
{
	return MAX((v->deadline_ns - clock_now_ns()) / NS_PER_MS, 0);
}

void visit_stop_all(void)
{
	struct err why;

	browser.stopped = true;
	err_set(&why, ERR_SHUTTING_DOWN, "the server is shutting down");
	end_browser();
	fail_all(&why);
}

void visit_free_all(void)
{
	browser.stopped = true;
	end_browser();
	timer_free(&browser.idle);
	if (browser.pump.handle)
		turn_free(&browser.pump);
	chromium_free_all();
}
