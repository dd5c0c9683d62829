/* SPDX-License-Identifier: Apache-2.0 */
/* abx git status: what differs in a repository there, in the short form of git. */
#include "cli/commands.h"
#include "cli/show.h"
#include "cli/term.h"

#include <stdio.h>

enum { ARGS_MAX = 64 * 1024 };

static char letter_of(struct str status)
{
	static const struct {
		const char *status;
		char letter;
	} letters[] = { { "modified", 'M' }, { "added", 'A' }, { "deleted", 'D' }, { "renamed", 'R' },
		{ "copied", 'C' }, { "untracked", '?' }, { "unmerged", 'U' } };

	for (size_t i = 0; i < ARRAY_LEN(letters); i++) {
		if (str_is(status, letters[i].status))
			return letters[i].letter;
	}
	return ' ';
}

static void print_branch(const struct json *status)
{
	struct str branch = reply_text(status, "branch"), upstream = reply_text(status, "upstream");

	fputs("## ", stdout);
	term_print(branch.p ? branch : STR("(detached)"));
	if (upstream.p) {
		fputs("...", stdout);
		term_print(upstream);
		printf(" +%lld -%lld", (long long)reply_int(status, "ahead", 0),
			(long long)reply_int(status, "behind", 0));
	}
	putchar('\n');
}

/* The first column is the index, the second the folder. */
static void print_file(const struct json *file)
{
	char letter = letter_of(reply_text(file, "status"));
	bool staged = reply_bool(file, "staged", false), both = letter == '?' || letter == 'U';
	struct str old = reply_text(file, "old_path");

	printf("%c%c ", staged || both ? letter : ' ', !staged || both ? letter : ' ');
	if (old.p) {
		term_print(old);
		fputs(" -> ", stdout);
	}
	term_print(reply_text(file, "path"));
	putchar('\n');
}

static int status(struct cli *cli, struct args *args)
{
	AUTOREPLY struct reply reply = { 0 };
	AUTOBUF struct buf body;
	struct json_writer w;
	int shown;

	buf_init(&body, ARGS_MAX);
	json_write_init(&w, &body);
	json_object_begin(&w);
	api_path(&w, "path", args->word_count ? cli_remote(args->words[0]) : STR("."));
	json_object_end(&w);
	if (buf_failed(&body))
		return problem_set(&cli->problem, EXIT_USAGE, "the path is too long");
	shown = show_call(cli, "devtools.git.status", buf_str(&body), true, &reply);
	if (shown)
		return MIN(shown, EXIT_OK);
	print_branch(reply.value);
	for (const struct json *file = reply_list(reply.value, "files"); file; file = file->next)
		print_file(file);
	if (reply_bool(reply.value, "truncated", false))
		return problem_set(&cli->problem, EXIT_OTHER, "more files differ than are listed");
	return EXIT_OK;
}

const struct command cli_git_status = {
	.name = "git status",
	.usage = "[DIR]",
	.summary = "show what differs in a repository, in the short form of git",
	.most = 1,
	.run = status,
};
