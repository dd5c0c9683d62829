/* SPDX-License-Identifier: Apache-2.0 */
/* abx sh: a line for the server's shell. */
#include "cli/commands.h"
#include "cli/run_stream.h"

enum { LINE_MAX_BYTES = 64 << 20 };

static int sh(struct cli *cli, struct args *args)
{
	AUTOBUF struct buf line;

	buf_init(&line, LINE_MAX_BYTES);
	for (size_t i = 0; i < args->word_count; i++) {
		if (i)
			buf_addc(&line, ' ');
		buf_adds(&line, args->words[i]);
	}
	if (buf_failed(&line))
		return problem_set(&cli->problem, EXIT_USAGE, "the command is too large");
	return run_stream(cli, args, line.len ? line.data : "");
}

const struct command cli_sh = {
	.name = "sh",
	.usage = "LINE...",
	.summary = "run a line by the shell, streaming, and end with its exit code",
	.text = "Several words are joined with blanks, as ssh does it; quote the line to keep it whole.\n",
	.flags = run_stream_flags,
	.least = 1,
	.most = ANY_COUNT,
	.stop_at_word = true,
	.is_run = true,
	.run = sh,
};
