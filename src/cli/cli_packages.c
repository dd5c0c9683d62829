/* SPDX-License-Identifier: Apache-2.0 */
/* abx packages: what a package manager has installed. */
#include "cli/commands.h"
#include "cli/show.h"
#include "cli/term.h"

#include <stdio.h>

enum { ARGS_MAX = 4096 };

static int packages(struct cli *cli, struct args *args)
{
	AUTOREPLY struct reply reply = { 0 };
	AUTOBUF struct buf body;
	struct json_writer w;
	int shown;

	buf_init(&body, ARGS_MAX);
	json_write_init(&w, &body);
	json_object_begin(&w);
	json_key(&w, "manager");
	json_string(&w, args->word_count ? args->words[0] : "pip");
	json_object_end(&w);
	if (buf_failed(&body))
		return problem_set(&cli->problem, EXIT_USAGE, "the manager's name is too long");
	shown = show_call(cli, "system.packages", buf_str(&body), true, &reply);
	for (const struct json *one = shown ? NULL : reply_list(reply.value, "packages"); one; one = one->next) {
		term_print(reply_text(one, "name"));
		putchar(' ');
		term_print(reply_text(one, "version"));
		putchar('\n');
	}
	return MIN(shown, EXIT_OK);
}

const struct command cli_packages = {
	.name = "packages",
	.usage = "[pip|npm|apt|apk|cargo]",
	.summary = "list installed packages",
	.most = 1,
	.run = packages,
};
