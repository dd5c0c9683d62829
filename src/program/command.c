/* SPDX-License-Identifier: Apache-2.0 */
#include "program/command.h"

#include "policy/place.h"
#include "policy/policy.h"
#include "program/confine.h"
#include "program/launch.h"
#include "spawn/failure.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	ARG_MAX_BYTES = 131071, /* MAX_ARG_STRLEN of the kernel, less the NUL (R07) */
	TEXT_FD = 9,            /* where a long command text is read from */
};

/*
 * The shell reads the text from a descriptor that it closes before it runs it: by cat, or line by
 * line where the caller's PATH has none.  Without the whole of it nothing is run.
 */
static const char LONG_TEXT[] =
	"abx_text=$({ if command -v cat >/dev/null; then cat; else "
	"while IFS= read -r abx_text; do printf '%s\\n' \"$abx_text\"; done; printf %s \"$abx_text\"; fi; } <&9 && "
	"echo x) || exit 126; exec 9<&-; eval \"unset abx_text; ${abx_text%x}\"";

const char *const encoding_choices[] = { "utf-8", "base64", NULL };

/* All that is made for one start and must be given back after it. */
struct plan {
	struct spawn spawn;
	const char *argv[4];
	int base_fd, text_fd;
};

const char *command_signal_name(int number, char text[static 16])
{
	const char *name = number ? sigabbrev_np(number) : NULL;

	if (number == 0)
		return NULL;
	if (name)
		snprintf(text, 16, "SIG%s", name);
	else
		snprintf(text, 16, "SIG%d", number); /* a real-time signal */
	return text;
}

struct str command_input(const struct command *command)
{
	return command->input.p ? command->input : command->input_bytes;
}

static int check_length(struct call *call, const char *what, const char *name, size_t len)
{
	if (len <= ARG_MAX_BYTES)
		return 0;
	return err_set(&call->err, ERR_ARGS_INVALID, "%s '%.60s' has %zu bytes; the system takes at most %d", what,
		name, len, ARG_MAX_BYTES);
}

/* The text in a file of memory only, read from its start. */
static int text_file(struct call *call, const char *text)
{
	size_t len = strlen(text);
	AUTOCLOSE int fd = memfd_create("command", MFD_CLOEXEC);

	while (fd >= 0 && len) {
		ssize_t written = write(fd, text, len);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return err_set(&call->err, ERR_BUSY, "no memory for the command's text");
		text += written;
		len -= (size_t)written;
	}
	if (fd < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return err_set(&call->err, ERR_BUSY, "no descriptor for the command's text");
	return take_fd(&fd);
}

static const char *shell_of(const struct command *command)
{
	if (command->shell)
		return command->shell;
	return access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/bin/sh";
}

static int plan_shell(struct call *call, const struct command *command, struct plan *plan)
{
	plan->argv[0] = shell_of(command);
	plan->argv[1] = "-c";
	plan->argv[2] = command->text;
	plan->spawn.argv = plan->argv;
	if (strlen(command->text) <= ARG_MAX_BYTES)
		return 0;
	plan->argv[2] = LONG_TEXT;
	plan->text_fd = text_file(call, command->text);
	plan->spawn.extra_fd = plan->text_fd;
	plan->spawn.extra_as = TEXT_FD;
	return plan->text_fd < 0 ? -1 : 0;
}

/* What tells a shell that it is the login shell: a name that begins with '-'. */
static int plan_login_shell(struct call *call, const struct command *command, struct plan *plan)
{
	const char *shell = shell_of(command), *slash = strrchr(shell, '/');
	const char *name = slash ? slash + 1 : shell;
	char *login = call_alloc(call, strlen(name) + 2);

	if (!login)
		return -1;
	login[0] = '-';
	memcpy(login + 1, name, strlen(name) + 1);
	plan->argv[0] = login;
	plan->spawn.argv = plan->argv;
	plan->spawn.path = shell;
	return 0;
}

static int plan_argv(struct call *call, const struct command *command, struct plan *plan)
{
	const char *const *items = command->argv.items;
	const char **argv = call_alloc(call, (command->argv.count + 1) * sizeof *argv);

	if (!argv)
		return -1;
	if (command->argv.count == 0 || items[0][0] == '\0')
		return err_set(&call->err, ERR_ARGS_INVALID, "parameter 'argv' must begin with a program");
	for (size_t i = 0; i < command->argv.count; i++) {
		if (check_length(call, "the argument", items[i], strlen(items[i])) < 0)
			return -1;
		argv[i] = items[i];
	}
	plan->spawn.argv = argv;
	return 0;
}

int command_permit_env(struct call *call, const struct list *env)
{
	const struct pair *pairs = env->items;

	for (size_t i = 0; i < env->count; i++) {
		if (policy_check_env(call->caller, str_of(pairs[i].name), &call->err) < 0)
			return -1;
	}
	return 0;
}

int command_permit(struct call *call, const struct command *command)
{
	if (command->user && policy_check_user(call->caller, command->user, &call->err) < 0)
		return -1;
	return command_permit_env(call, &command->env);
}

static int plan_env(struct call *call, const struct command *command, unsigned how, struct plan *plan)
{
	const struct pair *pairs = command->env.items;
	struct child_env env;
	size_t given;

	child_env_init(&env, &call->arena);
	policy_child_env(principal_policy(call->caller), command->user, how & COMMAND_HAS_TERMINAL, &env);
	given = env.count;
	for (size_t i = 0; i < command->env.count; i++) {
		if (check_length(call, "the variable", pairs[i].name, strlen(pairs[i].name) + 1 + pairs[i].value.len) <
			0)
			return -1;
		/* A body may hold very many; no name of them stands there twice. */
		child_env_put_among(&env, given, pairs[i].name, pairs[i].value);
	}
	/* Confined programs may not write to /tmp; a caller's own TMPDIR stays. */
	confine_put_temp_dir(call->caller, command->user, &env);
	plan->spawn.env = child_env_items(&env);
	return plan->spawn.env ? 0 : err_set(&call->err, ERR_BUSY, "the environment needs more memory than is left");
}

static int plan_cwd(struct call *call, const struct command *command, struct plan *plan)
{
	if (command->cwd.place) {
		plan->spawn.dir_fd = command->cwd.folder_fd;
		plan->spawn.dir_name = command->cwd.given;
		return 0;
	}
	plan->base_fd = place_base_fd(call->caller);
	plan->spawn.dir_fd = plan->base_fd;
	plan->spawn.dir_name = str_of(place_base_path(call->caller));
	if (plan->base_fd < 0)
		return failure_set(&call->err, &call->arena, "cwd", -plan->base_fd, plan->spawn.dir_name, NULL);
	return 0;
}

static int plan_program(struct call *call, const struct command *command, unsigned how, struct plan *plan)
{
	if (command->text)
		return plan_shell(call, command, plan);
	if (how & COMMAND_HAS_TERMINAL && !command->argv.items)
		return plan_login_shell(call, command, plan);
	return plan_argv(call, command, plan);
}

static int make_plan(struct call *call, const struct command *command, unsigned how, struct plan *plan)
{
	bool feeds = (how & COMMAND_TAKES_INPUT) || command_input(command).p;

	plan->spawn.in = feeds ? SPAWN_PIPE : SPAWN_NULL;
	plan->spawn.out = plan->spawn.err = how & COMMAND_IS_MUTE ? SPAWN_NULL : SPAWN_PIPE;
	if (how & COMMAND_HAS_TERMINAL)
		plan->spawn.in = plan->spawn.out = plan->spawn.err = SPAWN_PTY;
	plan->spawn.columns = command->columns;
	plan->spawn.rows = command->rows;
	if (plan_program(call, command, how, plan) < 0)
		return -1;
	if (launch_prepare(call, command->user, &plan->spawn) < 0 || plan_env(call, command, how, plan) < 0)
		return -1;
	return plan_cwd(call, command, plan);
}

struct tree *command_start(struct call *call, const struct command *command, unsigned how,
	const struct tree_events *events, void *user, struct child *ret_child)
{
	struct plan plan = { .base_fd = -1, .text_fd = -1, .spawn = SPAWN_INIT };
	struct tree *tree = NULL;

	if (command_permit(call, command) == 0 && make_plan(call, command, how, &plan) == 0)
		tree = launch(call, &plan.spawn, events, user, ret_child);
	close_fd(plan.base_fd);
	close_fd(plan.text_fd);
	return tree;
}
