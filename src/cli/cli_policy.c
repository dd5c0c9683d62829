/* SPDX-License-Identifier: Apache-2.0 */
/*
 * abx policy check|explain: asks the server's program, whose code decides about calls, on this
 * machine; no server has to run.
 */
#include "cli/commands.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MAX = 16 };

static const char PROGRAM[] = "agent-sandbox-server";

/* $ABX_SERVER_PROGRAM, else beside abx itself, else found in PATH. */
static const char *find_program(char beside[static PATH_MAX])
{
	const char *given = getenv("ABX_SERVER_PROGRAM");
	ssize_t len = readlink("/proc/self/exe", beside, PATH_MAX - sizeof PROGRAM - 1);
	char *slash;

	if (given && given[0])
		return given;
	if (len <= 0)
		return PROGRAM;
	beside[len] = '\0';
	slash = strrchr(beside, '/');
	if (!slash)
		return PROGRAM;
	memcpy(slash + 1, PROGRAM, sizeof PROGRAM);
	return access(beside, X_OK) == 0 ? beside : PROGRAM;
}

/* It takes this one's place, so that its words and its exit code are what the caller gets. */
static int become(struct cli *cli, const char **argv)
{
	char beside[PATH_MAX];

	argv[0] = find_program(beside);
	fflush(stdout);
	execvp(argv[0], (char *const *)argv);
	return problem_errno(&cli->problem, errno,
		"cannot start '%s', which is looked for beside abx, then in PATH, unless ABX_SERVER_PROGRAM names it",
		argv[0]);
}

static int check(struct cli *cli, struct args *args)
{
	const char *argv[] = { NULL, "policy", "check", args->words[0], NULL };

	return become(cli, argv);
}

static int explain(struct cli *cli, struct args *args)
{
	static const char *const names[] = { "op", "token", "path" };
	static const char *const dashed[] = { "--op", "--token", "--path" };
	const char *argv[WORDS_MAX] = { NULL, "policy", "explain", args->words[0] };
	size_t count = 4;

	if (!args_has(args, "op"))
		return problem_set(&cli->problem, EXIT_USAGE, "policy explain: --op is missing");
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (!args_has(args, names[i]))
			continue;
		argv[count++] = dashed[i];
		argv[count++] = args_value(args, names[i]);
	}
	return become(cli, argv);
}

const struct command cli_policy_check = {
	.name = "policy check",
	.usage = "FILE",
	.summary = "whether a server here would start with this policy file",
	.text = "Says what is wrong with file, line and column, and warns of promises that programs can walk around.\n",
	.least = 1,
	.most = 1,
	.run = check,
};

static const struct flag explain_flags[] = {
	{ '\0', "op", "OP", "the op that would be called" },
	{ '\0', "token", "NAME", "the token's name in the file; without it no token is sent" },
	{ '\0', "path", "PATH", "a path that the op would be given" },
	FLAGS_END,
};

const struct command cli_policy_explain = {
	.name = "policy explain",
	.usage = "FILE",
	.summary = "whether a call would be allowed by this policy file, and the line that says so",
	.text = "Ends with 0 when it would, with 4 when not.\n",
	.flags = explain_flags,
	.least = 1,
	.most = 1,
	.run = explain,
};
