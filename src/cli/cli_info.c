/* SPDX-License-Identifier: Apache-2.0 */
/* abx info: what the sandbox is made of. */
#include "cli/commands.h"
#include "cli/show.h"

static int info(struct cli *cli, struct args *args)
{
	AUTOREPLY struct reply reply;
	int shown = show_call(cli, "system.info", STR("{}"), true, &reply);

	(void)args;
	if (shown == 0)
		show_members(reply.value);
	return MIN(shown, EXIT_OK);
}

const struct command cli_info = {
	.name = "info",
	.usage = "",
	.summary = "show what the sandbox is made of",
	.run = info,
};
