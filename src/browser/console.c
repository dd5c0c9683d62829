/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/console.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "browser/span.h"

#include <stdio.h>
#include <stdlib.h>

enum { LINE_MAX_BYTES = 4 * 1024 * 1024 }; /* more than an event may hold, before it is cut */

static struct {
	struct console_entry *ring[CONSOLE_ENTRIES];
	size_t first, count, bytes;
} console;

/* 0 is the oldest. */
static struct console_entry **slot(size_t index)
{
	return &console.ring[(console.first + index) % CONSOLE_ENTRIES];
}

static void drop_oldest(void)
{
	struct console_entry *oldest = take_ptr(console.ring[console.first]);

	console.bytes -= sizeof *oldest + oldest->len;
	free(oldest);
	console.first = (console.first + 1) % CONSOLE_ENTRIES;
	console.count--;
}

void console_clear(void)
{
	while (console.count)
		drop_oldest();
}

size_t console_count(void)
{
	return console.count;
}

const struct console_entry *console_at(size_t index)
{
	return *slot(index);
}

void console_add(const char *type, struct str text, double when_ms)
{
	size_t len = utf8_cut(text, CONSOLE_TEXT_MAX);
	struct console_entry *entry = mem_alloc(sizeof *entry + len);

	if (when_ms > 0 && when_ms < 1e15) {
		time_t seconds = (time_t)(when_ms / 1000);

		clock_text((struct timespec){ seconds, (long)((when_ms - (double)seconds * 1000) * 1e6) }, entry->when);
	} else {
		clock_text_now(entry->when);
	}
	snprintf(entry->type, sizeof entry->type, "%s", type);
	entry->exception = 0;
	entry->len = len;
	if (len)
		memcpy(entry->text, text.p, len);
	while (console.count == CONSOLE_ENTRIES || (console.count && console.bytes + len > CONSOLE_BYTES_MAX))
		drop_oldest();
	console.ring[(console.first + console.count++) % CONSOLE_ENTRIES] = entry;
	console.bytes += sizeof *entry + len;
}

static void add_preview(struct buf *out, struct str preview, char *text)
{
	struct str list = span_get(preview, "properties"), property;
	bool is_array = span_is(span_get(preview, "subtype"), "array"), first = true;

	buf_addc(out, is_array ? '[' : '{');
	while ((property = span_next(&list)).p) {
		struct str name = span_get(property, "name"), value = span_get(property, "value");
		bool quoted = span_is(span_get(property, "type"), "string");

		name = span_text(text, name);
		value = span_text(text, value);
		buf_addf(out, "%s" STR_FMT "%s%s" STR_FMT "%s", first ? "" : ", ", is_array ? 0 : (int)name.len, name.p,
			is_array ? "" : ": ", quoted ? "\"" : "", STR_ARG(value), quoted ? "\"" : "");
		first = false;
	}
	if (span_is(span_get(preview, "overflow"), "true"))
		buf_adds(out, first ? "…" : ", …");
	buf_addc(out, is_array ? ']' : '}');
}

/* One thing that was given to console.log(), as a reader of a console would see it. */
static void add_object(struct buf *out, struct str object, char *text)
{
	struct str value = span_get(object, "value"), preview = span_get(object, "preview"), said;
	struct str type = span_get(object, "subtype");

	if (preview.p && (!type.p || span_is(type, "array"))) {
		add_preview(out, preview, text);
		return;
	}
	said = value.p && *value.p == '"' ? span_text(text, value) : value;
	if (!value.p)
		said = span_text(text, span_get(object, "unserializableValue"));
	if (!said.p)
		said = span_text(text, span_get(object, "description"));
	if (!said.p)
		said = span_text(text, span_get(object, "type"));
	buf_add(out, said.p, MIN(said.len, CONSOLE_TEXT_MAX));
}

static void name_type(char to[static sizeof(((struct console_entry *)0)->type)], struct str type)
{
	snprintf(to, sizeof(((struct console_entry *)0)->type), STR_FMT, type.len > 2 ? (int)MIN(type.len - 2, 23) : 3,
		type.len > 2 ? type.p + 1 : "log");
}

void console_add_call(struct str params, char *text)
{
	char type[sizeof(((struct console_entry *)0)->type)];
	struct str list = span_get(params, "args"), object;
	double when = span_number(span_get(params, "timestamp"), 0);
	AUTOBUF struct buf line;

	buf_init(&line, LINE_MAX_BYTES);
	name_type(type, span_get(params, "type"));
	while (line.len < CONSOLE_TEXT_MAX && (object = span_next(&list)).p) {
		if (line.len)
			buf_addc(&line, ' ');
		add_object(&line, object, text);
	}
	console_add(type, buf_str(&line), when);
}

void console_add_exception(struct str params, char *text)
{
	struct str details = span_get(params, "exceptionDetails");
	double when = span_number(span_get(params, "timestamp"), 0);
	struct str said = span_text(text, span_at(details, "exception.description"));

	if (!said.p) {
		struct str value = span_at(details, "exception.value");

		said = value.len && *value.p == '"' ? span_text(text, value) : value;
	}
	if (!said.p)
		said = span_text(text, span_get(details, "text"));
	console_add("exception", said, when);
	(*slot(console.count - 1))->exception = span_number(span_get(details, "exceptionId"), 0);
}

static void remove_at(size_t index)
{
	struct console_entry *entry = *slot(index);

	console.bytes -= sizeof *entry + entry->len;
	free(entry);
	for (; index + 1 < console.count; index++)
		*slot(index) = *slot(index + 1);
	*slot(--console.count) = NULL;
}

void console_revoke_exception(struct str params)
{
	double number = span_number(span_get(params, "exceptionId"), 0);

	/* The newest first: another page may have begun to count anew. */
	for (size_t i = console.count; number > 0 && i-- > 0;) {
		if ((*slot(i))->exception != number)
			continue;
		remove_at(i);
		return;
	}
}

void console_add_log(struct str params, char *text)
{
	struct str entry = span_get(params, "entry");
	struct str said = span_get(entry, "text"), url = span_get(entry, "url");
	double when = span_number(span_get(entry, "timestamp"), 0);
	char type[sizeof(((struct console_entry *)0)->type)], line[CONSOLE_TEXT_MAX];

	name_type(type, span_get(entry, "level"));
	said = span_text(text, said);
	url = span_text(text, url);
	snprintf(line, sizeof line, STR_FMT "%s" STR_FMT "%s", (int)MIN(said.len, 2000), said.p ? said.p : "",
		url.len ? " (" : "", (int)MIN(url.len, 1000), url.p ? url.p : "", url.len ? ")" : "");
	console_add(type, str_of(line), when);
}
