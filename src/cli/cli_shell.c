/* SPDX-License-Identifier: Apache-2.0 */
/* abx shell: a login shell in a terminal, or back to a session that lives. */
#include "cli/attach.h"

static int shell(struct cli *cli, struct args *args)
{
	if (args->word_count)
		return attach_session(cli, str_of(args->words[0]));
	return attach_new(cli, args, NULL);
}

static const struct flag flags[] = {
	{ 'w', "workdir", "DIR", "start in this folder" },
	{ 'e', "env", "K=V", "set a variable; K alone takes its value from here; may be repeated" },
	FLAGS_END,
};

const struct command cli_shell = {
	.name = "shell",
	.usage = "[ID]",
	.summary = "open a terminal with a shell, or attach to one again",
	.text = "'~.' at the start of a line detaches and leaves the session running; '~~' types one '~'.\n"
		"Ends with the exit code of the shell.\n",
	.flags = flags,
	.most = 1,
	.is_run = true,
	.run = shell,
};
