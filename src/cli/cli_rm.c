/* SPDX-License-Identifier: Apache-2.0 */
/* abx rm: files, and with -r folders. */
#include "cli/commands.h"
#include "cli/remote.h"

#include <string.h>

static int remove_one(struct cli *cli, const char *word, bool recursive, bool force)
{
	AUTOREPLY struct reply reply = { 0 };
	struct remote_stat st;

	/* Without -r even an empty folder stays, as people know it from rm. */
	if (!recursive && remote_stat(cli, cli_remote(word), false, &st) < 0)
		return -1;
	if (!recursive && st.exists && st.type == 'd') {
		problem_set(&cli->problem, EXIT_OTHER, "it is a folder, and needs -r: %s", cli_remote(word).p);
		snprintf(cli->problem.op, sizeof cli->problem.op, "files.delete");
		return -1;
	}
	if (remote_call(cli, "files.delete", cli_remote(word), "recursive", recursive, &reply) < 0)
		return force && strcmp(cli->problem.wire_code, "files.not_found") == 0 ? 0 : -1;
	return cli->json ? cli_print_json(cli, &reply) : 0;
}

static int remove_all(struct cli *cli, struct args *args)
{
	int code = EXIT_OK;

	for (size_t i = 0; i < args->word_count; i++) {
		if (remove_one(cli, args->words[i], args_has(args, "recursive"), args_has(args, "force")) < 0) {
			if (cli_is_hopeless(cli))
				return -1;
			code = cli_complain(cli);
		}
	}
	return code;
}

static const struct flag flags[] = {
	{ 'r', "recursive", NULL, "folders too, with all that is in them" },
	{ 'f', "force", NULL, "what is not there is no error" },
	FLAGS_END,
};

const struct command cli_rm = {
	.name = "rm",
	.usage = "PATH...",
	.summary = "remove files and folders",
	.flags = flags,
	.least = 1,
	.most = ANY_COUNT,
	.run = remove_all,
};
