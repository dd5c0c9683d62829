/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every setting of the command line and the environment, as one table of rows.  A flag wins
 * over its variable.
 */
#pragma once

#include "base/err.h"
#include "base/log.h"

enum { OPTIONS_LISTEN_MAX = 8 };

struct options {
	const char *listen[OPTIONS_LISTEN_MAX + 1];
	size_t listen_count;
	const char *pty_listen; /* an address, a port beside the main one's host, or "off" */
	const char *token, *token_file, *policy, *base_dir, *disabled_groups, *commands, *log_level;
	int64_t max_upload_size; /* 0: not given */
	int64_t shutdown_grace;  /* -1: not given */
	int trust_forwarded;     /* -1: not given, else 0 or 1 */
	bool insecure_no_auth, no_cgroups, help, version;
};

/* args: without the program's name.  0, or -1 with err. */
int options_parse(struct options *o, char **args, struct err *err) MUST_CHECK;

/* Takes secrets out of the command line and the environment that others can read (R93). */
void options_scrub(char **args);

void options_print_help(void);
