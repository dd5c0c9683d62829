/* SPDX-License-Identifier: Apache-2.0 */
/* abx code: a piece of code of here, run by an interpreter of there. */
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/run_stream.h"
#include "cli/upload_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CODE_MAX = 64 << 20, BODY_MAX = 256 << 20 };

static int read_text(int fd, const char *name, struct buf *to, struct problem *p)
{
	if (fd < 0)
		return problem_errno(p, errno, "%s", name);
	if (upload_fd_read_all(fd, name, to, p) < 0)
		return -1;
	return utf8_valid(buf_str(to)) ? 0 : problem_set(p, EXIT_USAGE, "%s is not UTF-8", name);
}

static struct str whole(const struct buf *text)
{
	return text->data ? buf_str(text) : STR("");
}

/* Standard input is the code, or with a file the input of it where that is asked for. */
static int add_texts(struct json_writer *w, struct args *args, struct problem *p)
{
	const char *file = args->word_count > 1 && strcmp(args->words[1], "-") != 0 ? args->words[1] : NULL;
	AUTOCLOSE int fd = file ? open(file, O_RDONLY | O_CLOEXEC) : -1;
	AUTOBUF struct buf code, input;

	buf_init(&code, CODE_MAX);
	buf_init(&input, CODE_MAX);
	if (read_text(file ? fd : STDIN_FILENO, file ? file : "standard input", &code, p) < 0)
		return -1;
	json_key(w, "code");
	json_text(w, whole(&code));
	if (!args_has(args, "interactive"))
		return 0;
	if (!file)
		return problem_set(p, EXIT_USAGE, "standard input is the code: --interactive needs a FILE");
	if (read_text(STDIN_FILENO, "standard input", &input, p) < 0)
		return -1;
	json_key(w, "stdin");
	json_text(w, whole(&input));
	return 0;
}

static int make_body(struct buf *body, struct args *args, struct problem *p)
{
	const char *dir = args_value(args, "workdir"), *timeout = args_value(args, "timeout");
	struct json_writer w;
	double seconds;

	json_write_init(&w, body);
	json_object_begin(&w);
	json_key(&w, "language");
	json_string(&w, args->words[0]);
	if (add_texts(&w, args, p) < 0 || run_stream_env(&w, args, p) < 0)
		return -1;
	if (dir)
		api_path(&w, "cwd", str_of(dir));
	if (timeout) {
		if (args_seconds(timeout, &seconds, p) < 0)
			return -1;
		json_key(&w, "timeout");
		json_double(&w, seconds);
	}
	json_object_end(&w);
	return buf_failed(body) ? problem_set(p, EXIT_USAGE, "the code is too large") : 0;
}

/* What is not as the code wrote it is not taken for that by whoever reads on. */
static void tell_losses(const struct json *result)
{
	if (reply_bool(result, "stdout_truncated", false) || reply_bool(result, "stderr_truncated", false))
		fprintf(stderr, "abx: output is missing: the server keeps the first bytes of each stream only\n");
	if (reply_bool(result, "lossy", false))
		fprintf(stderr, "abx: bytes of the output that are not UTF-8 were replaced\n");
}

static int code(struct cli *cli, struct args *args)
{
	AUTOREPLY struct reply reply = { 0 };
	AUTOBUF struct buf body;
	struct api *api;

	buf_init(&body, BODY_MAX);
	if (make_body(&body, args, &cli->problem) < 0)
		return -1;
	api = cli_api(cli);
	if (!api || api_call(api, "devtools.code.run", buf_str(&body), false, &reply, &cli->problem) < 0)
		return -1;
	if (cli->json && cli_print_json(cli, &reply) < 0)
		return -1;
	if (reply_parse(api, &reply, &cli->problem) < 0)
		return -1;
	if (!cli->json && (cli_write(cli, STDOUT_FILENO, reply_text(reply.value, "stdout")) < 0 ||
				  cli_write(cli, STDERR_FILENO, reply_text(reply.value, "stderr")) < 0))
		return -1;
	if (!cli->json)
		tell_losses(reply.value);
	return (int)reply_int(reply.value, "exit_code", EXIT_OURS);
}

static const struct flag flags[] = {
	{ 'w', "workdir", "DIR", "run in this folder, where modules are found" },
	{ 'e', "env", "K=V", "set a variable; K alone takes its value from here; may be repeated" },
	{ '\0', "timeout", "S", "end it after so many seconds (exit code 124); 30 by default" },
	{ 'i', "interactive", NULL, "pass standard input, up to its end, to the code of a FILE" },
	FLAGS_END,
};

const struct command cli_code = {
	.name = "code",
	.usage = "LANG [FILE|-]",
	.summary = "run code of a file or of standard input, and end with its exit code",
	.text = "LANG is python, node, bash or what the server's policy adds. Output comes when the code has ended.\n",
	.flags = flags,
	.least = 1,
	.most = 2,
	.is_run = true,
	.run = code,
};
