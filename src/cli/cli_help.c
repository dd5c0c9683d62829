/* SPDX-License-Identifier: Apache-2.0 */
/* abx help: what there is, or one command. */
#include "cli/commands.h"
#include "cli/help.h"

static int help(struct cli *cli, struct args *args)
{
	const struct command *command;
	size_t used = 0;

	if (args_has(args, "man")) {
		help_man();
		return EXIT_OK;
	}
	if (args->word_count == 0) {
		help_all(stdout);
		return EXIT_OK;
	}
	command = commands_find(args->word_count, args->words, &used);
	if (command && used == args->word_count) {
		help_command(command);
		return EXIT_OK;
	}
	if (args->word_count == 1 && help_group(args->words[0], stdout))
		return EXIT_OK;
	return problem_set(&cli->problem, EXIT_USAGE, "'%s%s%s' is not a command; 'abx help' lists them",
		args->words[0], args->word_count > 1 ? " " : "", args->word_count > 1 ? args->words[1] : "");
}

static const struct flag flags[] = {
	{ '\0', "man", NULL, "print the manual page" },
	FLAGS_END,
};

const struct command cli_help = {
	.name = "help",
	.usage = "[COMMAND]",
	.summary = "explain abx or one of its commands",
	.flags = flags,
	.most = 2,
	.run = help,
};
