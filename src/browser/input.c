/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/input.h"

#include "base/clock.h"
#include "browser/keys.h"
#include "browser/page.h"

enum {
	TAKE_MS = 30000,
	SETTLE_MS = 5000, /* most that is waited for where an input leads */
	BEGIN_MS = 2000,  /* and until that begins */
	SHIFT = 8,
};

static struct input *input_of(struct visit *v)
{
	return v->input;
}

/* --- where it leads */

static void settled(struct input *input)
{
	visit_page()->on_change = NULL;
	timer_stop(&input->visit->timer);
	input->fn(input);
}

static void on_settle_timer(struct timer *t)
{
	settled(input_of(OWNER(t, struct visit, timer)));
}

static void on_page_change(void *user)
{
	struct input *input = user;
	struct page *page = visit_page();

	if (page->loading && !input->waits) {
		input->waits = true;
		timer_start(&input->visit->timer, input->visit->call->loop, SETTLE_MS * NS_PER_MS, on_settle_timer);
	}
	if (!page->loading && !page->wanted)
		settled(input);
}

/* By now the page has said where it wants to go. */
static void on_pong(struct cdp_request *r, const struct cdp_answer *answer)
{
	struct input *input = input_of(visit_of(r));
	struct page *page = visit_page();

	(void)answer;
	if (!page->loading && !page->wanted) {
		settled(input);
		return;
	}
	input->waits = page->loading;
	timer_start(&input->visit->timer, input->visit->call->loop, (page->loading ? SETTLE_MS : BEGIN_MS) * NS_PER_MS,
		on_settle_timer);
	page->user = input;
	page->on_change = on_page_change;
}

static void settle(struct input *input)
{
	struct json_writer *w = visit_begin(input->visit, "Runtime.evaluate");

	json_key(w, "expression");
	json_string(w, "0");
	visit_ask(input->visit, SETTLE_MS, CDP_SMALL, on_pong);
}

/* --- mouse */

static void on_clicked(struct cdp_request *r, const struct cdp_answer *answer)
{
	struct visit *v = visit_of(r);

	if (answer->status < 0)
		visit_fail_with(v, answer, "click");
	else
		settle(input_of(v));
}

static void mouse(struct visit *v, const char *type, double x, double y, bool pressed)
{
	struct json_writer *w = visit_begin(v, "Input.dispatchMouseEvent");

	json_key(w, "type");
	json_string(w, type);
	json_key(w, "x");
	json_double(w, x);
	json_key(w, "y");
	json_double(w, y);
	if (!pressed)
		return;
	json_key(w, "button");
	json_string(w, "left");
	json_key(w, "clickCount");
	json_int(w, 1);
}

void input_click(struct input *input, struct visit *visit, double x, double y, input_fn *fn)
{
	*input = (struct input){ .visit = visit, .fn = fn };
	visit->input = input;
	visit_page()->wanted = visit_page()->loading = false;
	mouse(visit, "mouseMoved", x, y, false);
	cdp_tell(visit_page()->cdp);
	mouse(visit, "mousePressed", x, y, true);
	cdp_tell(visit_page()->cdp);
	mouse(visit, "mouseReleased", x, y, true);
	visit_ask(visit, TAKE_MS, CDP_SMALL, on_clicked);
}

/* --- keyboard */

static void type_next(struct input *input);

static void on_delay(struct timer *t)
{
	type_next(input_of(OWNER(t, struct visit, timer)));
}

static void on_typed(struct cdp_request *r, const struct cdp_answer *answer)
{
	struct visit *v = visit_of(r);
	struct input *input = input_of(v);

	if (answer->status < 0)
		visit_fail_with(v, answer, "type");
	else if (input->rest.len && input->delay_ms)
		timer_start(&v->timer, v->call->loop, input->delay_ms * NS_PER_MS, on_delay);
	else
		type_next(input);
}

static void key_event(struct visit *v, const struct key *key, bool down)
{
	struct json_writer *w = visit_begin(v, "Input.dispatchKeyEvent");

	json_key(w, "type");
	json_string(w, !down ? "keyUp" : key->text[0] ? "keyDown" : "rawKeyDown");
	json_key(w, "key");
	json_string(w, key->name);
	json_key(w, "code");
	json_string(w, key->code);
	json_key(w, "windowsVirtualKeyCode");
	json_int(w, key->number);
	json_key(w, "modifiers");
	json_int(w, key->shift ? SHIFT : 0);
	if (!down || !key->text[0])
		return;
	json_key(w, "text");
	json_string(w, key->text);
	json_key(w, "unmodifiedText");
	json_string(w, key->text);
}

static void press(struct visit *v, const struct key *key)
{
	static const struct key shift = { "Shift", "ShiftLeft", 16, "", true };

	if (key->shift) {
		key_event(v, &shift, true);
		cdp_tell(visit_page()->cdp);
	}
	key_event(v, key, true);
	cdp_tell(visit_page()->cdp);
	if (key->shift) {
		key_event(v, key, false);
		cdp_tell(visit_page()->cdp);
		key_event(v, &(struct key){ "Shift", "ShiftLeft", 16, "", false }, false);
	} else {
		key_event(v, key, false);
	}
	visit_ask(v, TAKE_MS, CDP_SMALL, on_typed);
}

static void type_next(struct input *input)
{
	struct visit *v = input->visit;
	struct str part = { input->rest.p, key_next(input->rest) };
	struct json_writer *w;
	struct key key;

	if (part.len == 0) {
		settle(input);
		return;
	}
	input->rest.p += part.len;
	input->rest.len -= part.len;
	if (key_find(*part.p, &key)) {
		press(v, &key);
		return;
	}
	w = visit_begin(v, "Input.insertText");
	json_key(w, "text");
	json_text(w, part);
	visit_ask(v, TAKE_MS, CDP_SMALL, on_typed);
}

void input_type(struct input *input, struct visit *visit, struct str text, int64_t delay_ms, bool erase, input_fn *fn)
{
	*input = (struct input){ .visit = visit, .fn = fn, .rest = text, .delay_ms = delay_ms };
	visit->input = input;
	visit_page()->wanted = visit_page()->loading = false;
	if (erase)
		press(visit, &key_backspace);
	else
		type_next(input);
}
