/* SPDX-License-Identifier: Apache-2.0 */
/* abx stat: what is known of a path; exit code 5 when nothing is there. */
#include "cli/commands.h"
#include "cli/remote.h"
#include "cli/show.h"

static int stat_one(struct cli *cli, const char *word, bool follow, bool *told_before)
{
	AUTOREPLY struct reply reply;

	if (remote_call(cli, "files.stat", cli_remote(word), "follow", follow, &reply) < 0)
		return -1;
	if (cli->json && cli_print_json(cli, &reply) < 0)
		return -1;
	if (reply_parse(&cli->api, &reply, &cli->problem) < 0)
		return -1;
	if (!reply_bool(reply.value, "exists", false)) {
		problem_set(&cli->problem, EXIT_NOT_FOUND, "no such file: %s", cli_remote(word).p);
		snprintf(cli->problem.op, sizeof cli->problem.op, "files.stat");
		return -1;
	}
	if (cli->json)
		return 0;
	if (*told_before)
		putchar('\n');
	*told_before = true;
	show_members(reply.value);
	return 0;
}

static int stat_all(struct cli *cli, struct args *args)
{
	bool told_before = false;
	int code = EXIT_OK;

	for (size_t i = 0; i < args->word_count; i++) {
		if (stat_one(cli, args->words[i], !args_has(args, "no-follow"), &told_before) < 0) {
			if (cli_is_hopeless(cli))
				return -1;
			code = cli_complain(cli);
		}
	}
	return code;
}

static const struct flag flags[] = {
	{ 'P', "no-follow", NULL, "tell of a symbolic link itself" },
	FLAGS_END,
};

const struct command cli_stat = {
	.name = "stat",
	.usage = "PATH...",
	.summary = "show what is known of files and folders",
	.flags = flags,
	.least = 1,
	.most = ANY_COUNT,
	.run = stat_all,
};
