/* SPDX-License-Identifier: Apache-2.0 */
/* abx edit: changes a part of a file on the server and prints the difference. */
#include "cli/commands.h"
#include "cli/remote.h"
#include "cli/term.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { BODY_MAX = 32 << 20, CHUNK = 64 * 1024 };

static int read_patch(struct cli *cli, const char *name, struct buf *patch)
{
	AUTOCLOSE int fd = strcmp(name, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
						  : open(name, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return problem_errno(&cli->problem, errno, "cannot read '%s'", name);
	for (;;) {
		char *to = buf_reserve(patch, CHUNK);
		ssize_t len = to ? read(fd, to, CHUNK) : 0;

		if (!to)
			return problem_set(&cli->problem, EXIT_USAGE, "edit: the patch is too large");
		if (len < 0)
			return problem_errno(&cli->problem, errno, "cannot read '%s'", name);
		if (len == 0)
			return 0;
		buf_commit(patch, (size_t)len);
	}
}

static int write_edit(struct cli *cli, struct args *args, struct json_writer *w)
{
	const char *old = args_value(args, "old"), *new = args_value(args, "new"), *count = args_value(args, "count");
	uint64_t number = 0;

	if (!old || !new)
		return problem_set(&cli->problem, EXIT_USAGE, "edit: give --old and --new, or --patch");
	if (count && str_to_u64(str_of(count), &number) < 0)
		return problem_set(&cli->problem, EXIT_USAGE, "edit: --count is a number, not '%s'", count);
	json_key(w, "edits");
	json_array_begin(w);
	json_object_begin(w);
	json_key(w, "old");
	json_string(w, old);
	json_key(w, "new");
	json_string(w, new);
	if (count) {
		json_key(w, "count");
		json_int(w, (int64_t)number);
	}
	json_object_end(w);
	json_array_end(w);
	return 0;
}

static int write_patch(struct cli *cli, const char *name, struct json_writer *w)
{
	AUTOBUF struct buf patch;

	buf_init(&patch, BODY_MAX);
	if (read_patch(cli, name, &patch) < 0)
		return -1;
	json_key(w, "patch");
	json_text(w, buf_str(&patch));
	return 0;
}

static void print_lines(struct str text)
{
	while (text.len) {
		term_print(str_cut(&text, '\n'));
		putchar('\n');
	}
}

static int edit(struct cli *cli, struct args *args)
{
	const char *patch = args_value(args, "patch");
	AUTOBUF struct buf body;
	AUTOREPLY struct reply reply = { 0 };
	struct json_writer w;

	buf_init(&body, BODY_MAX);
	if (patch && (args_value(args, "old") || args_value(args, "new")))
		return problem_set(&cli->problem, EXIT_USAGE, "edit: --patch does not go with --old and --new");
	json_write_init(&w, &body);
	json_object_begin(&w);
	api_path(&w, "path", cli_remote(args->words[0]));
	if ((patch ? write_patch(cli, patch, &w) : write_edit(cli, args, &w)) < 0 || !cli_api(cli))
		return -1;
	json_object_end(&w);
	if (buf_failed(&body))
		return problem_set(&cli->problem, EXIT_USAGE, "edit: the change is too large");
	if (api_call(&cli->api, "files.edit", buf_str(&body), false, &reply, &cli->problem) < 0)
		return -1;
	if (cli->json)
		return cli_print_json(cli, &reply);
	if (reply_parse(&cli->api, &reply, &cli->problem) < 0)
		return -1;
	if (!cli->quiet)
		print_lines(reply_text(reply.value, "diff"));
	return EXIT_OK;
}

static const struct flag flags[] = {
	{ 'o', "old", "TEXT", "what is there now, exactly once" },
	{ 'n', "new", "TEXT", "what is to be there" },
	{ 'c', "count", "N", "how often it is there; 0: as often as it is" },
	{ 'p', "patch", "FILE", "a unified diff instead; '-' is standard input" },
	FLAGS_END,
};

const struct command cli_edit = {
	.name = "edit",
	.usage = "PATH",
	.summary = "change a part of a file",
	.text = "Nothing is written unless all of it fits; what was changed is printed as a unified diff.\n",
	.flags = flags,
	.least = 1,
	.most = 1,
	.run = edit,
};
