/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/cdp.h"

#include "base/clock.h"
#include "browser/span.h"

#include <errno.h>
#include <sys/socket.h>

enum {
	READ_SIZE = 64 * 1024,
	READS_PER_TURN = 8, /* so that a page that floods leaves others their time */
	OUT_MAX = 128 * 1024 * 1024,
};

static void take_out(struct cdp_request *r)
{
	timer_free(&r->timer);
	list_remove(&r->node);
	r->id = 0;
}

void cdp_cancel(struct cdp_request *request)
{
	if (request->id)
		take_out(request);
}

static void on_timer(struct timer *t)
{
	struct cdp_request *r = OWNER(t, struct cdp_request, timer);
	struct cdp_answer answer = { .status = r->status };

	take_out(r);
	r->fn(r, &answer);
}

/* Answered in the next turn of the loop, whatever the browser does. */
static void fail_soon(struct cdp_request *r, int status)
{
	r->status = status;
	timer_start(&r->timer, r->cdp->loop, 0, on_timer);
}

void cdp_stop(struct cdp *c)
{
	if (c->fd < 0)
		return;
	watch_stop(&c->watch);
	close_fd(take_fd(&c->fd));
	messages_stop(&c->in);
	messages_free(&c->in);
	buf_free(&c->out);
	buf_free(&c->draft);
	LIST_EACH(node, &c->requests)
	{
		fail_soon(OWNER(node, struct cdp_request, node), -ECONNRESET);
	}
}

static void closed(struct cdp *c)
{
	cdp_stop(c);
	c->events->on_closed(c->user);
}

static void flush(struct cdp *c)
{
	while (c->fd >= 0 && c->out.len) {
		ssize_t len = send(c->fd, c->out.data, c->out.len, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0)
			break; /* what is broken shows itself when it is read */
		buf_drop(&c->out, (size_t)len);
	}
	if (c->fd < 0)
		return;
	if (c->out.len == 0)
		buf_free(&c->out);
	watch_change(&c->watch, WATCH_READ | (c->out.len ? WATCH_WRITE : 0));
}

static struct cdp_request *request_of(struct cdp *c, struct str head)
{
	struct str rest = head;
	uint64_t id;

	/* The browser begins an answer with its id. */
	if (!str_starts(head, "{\"id\":"))
		return NULL;
	rest.p += strlen("{\"id\":");
	rest.len -= strlen("{\"id\":");
	if (str_to_u64(str_cut(&rest, ','), &id) < 0)
		return NULL;
	LIST_EACH(node, &c->requests)
	{
		struct cdp_request *r = OWNER(node, struct cdp_request, node);

		if (r->id == id)
			return r;
	}
	return NULL;
}

static size_t room(struct messages *m, struct str head)
{
	struct cdp *c = OWNER(m, struct cdp, in);
	const struct cdp_request *r = request_of(c, head);

	if (r)
		return r->max;
	return str_starts(head, "{\"id\":") ? CDP_SMALL : CDP_EVENT_MAX;
}

static void answered(struct cdp_request *r, struct buf *text)
{
	struct str whole = buf_str(text), error = span_get(whole, "error");
	struct cdp_answer answer = { .text = text->data, .message = text };

	take_out(r);
	if (error.p) {
		answer.status = -EPROTO;
		answer.refusal = span_text(text->data, span_get(error, "message"));
	} else {
		answer.result = span_get(whole, "result");
	}
	r->fn(r, &answer);
}

static void on_message(struct messages *m, struct buf *text)
{
	struct cdp *c = OWNER(m, struct cdp, in);
	struct cdp_request *r = request_of(c, buf_str(text));
	struct str method;

	if (r) {
		answered(r, text);
		return;
	}
	method = span_get(buf_str(text), "method");
	if (method.len > 2)
		c->events->on_event(c->user, (struct str){ method.p + 1, method.len - 2 },
			span_get(buf_str(text), "params"), span_get(buf_str(text), "sessionId"), text->data);
}

static void on_cut(struct messages *m, struct str head, bool starved)
{
	static const char begin[] = "{\"method\":\"";
	struct cdp *c = OWNER(m, struct cdp, in);
	struct cdp_request *r = request_of(c, head);
	struct cdp_answer answer = { .status = starved ? -ENOMEM : -EMSGSIZE };

	if (r) {
		take_out(r);
		r->fn(r, &answer);
	} else if (str_starts(head, begin)) {
		head.p += sizeof begin - 1;
		head.len -= sizeof begin - 1;
		c->events->on_cut(c->user, str_cut(&head, '"'));
	}
}

static const struct messages_events message_events = { room, on_message, on_cut };

static void on_ready(struct watch *w, unsigned events)
{
	struct cdp *c = OWNER(w, struct cdp, watch);
	char bytes[READ_SIZE];

	if (events & WATCH_WRITE)
		flush(c);
	for (int i = 0; i < READS_PER_TURN && c->fd >= 0; i++) {
		ssize_t len = recv(c->fd, bytes, sizeof bytes, MSG_DONTWAIT);

		if (len < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (len <= 0) {
			closed(c);
			return;
		}
		messages_add(&c->in, (struct str){ bytes, (size_t)len });
	}
}

void cdp_start(struct cdp *c, struct loop *loop, int fd, const struct cdp_events *events, void *user)
{
	*c = (struct cdp){ .loop = loop, .events = events, .user = user, .fd = fd };
	list_init(&c->requests);
	messages_init(&c->in, &message_events);
	buf_init_budgeted(&c->out, OUT_MAX);
	buf_init_budgeted(&c->draft, OUT_MAX);
	if (watch_start(&c->watch, loop, fd, WATCH_READ, on_ready) < 0)
		cdp_stop(c);
}

struct json_writer *cdp_begin(struct cdp *c, const char *method, const char *session)
{
	buf_free(&c->draft);
	json_write_init(&c->writer, &c->draft);
	json_object_begin(&c->writer);
	json_key(&c->writer, "id");
	json_int(&c->writer, (int64_t)++c->last_id);
	json_key(&c->writer, "method");
	json_string(&c->writer, method);
	if (session) {
		json_key(&c->writer, "sessionId");
		json_string(&c->writer, session);
	}
	json_key(&c->writer, "params");
	json_object_begin(&c->writer);
	return &c->writer;
}

/* 0, -ENOMEM, -ECONNRESET. */
static int send_draft(struct cdp *c)
{
	bool failed;

	json_object_end(&c->writer);
	json_object_end(&c->writer);
	buf_addc(&c->draft, '\0');
	failed = buf_failed(&c->draft);
	if (c->fd >= 0 && !failed && c->out.len == 0) {
		buf_free(&c->out);
		c->out = messages_take(&c->draft);
		c->draft.limit = OUT_MAX;
	} else if (c->fd >= 0 && !failed) {
		/* A failed append would drop what is half sent, so it is asked for first. */
		failed = c->out.len + c->draft.len > OUT_MAX || !buf_reserve(&c->out, c->draft.len);
		if (!failed)
			buf_add(&c->out, c->draft.data, c->draft.len);
	}
	buf_free(&c->draft);
	if (c->fd < 0)
		return -ECONNRESET;
	if (buf_failed(&c->out))
		shutdown(c->fd, SHUT_RDWR); /* half a message was lost: nothing that follows would be understood */
	if (failed)
		return -ENOMEM;
	flush(c);
	return 0;
}

void cdp_ask(struct cdp *c, struct cdp_request *request, int64_t timeout_ms, size_t max, cdp_fn *fn)
{
	int status;

	cdp_cancel(request); /* asked once more before the answer, it must not be in the ring twice */
	*request = (struct cdp_request){
		.fn = fn, .id = c->last_id, .max = max, .status = -ETIMEDOUT, .cdp = c, .timer = request->timer
	};
	list_append(&c->requests, &request->node);
	timer_start(&request->timer, c->loop, MAX(timeout_ms, 0) * NS_PER_MS, on_timer);
	status = send_draft(c);
	if (status < 0)
		fail_soon(request, status);
}

void cdp_tell(struct cdp *c)
{
	int status = send_draft(c);

	(void)status; /* what was not told is not answered either */
}
