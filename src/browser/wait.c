/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/wait.h"

#include "browser/span.h"

/*
 * Gives the place of the element, or what it lacked when the time was over.  Whether it moves shows from one
 * frame to the next; the timer is for a page that draws none, and long, for without CPU a frame comes late.
 */
static const char script[] =
	"async (selector, timeout, want) => {"
	"const end = performance.now() + timeout;"
	"const frame = () => new Promise(r => { requestAnimationFrame(r); setTimeout(r, 500); });"
	"const box = e => [...e.getClientRects()].find(r => r.width > 0 && r.height > 0);"
	"const at = (x, y) => { let e = document.elementFromPoint(x, y);"
	"  for (let inner; e && e.shadowRoot && (inner = e.shadowRoot.elementFromPoint(x, y)) && inner !== e;) e = inner;"
	"  return e; };"
	"const holds = (e, inner) => { for (let n = inner; n; n = n.assignedSlot || n.parentNode || n.host)"
	"  if (n === e) return true; return false; };"
	"const same = (a, b) => a.left === b.left && a.top === b.top && a.width === b.width && a.height === b.height;"
	"const name = e => '<' + e.localName + (e.id ? '#' + e.id : e.classList.length ? '.' + e.classList[0] : '') + '>';"
	"const typed = want === 'type' || want === 'clear';"
	"const find = root => { let e = root.querySelector(selector); if (e) return e;"
	"  for (const host of root.querySelectorAll('*'))"
	"    if (host.shadowRoot && (e = find(host.shadowRoot))) return e; return null; };"
	"let turn = 0;"
	"const focus = e => { const root = e.getRootNode();"
	"  if (root.activeElement !== e) e.focus({ preventScroll: true });"
	"  if (root.activeElement !== e && !e.isContentEditable) return 'cannot take the focus';"
	"  const text = e.value !== undefined ? String(e.value) : e.isContentEditable ? e.textContent : '';"
	"  try { if (e.isContentEditable) { const s = getSelection(); s.selectAllChildren(e);"
	"      if (want === 'type') s.collapseToEnd(); }"
	"    else if (want === 'clear') e.select(); else e.setSelectionRange(text.length, text.length); } catch (x) {}"
	"  return text.length > 0; };"
	"const judge = async e => {"
	"  if (!box(e) || getComputedStyle(e).visibility !== 'visible') return 'is not visible';"
	"  if (want !== 'show' && (e.matches(':disabled') || e.closest('[aria-disabled=\"true\"]'))) return 'is disabled';"
	"  if (typed && e.readOnly) return 'is read-only';"
	"  let a = box(e), x = a.left + a.width / 2, y = a.top + a.height / 2;"
	"  if (turn || x < 0 || y < 0 || x >= innerWidth || y >= innerHeight)"
	"    e.scrollIntoView({ block: ['center', 'end', 'start'][turn % 3], inline: 'center', behavior: 'instant' });"
	"  a = box(e); await frame(); const m = box(e); await frame(); const b = box(e);"
	"  if (!a || !b || !m) return 'is not visible';"
	"  if (!same(a, m) || !same(m, b)) return 'is moving';"
	"  x = b.left + b.width / 2; y = b.top + b.height / 2;"
	"  if (want === 'show') { const r = e.getBoundingClientRect();"
	"    return { x, y, left: r.left + scrollX, top: r.top + scrollY, width: r.width, height: r.height, full: false }; }"
	"  turn++;"
	"  if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return 'lies outside of what can be scrolled to';"
	"  const h = at(x, y), label = h && h.closest && h.closest('label');"
	"  if (!h || (!holds(e, h) && !(label && label.control === e))) return 'is covered by ' + (h ? name(h) : 'nothing');"
	"  const full = typed ? focus(e) : false;"
	"  if (typeof full === 'string') return full;"
	"  return { x, y, left: b.left, top: b.top, width: b.width, height: b.height, full }; };"
	"for (let found = false, state = '';;) { let e;"
	"  try { e = find(document); } catch (x) { return { bad: x.message }; }"
	"  if (e) { found = true; const r = await judge(e); if (typeof r === 'object') return r; state = r; }"
	"  else state = 'is not in the page any more';"
	"  if (performance.now() >= end) return { state, found };"
	"  await frame(); } }";

static const char *const wants[] = {
	[WAIT_TO_CLICK] = "click", [WAIT_TO_TYPE] = "type", [WAIT_TO_CLEAR] = "clear", [WAIT_TO_SHOW] = "show"
};

static void on_found(struct probe *p, const struct cdp_answer *answer, struct str value)
{
	struct wait *w = OWNER(p, struct wait, probe);
	struct visit *v = p->visit;
	struct str bad = span_get(value, "bad"), state = span_get(value, "state");

	if (!value.p) {
		visit_fail_with(v, answer, p->what);
		return;
	}
	if (bad.p) {
		bad = span_text(answer->text, bad);
		err_set(&v->call->err, ERR_ARGS_INVALID, "'selector': " STR_FMT, (int)MIN(bad.len, 300), bad.p);
		visit_fail(v);
	} else if (state.p && !span_is(span_get(value, "found"), "true")) {
		err_set(&v->call->err, ERR_BROWSER_NOT_FOUND, "no element matched '%.200s' within %lld ms", w->selector,
			(long long)w->timeout_ms);
		visit_fail(v);
	} else if (state.p) {
		state = span_text(answer->text, state);
		err_set(&v->call->err, ERR_BROWSER_TIMEOUT, "'%.200s' " STR_FMT " after %lld ms", w->selector,
			(int)MIN(state.len, 200), state.p, (long long)w->timeout_ms);
		visit_fail(v);
	} else {
		w->x = span_number(span_get(value, "x"), 0);
		w->y = span_number(span_get(value, "y"), 0);
		w->left = span_number(span_get(value, "left"), 0);
		w->top = span_number(span_get(value, "top"), 0);
		w->width = span_number(span_get(value, "width"), 0);
		w->height = span_number(span_get(value, "height"), 0);
		w->holds_something = span_is(span_get(value, "full"), "true");
		w->fn(w);
	}
}

void wait_start(
	struct wait *w, struct visit *visit, const char *selector, enum wait_want want, int64_t timeout_ms, wait_fn *fn)
{
	struct call *call = visit->call;
	struct json_writer writer;
	AUTOBUF struct buf args;

	*w = (struct wait){ .selector = selector, .timeout_ms = timeout_ms, .fn = fn };
	buf_init_budgeted(&args, SIZE_MAX);
	json_write_init(&writer, &args);
	json_array_begin(&writer);
	json_string(&writer, selector);
	json_int(&writer, timeout_ms);
	json_string(&writer, wants[want]);
	json_array_end(&writer);
	w->probe = (struct probe){
		.visit = visit, .script = script, .what = "look for the element", .max = CDP_SMALL, .fn = on_found
	};
	if (!buf_failed(&args))
		/* Without the brackets. */
		w->probe.args = (struct str){ arena_strndup(&call->arena, args.data + 1, args.len - 2), args.len - 2 };
	visit_set_deadline(visit, timeout_ms);
	if (w->probe.args.p) {
		probe_run(&w->probe);
		return;
	}
	err_set(&call->err, ERR_BUSY, "the call needs more memory than is left");
	visit_fail(visit);
}
