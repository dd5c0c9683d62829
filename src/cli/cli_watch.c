/* SPDX-License-Identifier: Apache-2.0 */
/* abx watch: a line for each change below a path, until it is interrupted. */
#include "cli/commands.h"
#include "cli/event_line.h"

#include <string.h>
#include <unistd.h>

enum {
	BODY_MAX = 64 * 1024,
	EVENT_MAX = 4 << 20,
	LINE_MAX_BYTES = 8 << 20,
	SILENCE_MS = 90 * 1000, /* the server sends a comment after 15 s of silence */
};

struct watch {
	struct cli *cli;
	bool ended, failed;
};

static int make_body(struct cli *cli, const struct args *args, struct buf *body)
{
	const char *timeout = args_value(args, "timeout");
	struct json_writer w;
	double seconds;

	json_write_init(&w, body);
	json_object_begin(&w);
	api_path(&w, "path", cli_remote(args->words[0]));
	json_key(&w, "recursive");
	json_bool(&w, args_has(args, "recursive"));
	if (timeout) {
		if (args_seconds(timeout, &seconds, &cli->problem) < 0)
			return -1;
		json_key(&w, "timeout");
		json_double(&w, seconds);
	}
	json_object_end(&w);
	return buf_failed(body) ? problem_set(&cli->problem, EXIT_USAGE, "the path is too long") : 0;
}

/* Names may hold anything: as JSON writes them a line stays a line. */
static void add_path(struct buf *line, const struct json *data, const char *key)
{
	struct str path = reply_text(data, key);

	buf_addc(line, ' ');
	json_escape(line, path);
}

static int print_change(struct watch *w, const struct json *data)
{
	AUTOBUF struct buf line;
	struct str type = reply_text(data, "type");

	buf_init(&line, LINE_MAX_BYTES);
	buf_add(&line, type.p, type.len);
	add_path(&line, data, "path");
	if (reply_bool(data, "is_dir", false))
		buf_addc(&line, '/');
	if (reply_text(data, "old_path").len) {
		buf_adds(&line, " <-");
		add_path(&line, data, "old_path");
	}
	buf_addc(&line, '\n');
	return cli_write(w->cli, STDOUT_FILENO, buf_str(&line));
}

static int print_event(struct watch *w, struct str event, const struct json *data)
{
	if (str_is(event, "error")) {
		w->failed = true;
		if (!problem_from_json(&w->cli->problem, w->cli->api.op, data))
			problem_set(&w->cli->problem, EXIT_OTHER, "the server reports an error without a text");
		return -1;
	}
	w->ended = w->ended || str_is(event, "end");
	if (w->cli->json)
		return 0;
	if (str_is(event, "event"))
		return print_change(w, data);
	if (str_is(event, "overflow") && !w->cli->quiet)
		fprintf(stderr, "abx: changes were lost\n");
	if ((str_is(event, "partial") || str_is(event, "ready")) && reply_text(data, "limit").len && !w->cli->quiet)
		fprintf(stderr, "abx: %lld folders are not covered by inotify (" STR_FMT ")\n",
			(long long)reply_int(data, "uncovered", 0), STR_ARG(reply_text(data, "limit")));
	return 0;
}

static int on_event(struct watch *w, struct sse_reader *reader)
{
	struct json *data = NULL;
	struct json_error where;
	struct arena arena;
	int failed;

	if (w->cli->json && event_line_print(w->cli, reader) < 0)
		return -1;
	arena_init(&arena, EVENT_MAX);
	if (json_parse(&arena, reader->data.data, reader->data.len, &data, &where) < 0)
		failed = problem_set(
			&w->cli->problem, EXIT_OTHER, "an event of the stream is not JSON: %s", where.reason);
	else
		failed = print_event(w, buf_str(&reader->event), data);
	arena_free(&arena);
	return failed;
}

static int feed(struct watch *w, struct sse_reader *reader, struct str bytes)
{
	while (bytes.len) {
		size_t taken = 0;
		int complete = sse_reader_feed(reader, bytes, &taken);

		if (complete < 0)
			return problem_set(&w->cli->problem, EXIT_OTHER, "an event of the stream is too large");
		if (complete > 0 && on_event(w, reader) < 0)
			return -1;
		bytes.p += taken;
		bytes.len -= taken;
	}
	return 0;
}

static int play(struct cli *cli)
{
	struct watch w = { .cli = cli };
	struct sse_reader reader;
	struct str bytes;
	int more = 1;

	cli->api.http.idle_ms = SILENCE_MS;
	sse_reader_init(&reader, EVENT_MAX);
	while (more > 0 && (more = http_client_read(&cli->api.http, &bytes, &cli->problem)) > 0) {
		if (feed(&w, &reader, bytes) < 0)
			more = -1;
	}
	sse_reader_free(&reader);
	if (more == 0 && !w.ended)
		return problem_set(&cli->problem, EXIT_OTHER, "the stream ended without its last event");
	return more < 0 ? -1 : EXIT_OK;
}

static int run(struct cli *cli, struct args *args)
{
	AUTOBUF struct buf body;
	struct api *api = cli_api(cli);

	buf_init(&body, BODY_MAX);
	if (!api || make_body(cli, args, &body) < 0)
		return -1;
	if (api_open_op(api, "files.watch", buf_str(&body), "text/event-stream", true, &cli->problem) < 0)
		return -1;
	return play(cli);
}

static const struct flag flags[] = {
	{ 'r', "recursive", NULL, "all folders below too, also new ones" },
	{ '\0', "timeout", "S", "end after so many seconds" },
	FLAGS_END,
};

const struct command cli_watch = {
	.name = "watch",
	.usage = "PATH",
	.summary = "print what changes in a folder or a file, a line each",
	.flags = flags,
	.least = 1,
	.most = 1,
	.run = run,
};
