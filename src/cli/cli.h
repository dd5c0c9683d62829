/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every command gets: the flags of all commands, the connection to the server that they
 * name, and where its problem goes.
 */
#pragma once

#include "cli/api.h"

struct cli {
	struct problem problem;
	const char *url, *token, *context; /* of the flags; NULL: not given */
	bool json, quiet;
	struct api api;
	bool has_api;
	char *config_url, *config_token; /* of the context in use */
};

/* The connection to the server that flags, environment and contexts name; NULL with cli->problem. */
struct api *cli_api(struct cli *cli);

/* For commands that go on with their next argument: prints the problem, returns its exit code. */
int cli_complain(struct cli *cli);
/* Whether going on makes no sense: interrupted, or no server. */
bool cli_is_hopeless(const struct cli *cli);

/* Prints the wire's JSON as it came. */
int cli_print_json(struct cli *cli, const struct reply *reply) MUST_CHECK;
int cli_write(struct cli *cli, int fd, struct str bytes) MUST_CHECK; /* whole and at once */

/* A remote path as typed: a ':' in front is allowed and dropped. */
struct str cli_remote(const char *word);
