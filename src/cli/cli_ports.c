/* SPDX-License-Identifier: Apache-2.0 */
/* abx ports: who listens where. */
#include "cli/commands.h"
#include "cli/show.h"

#include <stdio.h>

enum { PROTOCOL_COLUMN = 6, PORT_COLUMN = 7, ADDRESS_COLUMN = 24, PID_COLUMN = 9 };

static int ports(struct cli *cli, struct args *args)
{
	AUTOREPLY struct reply reply;
	int shown = show_call(cli, "system.ports", STR("{}"), true, &reply);

	(void)args;
	for (const struct json *one = shown ? NULL : reply_list(reply.value, "listening"); one; one = one->next) {
		show_cell(show_text(one, "protocol"), PROTOCOL_COLUMN);
		show_cell(show_text(one, "port"), PORT_COLUMN);
		show_cell(show_text(one, "address"), ADDRESS_COLUMN);
		show_cell(show_text(one, "pid"), PID_COLUMN);
		show_cell(show_text(one, "process"), 0);
		putchar('\n');
	}
	return MIN(shown, EXIT_OK);
}

const struct command cli_ports = {
	.name = "ports",
	.usage = "",
	.summary = "list the ports that somebody listens on",
	.run = ports,
};
