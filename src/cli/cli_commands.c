/* SPDX-License-Identifier: Apache-2.0 */
/* abx commands: those of the template's author. */
#include "cli/commands.h"
#include "cli/show.h"
#include "cli/term.h"

#include <stdio.h>

enum { NAME_COLUMN = 20, ARGS_COLUMN = 36, TEXT_MAX = 64 * 1024 };

/* "submission points=3 [note]" */
static void show_args(const struct json *command)
{
	AUTOBUF struct buf text;
	struct json_writer w;

	buf_init(&text, TEXT_MAX);
	for (const struct json *arg = reply_list(command, "args"); arg; arg = arg->next) {
		struct str name = reply_text(arg, "name");
		const struct json *def = json_get(arg, "default");
		bool is_optional = !def && !reply_bool(arg, "required", true);

		buf_adds(&text, text.len ? " " : "");
		buf_addf(&text, is_optional ? "[" STR_FMT "]" : STR_FMT, STR_ARG(name));
		if (def) {
			buf_addc(&text, '=');
			json_write_init(&w, &text);
			json_tree(&w, def, false);
		}
	}
	show_cell(text.len ? buf_str(&text) : STR("-"), ARGS_COLUMN);
}

static void show_command(const struct json *command)
{
	struct str rest = reply_text(command, "description");

	show_cell(reply_text(command, "name"), NAME_COLUMN);
	show_args(command);
	show_cell(str_trim(str_cut(&rest, '\n')), 0);
	putchar('\n');
}

static void show_problems(const struct json *list)
{
	for (const struct json *worker = reply_list(list, "workers"); worker; worker = worker->next) {
		struct str problem = reply_text(worker, "problem");
		AUTOBUF struct buf line;

		buf_init(&line, TEXT_MAX);
		if (!problem.len)
			continue;
		buf_adds(&line, "abx: ");
		term_escape(&line, reply_text(worker, "manifest"));
		buf_adds(&line, ": ");
		term_escape(&line, problem);
		buf_addc(&line, '\n');
		fwrite(line.data, 1, line.len, stderr);
	}
}

static int commands(struct cli *cli, struct args *args)
{
	AUTOREPLY struct reply reply;
	int shown = show_call(cli, "custom.list", STR("{}"), true, &reply);

	(void)args;
	if (shown)
		return MIN(shown, EXIT_OK);
	for (const struct json *one = reply_list(reply.value, "commands"); one; one = one->next)
		show_command(one);
	if (!cli->quiet)
		show_problems(reply.value);
	return EXIT_OK;
}

const struct command cli_commands = {
	.name = "commands",
	.usage = "",
	.summary = "list the commands of the template's author",
	.text = "Each with its arguments: NAME, NAME=DEFAULT, or [NAME] where it may be left out.\n",
	.run = commands,
};
