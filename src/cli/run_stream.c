/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_stream.h"

#include "base/base64.h"
#include "base/utf8.h"
#include "cli/attach.h"
#include "cli/event_line.h"
#include "cli/upload_fd.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	STDIN_MAX = 256 << 20,
	BODY_MAX = 512 << 20,
	EVENT_MAX = 64 << 20,
	EVENT_TREE_MAX = 16 << 20,
	SILENCE_MS = 90 * 1000, /* the server sends a comment after 15 s of silence */
};

const struct flag run_stream_flags[] = {
	{ 'w', "workdir", "DIR", "run in this folder" },
	{ 'e', "env", "K=V", "set a variable; K alone takes its value from here; may be repeated" },
	{ '\0', "timeout", "S", "end it after so many seconds (exit code 124); 0, the default, is never" },
	{ 't', "tty", NULL, "in a terminal of its own; '~.' at the start of a line detaches" },
	{ 'i', "interactive", NULL, "pass standard input also when it is a terminal (up to its end)" },
	{ 'n', "no-stdin", NULL, "pass no standard input" },
	FLAGS_END,
};

int run_stream_env(struct json_writer *w, const struct args *args, struct problem *p)
{
	const char *text;
	size_t at = 0;

	if (!args_has(args, "env"))
		return 0;
	json_key(w, "env");
	json_object_begin(w);
	while ((text = args_next(args, "env", &at))) {
		struct str value = str_of(text), name = str_cut(&value, '=');

		if (!str_has(str_of(text), '=')) {
			const char *ours = getenv(text);

			if (!ours)
				continue;
			value = str_of(ours);
		}
		if (!utf8_valid(name) || !utf8_valid(value))
			return problem_set(p, EXIT_USAGE, "the variable '%s' is not UTF-8", text);
		json_key_str(w, name);
		json_text(w, value);
	}
	json_object_end(w);
	return 0;
}

static int add_stdin(struct json_writer *w, const struct args *args, struct problem *p)
{
	bool wanted = args_has(args, "interactive") || !isatty(STDIN_FILENO);
	AUTOBUF struct buf input;

	buf_init(&input, STDIN_MAX);
	if (!wanted || args_has(args, "no-stdin"))
		return 0;
	if (upload_fd_read_all(STDIN_FILENO, "standard input", &input, p) < 0)
		return -1;
	if (input.len) {
		json_key(w, "stdin_b64");
		json_base64(w, buf_str(&input));
	}
	return 0;
}

int run_stream_command(struct json_writer *w, const struct args *args, const char *line, struct problem *p)
{
	if (line) {
		if (!utf8_valid(str_of(line)))
			return problem_set(p, EXIT_USAGE, "the command is not UTF-8");
		json_key(w, "command");
		json_string(w, line);
		return 0;
	}
	json_key(w, "argv");
	json_array_begin(w);
	for (size_t i = 0; i < args->word_count; i++) {
		if (!utf8_valid(str_of(args->words[i])))
			return problem_set(p, EXIT_USAGE, "argument %zu is not UTF-8", i);
		json_string(w, args->words[i]);
	}
	json_array_end(w);
	return 0;
}

static int make_body(struct buf *body, const struct args *args, const char *line, bool as_json, struct problem *p)
{
	const char *dir = args_value(args, "workdir"), *timeout = args_value(args, "timeout");
	struct json_writer w;
	double seconds = 0;

	json_write_init(&w, body);
	json_object_begin(&w);
	if (run_stream_command(&w, args, line, p) < 0 || run_stream_env(&w, args, p) < 0)
		return -1;
	if (dir)
		api_path(&w, "cwd", str_of(dir));
	/* Nobody expects a time limit that was not asked for: Ctrl-C is there. */
	if (timeout && args_seconds(timeout, &seconds, p) < 0)
		return -1;
	json_key(&w, "timeout");
	json_double(&w, seconds);
	if (!as_json) {
		json_key(&w, "encoding");
		json_string(&w, "base64");
	}
	if (add_stdin(&w, args, p) < 0)
		return -1;
	json_object_end(&w);
	return buf_failed(body) ? problem_set(p, EXIT_USAGE, "the command is too large") : 0;
}

struct run {
	struct cli *cli;
	bool ended, timed_out, failed;
	int exit_code;
};

static int on_output(struct run *run, int fd, const struct json *data)
{
	struct str text = run->cli->json ? (struct str){ 0 } : reply_text(data, "data");
	/* The text lies in the event's own buffer, which nobody reads again. */
	char *bytes = (char *)text.p;
	ssize_t len = text.len ? base64_decode(bytes, text) : 0;

	if (len < 0)
		return problem_set(&run->cli->problem, EXIT_OTHER, "an event of the stream holds no base64");
	return cli_write(run->cli, fd, (struct str){ bytes, (size_t)len });
}

static void on_error(struct run *run, const struct json *data)
{
	struct problem problem;

	if (!problem_from_json(&problem, run->cli->api.op, data))
		problem_set(&problem, EXIT_OTHER, "the server reports an error without a text");
	run->timed_out = strcmp(problem.wire_code, "commands.timeout") == 0;
	run->failed = true;
	run->cli->problem = problem;
	problem_print(&problem, stderr);
}

static int on_event(struct run *run, struct sse_reader *reader)
{
	struct str event = buf_str(&reader->event);
	struct json *data = NULL;
	struct json_error where;
	struct arena arena;
	int failed = 0;

	/* With --json events are printed as they are, before reading changes them. */
	if (run->cli->json && event_line_print(run->cli, reader) < 0)
		return -1;
	arena_init(&arena, EVENT_TREE_MAX);
	if (json_parse(&arena, reader->data.data, reader->data.len, &data, &where) < 0)
		failed = problem_set(
			&run->cli->problem, EXIT_OTHER, "an event of the stream is not JSON: %s", where.reason);
	else if (str_is(event, "stdout"))
		failed = on_output(run, STDOUT_FILENO, data);
	else if (str_is(event, "stderr"))
		failed = on_output(run, STDERR_FILENO, data);
	else if (str_is(event, "error"))
		on_error(run, data);
	else if (str_is(event, "exit")) {
		run->exit_code = (int)reply_int(data, "exit_code", -1);
		run->ended = run->exit_code >= 0;
	}
	arena_free(&arena);
	return failed;
}

static int feed(struct run *run, struct sse_reader *reader, struct str bytes)
{
	while (bytes.len && !run->ended) {
		size_t taken = 0;
		int complete = sse_reader_feed(reader, bytes, &taken);

		if (complete < 0)
			return problem_set(&run->cli->problem, EXIT_OTHER,
				"an event of the stream is larger than %d bytes", EVENT_MAX);
		if (complete > 0 && on_event(run, reader) < 0)
			return -1;
		bytes.p += taken;
		bytes.len -= taken;
	}
	return 0;
}

static int play(struct run *run, struct sse_reader *reader)
{
	struct problem *p = &run->cli->problem;
	struct http_client *http = &run->cli->api.http;
	int more = 0;

	while (!run->ended) {
		struct str bytes;

		more = http_client_read(http, &bytes, p);
		if (more <= 0)
			break;
		if (feed(run, reader, bytes) < 0)
			return -1;
	}
	if (run->ended)
		return 0;
	/* The last event was error: that is all there is to say, and it was said. */
	if (run->failed && more == 0)
		return 0;
	if (more < 0 && p->exit_code == EXIT_INTERRUPTED)
		return -1;
	problem_set(p, EXIT_OTHER, "stream ended without an exit");
	snprintf(p->op, sizeof p->op, "%s", run->cli->api.op);
	return -1;
}

static int finish(struct run *run)
{
	if (run->timed_out)
		return EXIT_TIMEOUT;
	return run->failed ? EXIT_OURS : run->exit_code;
}

int run_stream(struct cli *cli, const struct args *args, const char *line)
{
	AUTOBUF struct buf body;
	struct api *api = cli_api(cli);
	struct api_request request = {
		.op = "commands.stream", .method = "POST", .target = STR("/shell/stream"), .accept = "text/event-stream"
	};
	struct run run = { .cli = cli };
	struct sse_reader reader;
	int failed;

	buf_init(&body, BODY_MAX);
	if (args_has(args, "tty"))
		return attach_new(cli, args, line);
	if (!api || make_body(&body, args, line, cli->json, &cli->problem) < 0)
		return -1;
	request.body = buf_str(&body);
	if (api_open(api, &request, &cli->problem) < 0)
		return -1;
	buf_free(&body);
	if (!response_is_type(&api->http.response, "text/event-stream"))
		return problem_set(&cli->problem, EXIT_OTHER, "the answer is no stream of events");
	api->http.idle_ms = SILENCE_MS;
	sse_reader_init(&reader, EVENT_MAX);
	failed = play(&run, &reader);
	sse_reader_free(&reader);
	return failed < 0 ? -1 : finish(&run);
}
