/* SPDX-License-Identifier: Apache-2.0 */
#include "server/policy_command.h"

#include "base/base.h"
#include "custom/manifest.h"
#include "http/http.h"
#include "policy/policy_cli.h"
#include "policy/policy_file.h"
#include "program/confine.h"
#include "server/audit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

static int check_server_keys(const struct config *config, struct err *err)
{
	const char *const *listen = config->server.listen, *commands = config->server.commands;
	struct manifests manifests;

	for (size_t i = 0; listen && listen[i]; i++) {
		if (!http_is_address(listen[i]))
			return err_set(err, ERR_ARGS_INVALID,
				"server.listen[%zu]: HOST:PORT, [V6]:PORT or unix:/path is wanted here, not '%.64s'", i,
				listen[i]);
	}
	if (!commands)
		return 0;
	if (access(commands, R_OK) < 0)
		return err_set(err, ERR_ARGS_INVALID, "server.commands: cannot read '%.128s': %s", commands,
			strerrordesc_np(errno));
	if (manifests_read(commands, &manifests, err) < 0)
		return -1;
	manifests_free(&manifests);
	return 0;
}

/* The token may come from an option or a variable, so that this is no error of the file. */
static void warn_of_addresses(const struct policy *policy)
{
	const struct config *config = policy_config(policy);
	const char *const *listen = config->server.listen;

	for (; listen && *listen && !policy_has_tokens(policy); listen++) {
		if (!http_is_loopback(*listen))
			fprintf(stderr,
				"%s:%zu: warning: '%s' is not a loopback address and the file has no token: the server "
				"starts with --token (or --insecure-no-auth) only\n",
				config->file, policy_file_line(config, "server.listen"), *listen);
	}
}

/* What a start asks besides. */
static int check_more(const struct policy *policy, struct err *err)
{
	if (confine_check(policy, err) < 0 || audit_check(policy, err) < 0)
		return -1;
	if (check_server_keys(policy_config(policy), err) < 0) {
		policy_file_place(policy_config(policy), err);
		return -1;
	}
	warn_of_addresses(policy);
	return 0;
}

int policy_command(char **args)
{
	if (args[0] && args[1] && !args[2] && strcmp(args[0], "check") == 0)
		return policy_cli_check(args[1], check_more, stdout, stderr);
	if (args[0] && args[1] && strcmp(args[0], "explain") == 0)
		return explain(args + 1);
	return usage();
}
