/* SPDX-License-Identifier: Apache-2.0 */
/* abx logs: what a background process wrote, to the streams that it wrote to. */
#include "base/base64.h"
#include "cli/commands.h"
#include "cli/event_stream.h"
#include "cli/interrupt.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

enum { ARGS_MAX = 4096, EVENT_MAX = 64 << 20, ATTEMPTS_MAX = 5, FIRST_WAIT_MS = 50 };

/* Text is what --json shows; bytes are exact only in base64. */
static int make_body(struct cli *cli, const char *pid, int64_t since, struct buf *body)
{
	struct json_writer w;

	json_write_init(&w, body);
	json_object_begin(&w);
	json_key(&w, "pid");
	json_string(&w, pid);
	json_key(&w, "since");
	json_int(&w, since);
	json_key(&w, "encoding");
	json_string(&w, cli->json ? "utf-8" : "base64");
	json_object_end(&w);
	return buf_failed(body) ? problem_set(&cli->problem, EXIT_USAGE, "the process's name is too long") : 0;
}

static int write_chunk(struct cli *cli, const struct json *chunk)
{
	struct str text = reply_text(chunk, "data");
	/* The text lies in the answer's own buffer, which nobody reads again. */
	char *bytes = (char *)text.p;
	ssize_t len = text.len ? base64_decode(bytes, text) : 0;
	int fd = str_is(reply_text(chunk, "stream"), "stderr") ? STDERR_FILENO : STDOUT_FILENO;

	if (len < 0)
		return problem_set(&cli->problem, EXIT_OTHER, "a piece of the output is no base64");
	return cli_write(cli, fd, (struct str){ bytes, (size_t)len });
}

static void tell_dropped(const struct cli *cli, int64_t dropped)
{
	if (dropped > 0 && !cli->quiet)
		fprintf(stderr, "abx: %lld bytes of the output are no longer kept\n", (long long)dropped);
}

static int print_output(struct cli *cli, const struct json *output)
{
	tell_dropped(cli, reply_int(output, "dropped", 0));
	for (const struct json *chunk = reply_list(output, "chunks"); chunk; chunk = chunk->next) {
		if (write_chunk(cli, chunk) < 0)
			return -1;
	}
	return 0;
}

/* One read from *since on, which goes on to its end: 1 when there may be more, 0 when not, -1. */
static int read_once(struct cli *cli, const char *pid, int64_t *since)
{
	AUTOREPLY struct reply reply = { 0 };
	AUTOBUF struct buf body;
	struct api *api = cli_api(cli);
	int64_t before = *since;

	buf_init(&body, ARGS_MAX);
	if (!api || make_body(cli, pid, before, &body) < 0)
		return -1;
	if (api_call(api, "process.output", buf_str(&body), true, &reply, &cli->problem) < 0)
		return -1;
	if (cli->json && cli_print_json(cli, &reply) < 0)
		return -1;
	if (reply_parse(api, &reply, &cli->problem) < 0)
		return -1;
	if (!cli->json && print_output(cli, reply.value) < 0)
		return -1;
	*since = reply_int(reply.value, "next", before);
	return !reply_bool(reply.value, "eof", true) && *since > before;
}

static int on_event(struct event_stream *s, struct str event, const struct json *data)
{
	s->ended = str_is(event, "exit");
	if (s->cli->json)
		return 0;
	if (str_is(event, "gap"))
		tell_dropped(s->cli, reply_int(data, "dropped", 0));
	return str_is(event, "chunk") ? write_chunk(s->cli, data) : 0;
}

/* One connection's worth of it, from s->id on.  Only what had begun goes on. */
static int follow_once(struct event_stream *s, const char *pid, bool is_first)
{
	AUTOBUF struct buf body;
	struct cli *cli = s->cli;

	buf_init(&body, ARGS_MAX);
	if (make_body(cli, pid, s->id, &body) < 0)
		return -1;
	if (api_open_op(&cli->api, "process.follow", buf_str(&body), "text/event-stream", true, &cli->problem) < 0) {
		s->broke = !is_first && !cli->problem.wire_code[0] && !interrupt_seen();
		return -1;
	}
	return event_stream_play(s);
}

/* Waits before the next attempt; false when there is none. */
static bool wait_a_bit(struct cli *cli, int attempt)
{
	struct pollfd fd = { .fd = interrupt_fd(), .events = POLLIN };

	if (attempt > ATTEMPTS_MAX)
		return false;
	if (attempt == 1 && !cli->quiet)
		fputs("abx: the connection broke; going on where it did\n", stderr);
	return attempt == 1 || poll(&fd, 1, FIRST_WAIT_MS << attempt) == 0;
}

/* Where a connection breaks the next one goes on at the byte behind the last event. */
static int follow(struct cli *cli, const char *pid)
{
	struct event_stream s = { .cli = cli, .event_max = EVENT_MAX, .on_event = on_event };
	int attempt = 0, failed;

	if (!cli_api(cli))
		return -1;
	for (;;) {
		int64_t before = s.id;

		s.broke = false;
		failed = follow_once(&s, pid, attempt == 0);
		if (failed == 0 || !s.broke)
			return failed < 0 ? -1 : EXIT_OK;
		attempt = s.id > before ? 1 : attempt + 1;
		if (!wait_a_bit(cli, attempt))
			return -1;
	}
}

static int logs(struct cli *cli, struct args *args)
{
	int64_t since = 0;
	int more;

	if (args_has(args, "follow"))
		return follow(cli, args->words[0]);
	do
		more = read_once(cli, args->words[0], &since);
	while (more > 0);
	return more < 0 ? -1 : EXIT_OK;
}

static const struct flag flags[] = {
	{ 'f', "follow", NULL, "go on until the process ends" },
	FLAGS_END,
};

const struct command cli_logs = {
	.name = "logs",
	.usage = "PID",
	.summary = "print what a background process wrote",
	.text = "Its standard error goes to standard error. The server keeps the newest output only; what is gone is told.\n"
		"Where a connection breaks, -f goes on at the same byte.\n",
	.flags = flags,
	.least = 1,
	.most = 1,
	.run = logs,
};
