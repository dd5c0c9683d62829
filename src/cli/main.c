/* SPDX-License-Identifier: Apache-2.0 */
/*
 * abx: global flags, the command, its flags, its exit code.
 */
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_shared(const struct flag *flag)
{
	for (const struct flag *f = commands_shared_flags; f->name; f++) {
		if (f == flag)
			return true;
	}
	return false;
}

struct wishes {
	bool help, version;
};

static void apply(struct cli *cli, struct wishes *wishes, const struct args *args)
{
	for (size_t i = 0; i < args->given_count; i++) {
		const char *name = args->given[i].flag->name, *value = args->given[i].value;

		if (!is_shared(args->given[i].flag))
			continue;
		if (strcmp(name, "url") == 0)
			cli->url = value;
		else if (strcmp(name, "token") == 0)
			cli->token = value;
		else if (strcmp(name, "context") == 0)
			cli->context = value;
		cli->json = cli->json || strcmp(name, "json") == 0;
		cli->quiet = cli->quiet || strcmp(name, "quiet") == 0;
		wishes->help = wishes->help || strcmp(name, "help") == 0;
		wishes->version = wishes->version || strcmp(name, "version") == 0;
	}
}

static int check_words(struct cli *cli, const struct command *command, const struct args *args)
{
	if (args->word_count < (size_t)command->least)
		return problem_set(&cli->problem, EXIT_USAGE, "%s: too few arguments; usage: abx %s %s", command->name,
			command->name, command->usage);
	if (command->most != ANY_COUNT && args->word_count > (size_t)command->most)
		return problem_set(&cli->problem, EXIT_USAGE, "%s: too many arguments; usage: abx %s%s%s",
			command->name, command->name, command->usage[0] ? " " : "", command->usage);
	return 0;
}

static int run_command(struct cli *cli, const struct command *command, int argc, char **argv)
{
	CLEANUP(args_free) struct args args;
	struct wishes wishes = { 0 };
	int code;

	if (args_parse(&args, argc, argv, command->flags, commands_shared_flags, command->stop_at_word, &cli->problem) <
		0)
		return -1;
	apply(cli, &wishes, &args);
	if (wishes.help) {
		help_command(command);
		return EXIT_OK;
	}
	code = check_words(cli, command, &args) < 0 ? -1 : command->run(cli, &args);
	if (cli->has_api)
		api_done(&cli->api);
	return code;
}

static int find_and_run(struct cli *cli, struct args *global, const struct command **ret_command)
{
	size_t used = 0;
	const char *near, *second = NULL;
	char name[64];

	*ret_command = commands_find(global->word_count, global->words, &used);
	if (*ret_command)
		return run_command(cli, *ret_command, (int)(global->word_count - used), global->words + used);
	if (global->word_count == 1 && help_group(global->words[0], stderr))
		return EXIT_USAGE;
	/* What follows the first word is a part of the name in a group only. */
	if (global->word_count > 1 && commands_is_group(global->words[0]))
		second = global->words[1];
	snprintf(name, sizeof name, "%s%s%s", global->words[0], second ? " " : "", second ? second : "");
	near = commands_nearest(name);
	if (near)
		return problem_set(&cli->problem, EXIT_USAGE, "'%s' is not a command; did you mean '%s'?", name, near);
	return problem_set(&cli->problem, EXIT_USAGE, "'%s' is not a command; 'abx help' lists them", name);
}

static int run(struct cli *cli, int argc, char **argv, const struct command **ret_command)
{
	CLEANUP(args_free) struct args global;
	struct wishes wishes = { 0 };

	if (args_parse(&global, argc, argv, NULL, commands_shared_flags, true, &cli->problem) < 0)
		return -1;
	apply(cli, &wishes, &global);
	if (wishes.version) {
		puts("abx " ABX_VERSION);
		return EXIT_OK;
	}
	if (wishes.help || global.word_count == 0) {
		help_all(wishes.help ? stdout : stderr);
		return wishes.help ? EXIT_OK : EXIT_USAGE;
	}
	return find_and_run(cli, &global, ret_command);
}

/* What is still in the buffer of stdout may fail too: a full disk must not look like success. */
static int flush_out(struct cli *cli, int code)
{
	bool failed = ferror(stdout) != 0;

	if (fflush(stdout) == 0 && !failed)
		return code;
	if (errno == EPIPE)
		return problem_set(&cli->problem, EXIT_PIPE, "nobody reads standard output");
	return problem_errno(&cli->problem, errno, "cannot write to standard output");
}

/* Where the caller closed one of 0, 1, 2, a connection must not become it. */
static int open_standard_fds(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	close_fd(fd);
	return fd;
}

int main(int argc, char **argv)
{
	static struct cli cli;
	const struct command *command = NULL;
	int code;

	if (open_standard_fds() < 0 || interrupt_init() < 0)
		return EXIT_OTHER;
	code = run(&cli, argc - 1, argv + 1, &command);
	if (code >= 0)
		code = flush_out(&cli, code);
	free(cli.config_url);
	free(cli.config_token);
	if (code >= 0)
		return code;
	problem_print(&cli.problem, stderr);
	code = cli.problem.exit_code;
	return command && command->is_run && code != EXIT_PIPE ? problem_exit_of_run(code) : code;
}
