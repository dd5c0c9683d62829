/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/probe.h"

#include "base/clock.h"
#include "browser/page.h"
#include "browser/span.h"

#include <errno.h>

enum { AGAIN_MS = 50 };

static struct probe *probe_of(struct cdp_request *r)
{
	return visit_of(r)->probe;
}

static void make_world(struct probe *p);

static void fail(struct probe *p, const struct cdp_answer *answer)
{
	p->fn(p, answer, (struct str){ NULL, 0 });
}

static void on_again(struct timer *t)
{
	make_world(OWNER(t, struct visit, timer)->probe);
}

/* The document went away under it: the next one may have what is looked for. */
static bool may_try_again(struct probe *p, const struct cdp_answer *answer)
{
	if (answer->status != -EPROTO || visit_left_ms(p->visit) == 0 || visit_page()->lost)
		return false;
	timer_start(&p->visit->timer, p->visit->call->loop, AGAIN_MS * NS_PER_MS, on_again);
	return true;
}

static void on_value(struct cdp_request *r, const struct cdp_answer *answer)
{
	struct probe *p = probe_of(r);
	struct str value = span_at(answer->result, "result.value");

	if (answer->status == 0 && value.p && !span_get(answer->result, "exceptionDetails").p)
		p->fn(p, answer, value);
	else if (answer->status == 0) {
		struct cdp_answer odd = { .status = -EPROTO, .refusal = STR("the page did not let the script run") };

		if (!may_try_again(p, &odd))
			fail(p, &odd);
	} else if (!may_try_again(p, answer)) {
		fail(p, answer);
	}
}

static void on_world(struct cdp_request *r, const struct cdp_answer *answer)
{
	struct probe *p = probe_of(r);
	struct str context = span_get(answer->result, "executionContextId");
	struct json_writer *w;
	struct buf text;

	if (answer->status < 0) {
		if (!may_try_again(p, answer))
			fail(p, answer);
		return;
	}
	w = visit_begin(p->visit, "Runtime.evaluate");
	json_key(w, "contextId");
	json_int(w, span_integer(context, 0));
	json_key(w, "awaitPromise");
	json_bool(w, true);
	json_key(w, "returnByValue");
	json_bool(w, true);
	json_key(w, "expression");
	buf_init_budgeted(&text, SIZE_MAX);
	buf_addf(&text, "(%s)(" STR_FMT ")", p->script, STR_ARG(p->args));
	json_text(w, buf_str(&text));
	buf_free(&text);
	visit_ask(p->visit, visit_left_ms(p->visit) + PROBE_SPARE_MS, p->max, on_value);
}

static void make_world(struct probe *p)
{
	struct json_writer *w = visit_begin(p->visit, "Page.createIsolatedWorld");

	json_key(w, "frameId");
	json_string(w, visit_page()->target);
	json_key(w, "worldName");
	json_string(w, "abx");
	visit_ask(p->visit, visit_left_ms(p->visit) + PROBE_SPARE_MS, CDP_SMALL, on_world);
}

void probe_run(struct probe *p)
{
	p->visit->probe = p;
	make_world(p);
}
