/* SPDX-License-Identifier: Apache-2.0 */
/* abx exec: a program and its arguments, without a shell. */
#include "cli/commands.h"
#include "cli/run_stream.h"

static int exec(struct cli *cli, struct args *args)
{
	return run_stream(cli, args, NULL);
}

const struct command cli_exec = {
	.name = "exec",
	.usage = "[--] CMD [ARG...]",
	.summary = "run a program, streaming, and end with its exit code",
	.text = "Standard input is passed where it is no terminal, or with -i: the program starts when all of it (at most 256 MiB)\n"
		"was read; -n starts it at once. Ctrl-C ends the program and all that it started.\n",
	.flags = run_stream_flags,
	.least = 1,
	.most = ANY_COUNT,
	.stop_at_word = true,
	.is_run = true,
	.run = exec,
};
