/* SPDX-License-Identifier: Apache-2.0 */
/* abx stdin: standard input, piece by piece as it comes, to a background process. */
#include "cli/commands.h"
#include "cli/upload_fd.h"

#include <unistd.h>

enum { PIECE = 48 * 1024, BODY_MAX = 2 * PIECE };

static int send_piece(struct cli *cli, const char *pid, struct str bytes, bool eof)
{
	AUTOREPLY struct reply reply = { 0 };
	AUTOBUF struct buf body;
	struct api *api = cli_api(cli);
	struct json_writer w;

	buf_init(&body, BODY_MAX);
	json_write_init(&w, &body);
	json_object_begin(&w);
	json_key(&w, "pid");
	json_string(&w, pid);
	json_key(&w, "data_b64");
	json_base64(&w, bytes);
	json_key(&w, "eof");
	json_bool(&w, eof);
	json_object_end(&w);
	if (buf_failed(&body))
		return problem_set(&cli->problem, EXIT_USAGE, "the process's name is too long");
	if (!api || api_call(api, "process.stdin", buf_str(&body), false, &reply, &cli->problem) < 0)
		return -1;
	return cli->json ? cli_print_json(cli, &reply) : 0;
}

static int run(struct cli *cli, struct args *args)
{
	AUTOFREE char *piece = mem_alloc(PIECE);
	bool any = false, eof = args_has(args, "eof");
	struct upload_fd input;
	unsigned mode = 0;
	ssize_t got;

	if (upload_fd_init(&input, STDIN_FILENO, "standard input", true, &mode, &cli->problem) < 0)
		return -1;
	while ((got = input.upload.read(&input.upload, piece, PIECE, &cli->problem)) > 0) {
		if (send_piece(cli, args->words[0], (struct str){ piece, (size_t)got }, false) < 0)
			return -1;
		any = true;
	}
	/* Nothing is sent too: whether there is such a process must be told. */
	if (got == 0 && (eof || !any))
		got = send_piece(cli, args->words[0], STR(""), eof);
	return got < 0 ? -1 : EXIT_OK;
}

static const struct flag flags[] = {
	{ '\0', "eof", NULL, "close its standard input behind that" },
	FLAGS_END,
};

const struct command cli_stdin = {
	.name = "stdin",
	.usage = "PID",
	.summary = "pass standard input to a background process",
	.text = "The process must have been started with 'abx start -i'.\n",
	.flags = flags,
	.least = 1,
	.most = 1,
	.run = run,
};
