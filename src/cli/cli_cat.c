/* SPDX-License-Identifier: Apache-2.0 */
/* abx cat: the bytes of files, exactly, to standard output. */
#include "cli/commands.h"
#include "cli/copy.h"

static int cat(struct cli *cli, struct args *args)
{
	struct copy copy = { .cli = cli };
	int code = EXIT_OK;

	for (size_t i = 0; i < args->word_count; i++) {
		if (copy_down_file(&copy, cli_remote(args->words[i]), 0, "-") < 0) {
			if (cli_is_hopeless(cli))
				return -1;
			code = cli_complain(cli);
		}
	}
	return code;
}

const struct command cli_cat = {
	.name = "cat",
	.usage = "PATH...",
	.summary = "print files, byte for byte",
	.least = 1,
	.most = ANY_COUNT,
	.run = cat,
};
