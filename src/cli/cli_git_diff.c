/* SPDX-License-Identifier: Apache-2.0 */
/* abx git diff: what changed in a repository there, as a patch. */
#include "cli/commands.h"
#include "cli/show.h"
#include "cli/term.h"

#include <stdio.h>
#include <unistd.h>

enum { ARGS_MAX = 128 * 1024 };

static const char *colour_of(struct str line)
{
	if (str_starts(line, "+"))
		return "\033[32m";
	if (str_starts(line, "-"))
		return "\033[31m";
	return str_starts(line, "@@") ? "\033[36m" : NULL;
}

/* For people: coloured, and nothing in it drives the terminal. */
static void print_lines(struct str text)
{
	while (text.len) {
		struct str line = str_cut(&text, '\n');
		const char *colour = term_has_colour() ? colour_of(line) : NULL;

		fputs(colour ? colour : "", stdout);
		term_print(line);
		puts(colour ? "\033[0m" : "");
	}
}

static int diff(struct cli *cli, struct args *args)
{
	AUTOREPLY struct reply reply = { 0 };
	AUTOBUF struct buf body;
	struct json_writer w;
	struct str text;
	int shown;

	buf_init(&body, ARGS_MAX);
	json_write_init(&w, &body);
	json_object_begin(&w);
	api_path(&w, "path", str_of(args_value(args, "dir") ? cli_remote(args_value(args, "dir")).p : "."));
	json_key(&w, "staged");
	json_bool(&w, args_has(args, "staged"));
	if (args->word_count)
		api_path(&w, "file", str_of(args->words[0]));
	json_object_end(&w);
	if (buf_failed(&body))
		return problem_set(&cli->problem, EXIT_USAGE, "the path is too long");
	shown = show_call(cli, "devtools.git.diff", buf_str(&body), true, &reply);
	if (shown)
		return MIN(shown, EXIT_OK);
	text = reply_text(reply.value, "diff");
	if (term_is_out())
		print_lines(text);
	else if (cli_write(cli, STDOUT_FILENO, text) < 0)
		return -1;
	if (reply_bool(reply.value, "truncated", false))
		return problem_set(&cli->problem, EXIT_OTHER, "the patch goes on: only its first MiB is shown");
	if (reply_bool(reply.value, "lossy", false))
		return problem_set(&cli->problem, EXIT_OTHER,
			"the patch has bytes that are not UTF-8: they were replaced, and it cannot be applied");
	return EXIT_OK;
}

static const struct flag flags[] = {
	{ 'C', "dir", "DIR", "a folder of the repository, instead of the base directory" },
	{ '\0', "staged", NULL, "what is in the index, instead of what is not" },
	FLAGS_END,
};

const struct command cli_git_diff = {
	.name = "git diff",
	.usage = "[FILE]",
	.summary = "show what changed in a repository, as a patch",
	.flags = flags,
	.most = 1,
	.run = diff,
};
