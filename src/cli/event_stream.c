/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/event_stream.h"

#include "cli/event_line.h"
#include "cli/interrupt.h"

enum {
	TREE_MAX = 16 << 20,
	ID_DIGITS = 18,
	SILENCE_MS = 90 * 1000, /* the server sends a comment after 15 s of silence */
};

static void take_id(struct event_stream *s, struct str id)
{
	int64_t number = 0;

	if (!id.len || id.len > ID_DIGITS)
		return;
	for (size_t i = 0; i < id.len; i++) {
		if (id.p[i] < '0' || id.p[i] > '9')
			return;
		number = number * 10 + (id.p[i] - '0');
	}
	s->id = number;
}

static int on_event(struct event_stream *s, struct sse_reader *reader)
{
	struct json *data = NULL;
	struct json_error where;
	struct arena arena;
	int failed;

	/* Before reading changes it. */
	if (s->cli->json && event_line_print(s->cli, reader) < 0)
		return -1;
	arena_init(&arena, TREE_MAX);
	if (json_parse(&arena, reader->data.data, reader->data.len, &data, &where) < 0)
		failed = problem_set(
			&s->cli->problem, EXIT_OTHER, "an event of the stream is not JSON: %s", where.reason);
	else if (str_is(buf_str(&reader->event), "error")) {
		failed = -1;
		if (!problem_from_json(&s->cli->problem, s->cli->api.op, data))
			problem_set(&s->cli->problem, EXIT_OTHER, "the server reports an error without a text");
	} else {
		failed = s->on_event(s, buf_str(&reader->event), data);
	}
	arena_free(&arena);
	if (failed == 0)
		take_id(s, buf_str(&reader->id));
	return failed;
}

static int feed(struct event_stream *s, struct sse_reader *reader, struct str bytes)
{
	while (bytes.len && !s->ended) {
		size_t taken = 0;
		int complete = sse_reader_feed(reader, bytes, &taken);

		if (complete < 0)
			return problem_set(&s->cli->problem, EXIT_OTHER, "an event of the stream is too large");
		if (complete > 0 && on_event(s, reader) < 0)
			return -1;
		bytes.p += taken;
		bytes.len -= taken;
	}
	return 0;
}

int event_stream_play(struct event_stream *s)
{
	struct http_client *http = &s->cli->api.http;
	struct sse_reader reader;
	struct str bytes;
	int more = 1;

	if (!response_is_type(&http->response, "text/event-stream"))
		return problem_set(&s->cli->problem, EXIT_OTHER, "the answer is no stream of events");
	http->idle_ms = SILENCE_MS;
	sse_reader_init(&reader, s->event_max);
	while (!s->ended && (more = http_client_read(http, &bytes, &s->cli->problem)) > 0) {
		if (feed(s, &reader, bytes) < 0)
			break;
	}
	sse_reader_free(&reader);
	if (s->ended)
		return 0;
	s->broke = more <= 0 && !interrupt_seen();
	if (more == 0)
		return problem_set(&s->cli->problem, EXIT_OTHER, "the stream ended without its last event");
	return -1;
}
