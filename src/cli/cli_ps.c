/* SPDX-License-Identifier: Apache-2.0 */
/* abx ps: the processes that were begun with start. */
#include "cli/commands.h"
#include "cli/show.h"

#include <stdio.h>

enum { PID_COLUMN = 9, STATE_COLUMN = 13, STARTED_COLUMN = 26, NAME_COLUMN = 16, LINE_MAX_BYTES = 64 * 1024 };

/* Names and commands may hold anything: as JSON writes them a line stays a line. */
static void print_line(struct str text, int width)
{
	AUTOBUF struct buf line;

	buf_init(&line, LINE_MAX_BYTES);
	json_escape(&line, text.len ? text : STR("-"));
	show_cell(buf_str(&line), width);
}

static void print_state(const struct json *process)
{
	char text[64];

	if (str_is(reply_text(process, "state"), "running"))
		snprintf(text, sizeof text, "running");
	else
		snprintf(text, sizeof text, "exited (%lld)", (long long)reply_int(process, "exit_code", -1));
	show_cell(str_of(text), STATE_COLUMN);
}

static int ps(struct cli *cli, struct args *args)
{
	AUTOREPLY struct reply reply;
	int shown = show_call(cli, "process.list", STR("{}"), true, &reply);

	if (shown)
		return MIN(shown, EXIT_OK);
	if (!cli->quiet) {
		show_cell(STR("PID"), PID_COLUMN);
		show_cell(STR("STATE"), STATE_COLUMN);
		show_cell(STR("STARTED"), STARTED_COLUMN);
		show_cell(STR("NAME"), NAME_COLUMN);
		puts("COMMAND");
	}
	for (const struct json *one = reply_list(reply.value, "processes"); one; one = one->next) {
		if (!args_has(args, "all") && !str_is(reply_text(one, "state"), "running"))
			continue;
		show_cell(show_text(one, "pid"), PID_COLUMN);
		print_state(one);
		show_cell(show_text(one, "started_at"), STARTED_COLUMN);
		print_line(reply_text(one, "name"), NAME_COLUMN);
		print_line(reply_text(one, "command"), 0);
		putchar('\n');
	}
	return EXIT_OK;
}

static const struct flag flags[] = {
	{ 'a', "all", NULL, "also those that have ended" },
	FLAGS_END,
};

const struct command cli_ps = {
	.name = "ps",
	.usage = "",
	.summary = "list the processes that were begun with start",
	.flags = flags,
	.run = ps,
};
