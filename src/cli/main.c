/* SPDX-License-Identifier: Apache-2.0 */
/*
 * abx: global flags, the command, its flags, its exit code.
 */
#include "cli/command.h"
#include "cli/config.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/term.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define URL_DEFAULT "http://127.0.0.1:9000"

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

static const char *env_text(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* Takes url and token of the context that counts into cli; none is no failure. */
static int load_context(struct cli *cli)
{
	AUTOCONFIG struct config config = { 0 };
	struct context *context;

	if (config_read(&config, &cli->problem) < 0)
		return -1;
	if (!cli->context && !config.current)
		return 0;
	context = config_find(&config, cli->context ? cli->context : config.current);
	if (!context && cli->context)
		return problem_set(&cli->problem, EXIT_USAGE, "there is no context '%s'; 'abx context list' shows them",
			cli->context);
	if (!context)
		return 0;
	cli->config_url = mem_strdup(context->url);
	cli->config_token = context->token ? mem_strdup(context->token) : NULL;
	return 0;
}

/*
 * What is named on this command line counts before the environment, and that before the file.  A
 * context's token goes to the context's own server, or where the context was asked for by name.
 */
static int choose_server(struct cli *cli, const char **ret_url, const char **ret_token)
{
	const char *env_url = env_text("ABX_URL"), *env_token = env_text("ABX_SERVER_TOKEN");

	*ret_url = cli->url ? cli->url : env_url;
	*ret_token = cli->token ? cli->token : env_token;
	if (*ret_url && !cli->context)
		return 0;
	if (load_context(cli) < 0)
		return -1;
	if (cli->config_url && !cli->url)
		*ret_url = cli->config_url;
	if (cli->config_token && !cli->token && (cli->context || !env_token))
		*ret_token = cli->config_token;
	if (!*ret_url)
		*ret_url = URL_DEFAULT;
	return 0;
}

struct api *cli_api(struct cli *cli)
{
	const char *url = NULL, *token = NULL;
	struct address address;

	if (cli->has_api)
		return &cli->api;
	if (choose_server(cli, &url, &token) < 0 || address_parse(&address, url, &cli->problem) < 0)
		return NULL;
	api_init(&cli->api, &address, token);
	cli->has_api = true;
	return &cli->api;
}

int cli_complain(struct cli *cli)
{
	int code = cli->problem.exit_code;

	fflush(stdout);
	problem_print(&cli->problem, stderr);
	return code;
}

bool cli_is_hopeless(const struct cli *cli)
{
	return interrupt_seen() || cli->problem.exit_code == EXIT_PIPE || !cli->has_api || cli->api.http.unreachable;
}

int cli_write(struct cli *cli, int fd, struct str bytes)
{
	if (fflush(stdout) != 0)
		return problem_errno(&cli->problem, errno, "cannot write to standard output");
	while (bytes.len) {
		ssize_t put = write(fd, bytes.p, bytes.len);

		if (put < 0 && errno == EINTR && !interrupt_seen())
			continue;
		if (put < 0 && errno == EPIPE)
			return problem_set(&cli->problem, EXIT_PIPE, "nobody reads the output");
		if (put < 0)
			return problem_errno(&cli->problem, errno, "cannot write the output");
		bytes.p += put;
		bytes.len -= (size_t)put;
	}
	return 0;
}

int cli_print_json(struct cli *cli, const struct reply *reply)
{
	if (cli_write(cli, STDOUT_FILENO, buf_str(&reply->body)) < 0)
		return -1;
	return cli_write(cli, STDOUT_FILENO, STR("\n"));
}

struct str cli_remote(const char *word)
{
	return str_of(word[0] == ':' ? word + 1 : word);
}

static int check_words(struct cli *cli, const struct command *command, const struct args *args)
{
	if (args->word_count < (size_t)command->least)
		return problem_set(&cli->problem, EXIT_USAGE, "%s: too few arguments; usage: abx %s %s", command->name,
			command->name, command->usage);
	if (command->most != ANY_COUNT && args->word_count > (size_t)command->most)
		return problem_set(&cli->problem, EXIT_USAGE, "%s: too many arguments; usage: abx %s %s", command->name,
			command->name, command->usage);
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
	const char *near;

	*ret_command = commands_find(global->word_count, global->words, &used);
	if (*ret_command)
		return run_command(cli, *ret_command, (int)(global->word_count - used), global->words + used);
	if (global->word_count == 1 && help_group(global->words[0], stderr))
		return EXIT_USAGE;
	near = commands_nearest(global->words[0]);
	if (near)
		return problem_set(
			&cli->problem, EXIT_USAGE, "'%s' is not a command; did you mean '%s'?", global->words[0], near);
	return problem_set(&cli->problem, EXIT_USAGE, "'%s' is not a command; 'abx help' lists them", global->words[0]);
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
