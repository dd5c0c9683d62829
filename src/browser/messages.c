/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/messages.h"

/* A long message grows by steps: doubled, one of forty megabytes would take more than a usual budget holds. */
enum { STEP = 4 * 1024 * 1024 };

void messages_init(struct messages *m, const struct messages_events *events)
{
	*m = (struct messages){ .events = events, .max = MESSAGE_HEAD };
	buf_init_budgeted(&m->text, MESSAGE_HEAD);
}

void messages_free(struct messages *m)
{
	buf_free(&m->text);
}

void messages_stop(struct messages *m)
{
	m->stopped = true;
}

struct buf messages_take(struct buf *text)
{
	struct buf taken = *text;

	buf_init_budgeted(text, MESSAGE_HEAD);
	return taken;
}

static void judge(struct messages *m)
{
	m->judged = true;
	m->max = m->events->room(m, (struct str){ m->head, m->head_len });
}

/* A part of one message. */
static void add_part(struct messages *m, struct str part)
{
	size_t of_head = MIN(part.len, sizeof m->head - m->head_len);

	memcpy(m->head + m->head_len, part.p, of_head);
	m->head_len += of_head;
	if (!m->judged && m->head_len == sizeof m->head)
		judge(m);
	if (m->cut)
		return;
	if (m->text.len + part.len > m->max) {
		m->cut = true;
		buf_free(&m->text);
		return;
	}
	m->text.limit = MIN(m->max, m->text.len + part.len + STEP);
	buf_add(&m->text, part.p, part.len);
	if (buf_failed(&m->text)) {
		m->cut = m->starved = true;
		buf_free(&m->text);
	}
}

static void end_message(struct messages *m)
{
	if (!m->judged)
		judge(m);
	if (!m->cut && m->text.len > m->max)
		m->cut = true;
	if (m->cut)
		m->events->on_cut(m, (struct str){ m->head, m->head_len }, m->starved);
	else if (m->text.len)
		m->events->on_message(m, &m->text);
	buf_free(&m->text);
	m->max = MESSAGE_HEAD;
	m->head_len = 0;
	m->judged = m->cut = m->starved = false;
}

void messages_add(struct messages *m, struct str bytes)
{
	m->stopped = false;
	while (bytes.len && !m->stopped) {
		const char *end = memchr(bytes.p, '\0', bytes.len);
		struct str part = { bytes.p, end ? (size_t)(end - bytes.p) : bytes.len };

		/* The head is judged before the rest is added, however much comes at once. */
		if (!m->judged && part.len > sizeof m->head - m->head_len) {
			part.len = sizeof m->head - m->head_len;
			end = NULL;
		}
		add_part(m, part);
		bytes.p += part.len + (end ? 1 : 0);
		bytes.len -= part.len + (end ? 1 : 0);
		if (end)
			end_message(m);
	}
}
