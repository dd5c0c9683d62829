/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What commands.run, commands.stream and process.start have in common: the parameters of a
 * program, and the way from them to a running tree.
 */
#pragma once

#include "call/call.h"
#include "spawn/pipes.h"
#include "spawn/tree.h"

enum encoding { ENCODING_UTF8, ENCODING_BASE64 };
extern const char *const encoding_choices[];

struct command {
	const char *text, *shell, *user;
	struct list argv, env;
	struct path_arg cwd;
	struct str input, input_bytes;
	unsigned columns, rows; /* of COMMAND_HAS_TERMINAL */
};

/* at: the member of S that is the struct command. */
#define COMMAND_PARAMS(S, at) \
	FIELD_ROW_AS(S, at.text, "command", const char *, FIELD_STRING, \
		"Text that the shell runs, as its -c argument.", .flags = F_AUDIT), \
		FIELD_ROW_AS(S, at.argv, "argv", struct list, FIELD_ARRAY, "Program and arguments, without a shell.", \
			.flags = F_AUDIT, .item_type = FIELD_STRING, .item_size = sizeof(const char *)), \
		FIELD_ROW_AS(S, at.shell, "shell", const char *, FIELD_STRING, \
			"The shell; /bin/bash where it exists, else /bin/sh.", .flags = F_AUDIT), \
		FIELD_ROW_AS(S, at.cwd, "cwd", struct path_arg, FIELD_PATH, \
			"Working directory; the base directory by default.", .flags = F_CWD), \
		FIELD_ROW_AS(S, at.env, "env", struct list, FIELD_MAP, \
			"Variables on top of the server's for children.", .flags = F_AUDIT, \
			.item_size = sizeof(struct pair)), \
		FIELD_ROW_AS(S, at.user, "user", const char *, FIELD_STRING, \
			"User to run as, one that the policy lists.", .flags = F_AUDIT)

#define COMMAND_INPUT(S, at) \
	FIELD_ROW_AS(S, at.input, "stdin", struct str, FIELD_TEXT, \
		"Standard input as text; without it end of file at once."), \
		FIELD_ROW_AS( \
			S, at.input_bytes, "stdin_b64", struct str, FIELD_BYTES, "Standard input as bytes in base64.")

#define COMMAND_ONE_OF \
	{ \
		.names = { "command", "argv" } \
	}
#define COMMAND_INPUT_ONE_OF \
	{ \
		.names = { "stdin", "stdin_b64" }, .optional = true \
	}

/* What can keep a program from starting. */
#define COMMAND_ERRORS ERR_COMMANDS_START, ERR_POLICY_COMMAND, ERR_POLICY_ENV

/* Whether the caller may set these variables, and run as this user: what an op's permit() asks of a command. */
int command_permit_env(struct call *call, const struct list *env) MUST_CHECK;
int command_permit(struct call *call, const struct command *command) MUST_CHECK;

/* How a command ended, for results and events. */
const char *command_signal_name(int number, char text[static 16]); /* "SIGKILL"; NULL for 0 */

/* How a program's ends are connected, where it is not by its parameters. */
enum {
	COMMAND_TAKES_INPUT = 1,  /* a pipe as standard input, also without input to feed */
	COMMAND_IS_MUTE = 2,      /* its output goes nowhere */
	COMMAND_HAS_TERMINAL = 4, /* a pty instead of pipes; without text and argv the shell as a login shell (R38) */
};

/* Starts it.  NULL with call->err.  in, out and err of ret_child are the caller's. */
struct tree *command_start(struct call *call, const struct command *command, unsigned how,
	const struct tree_events *events, void *user, struct child *ret_child);

struct str command_input(const struct command *command); /* p NULL when none was given */
