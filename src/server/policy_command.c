/* SPDX-License-Identifier: Apache-2.0 */
#include "server/policy_command.h"

#include "base/base.h"
#include "policy/policy_cli.h"
#include "program/confine.h"

#include <stdio.h>
#include <string.h>

enum { EXIT_USAGE = 2 };

static int usage(void)
{
	fputs("usage: agent-sandbox-server policy check FILE\n"
	      "       agent-sandbox-server policy explain FILE --op OP [--token NAME] [--path PATH]\n",
		stderr);
	return EXIT_USAGE;
}

static int explain(char **args)
{
	const char *file = *args++, *token = NULL, *op = NULL, *path = NULL;
	const struct {
		const char *flag;
		const char **to;
	} flags[] = { { "--token", &token }, { "--op", &op }, { "--path", &path } };

	for (; *args; args += 2) {
		size_t i = 0;

		while (i < ARRAY_LEN(flags) && strcmp(*args, flags[i].flag) != 0)
			i++;
		if (i == ARRAY_LEN(flags) || !args[1])
			return usage();
		*flags[i].to = args[1];
	}
	return op ? policy_cli_explain(file, token, op, path, stdout, stderr) : usage();
}

int policy_command(char **args)
{
	if (args[0] && args[1] && !args[2] && strcmp(args[0], "check") == 0)
		return policy_cli_check(args[1], confine_check, stdout, stderr);
	if (args[0] && args[1] && strcmp(args[0], "explain") == 0)
		return explain(args + 1);
	return usage();
}
