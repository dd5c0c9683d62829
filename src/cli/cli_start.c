/* SPDX-License-Identifier: Apache-2.0 */
/* abx start: a program that outlives this call; its process id is printed. */
#include "cli/commands.h"
#include "cli/run_stream.h"
#include "cli/show.h"

#include <stdio.h>

enum { BODY_MAX = 64 << 20 };

static void join_words(const struct args *args, struct buf *line)
{
	for (size_t i = 0; i < args->word_count; i++) {
		if (i)
			buf_addc(line, ' ');
		buf_adds(line, args->words[i]);
	}
}

static int add_what(struct json_writer *w, const struct args *args, struct problem *p)
{
	AUTOBUF struct buf line;

	buf_init(&line, BODY_MAX);
	if (!args_has(args, "sh"))
		return run_stream_command(w, args, NULL, p);
	join_words(args, &line);
	if (buf_failed(&line))
		return problem_set(p, EXIT_USAGE, "the command is too large");
	return run_stream_command(w, args, line.len ? line.data : "", p);
}

static int make_body(struct buf *body, const struct args *args, struct problem *p)
{
	const char *dir = args_value(args, "workdir"), *name = args_value(args, "name");
	const char *timeout = args_value(args, "timeout");
	struct json_writer w;
	double seconds;

	json_write_init(&w, body);
	json_object_begin(&w);
	if (add_what(&w, args, p) < 0 || run_stream_env(&w, args, p) < 0)
		return -1;
	if (dir)
		api_path(&w, "cwd", str_of(dir));
	if (name) {
		json_key(&w, "name");
		json_string(&w, name);
	}
	if (timeout) {
		if (args_seconds(timeout, &seconds, p) < 0)
			return -1;
		json_key(&w, "timeout");
		json_double(&w, seconds);
	}
	json_key(&w, "capture_output");
	json_bool(&w, !args_has(args, "no-output"));
	json_key(&w, "stdin");
	json_bool(&w, args_has(args, "interactive"));
	json_object_end(&w);
	return buf_failed(body) ? problem_set(p, EXIT_USAGE, "the command is too large") : 0;
}

static int start(struct cli *cli, struct args *args)
{
	AUTOREPLY struct reply reply = { 0 };
	AUTOBUF struct buf body;
	int shown;

	buf_init(&body, BODY_MAX);
	if (make_body(&body, args, &cli->problem) < 0)
		return -1;
	shown = show_call(cli, "process.start", buf_str(&body), false, &reply);
	if (shown == 0)
		printf("%lld\n", (long long)reply_int(reply.value, "pid", -1));
	return MIN(shown, EXIT_OK);
}

static const struct flag flags[] = {
	{ 'w', "workdir", "DIR", "run in this folder" },
	{ 'e', "env", "K=V", "set a variable; K alone takes its value from here; may be repeated" },
	{ '\0', "name", "N", "a label for ps" },
	{ '\0', "sh", NULL, "the words are a line for the shell" },
	{ 'i', "interactive", NULL, "keep its standard input open for 'abx stdin'" },
	{ '\0', "timeout", "S", "end it and all that it started after so many seconds" },
	{ '\0', "no-output", NULL, "keep no output for 'abx logs'" },
	FLAGS_END,
};

const struct command cli_start = {
	.name = "start",
	.usage = "[--] CMD [ARG...]",
	.summary = "start a program in the background and print its process id",
	.text = "It goes on until it ends by itself, by its timeout, by 'abx kill', or with the server.\n",
	.flags = flags,
	.least = 1,
	.most = ANY_COUNT,
	.stop_at_word = true,
	.run = start,
};
