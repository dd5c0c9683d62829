/* SPDX-License-Identifier: Apache-2.0 */
/* abx context add|use|list|rm: named servers in the configuration file. */
#include "cli/commands.h"
#include "cli/config.h"
#include "cli/term.h"

#include <stdlib.h>
#include <string.h>

enum { TOKEN_MAX = 4096 };

static int no_context(struct cli *cli, const char *name)
{
	return problem_set(
		&cli->problem, EXIT_NOT_FOUND, "there is no context '%s'; 'abx context list' shows them", name);
}

/* "-" is a line of standard input, so that the token stands in no list of processes and no history. */
static const char *read_token(const char *given, char line[static TOKEN_MAX], struct problem *p)
{
	if (!given || strcmp(given, "-") != 0)
		return given;
	if (!fgets(line, TOKEN_MAX, stdin)) {
		problem_set(p, EXIT_USAGE, "standard input holds no token");
		return NULL;
	}
	line[strcspn(line, "\r\n")] = '\0';
	return line;
}

static int add(struct cli *cli, struct args *args)
{
	AUTOCONFIG struct config config = { 0 };
	char line[TOKEN_MAX];
	const char *token = read_token(cli->token, line, &cli->problem);
	struct address address;

	if (cli->token && !token)
		return -1;
	if (!args->words[0][0])
		return problem_set(&cli->problem, EXIT_USAGE, "context add: the name is empty");
	if (!cli->url)
		return problem_set(&cli->problem, EXIT_USAGE, "context add: --url is missing");
	if (address_parse(&address, cli->url, &cli->problem) < 0 || config_read(&config, &cli->problem) < 0)
		return -1;
	if (config_set(&config, args->words[0], cli->url, token, &cli->problem) < 0)
		return -1;
	if (!config.current)
		config.current = mem_strdup(args->words[0]);
	return config_write(&config, &cli->problem);
}

static int use(struct cli *cli, struct args *args)
{
	AUTOCONFIG struct config config = { 0 };

	if (config_read(&config, &cli->problem) < 0)
		return -1;
	if (!config_find(&config, args->words[0]))
		return no_context(cli, args->words[0]);
	free(config.current);
	config.current = mem_strdup(args->words[0]);
	return config_write(&config, &cli->problem);
}

static int rm(struct cli *cli, struct args *args)
{
	AUTOCONFIG struct config config = { 0 };
	struct context *context;

	if (config_read(&config, &cli->problem) < 0)
		return -1;
	context = config_find(&config, args->words[0]);
	if (!context)
		return no_context(cli, args->words[0]);
	config_remove(&config, context);
	return config_write(&config, &cli->problem);
}

static void print_json(const struct context *c, bool in_use)
{
	AUTOBUF struct buf line;
	struct json_writer w;

	buf_init(&line, 64 * 1024);
	json_write_init(&w, &line);
	json_object_begin(&w);
	json_key(&w, "name");
	json_string(&w, c->name);
	json_key(&w, "url");
	json_string(&w, c->url);
	json_key(&w, "token");
	json_bool(&w, c->token != NULL);
	json_key(&w, "in_use");
	json_bool(&w, in_use);
	json_object_end(&w);
	buf_addc(&line, '\n');
	fwrite(line.data, 1, line.len, stdout);
}

static int list(struct cli *cli, struct args *args)
{
	AUTOCONFIG struct config config = { 0 };

	(void)args;
	if (config_read(&config, &cli->problem) < 0)
		return -1;
	for (size_t i = 0; i < config.count; i++) {
		const struct context *c = &config.contexts[i];
		bool in_use = config.current && strcmp(config.current, c->name) == 0;

		if (cli->json) {
			print_json(c, in_use);
			continue;
		}
		printf("%c ", in_use ? '*' : ' ');
		term_print(str_of(c->name));
		putchar('\t');
		term_print(str_of(c->url));
		puts(c->token ? "\twith a token" : "");
	}
	return EXIT_OK;
}

const struct command cli_context_add = {
	.name = "context add",
	.usage = "NAME --url URL [--token T|-]",
	.summary = "name a server, and its token",
	.text = "With --token - the token is read from standard input. The first context becomes the one in use.\n",
	.least = 1,
	.most = 1,
	.run = add,
};

const struct command cli_context_use = {
	.name = "context use",
	.usage = "NAME",
	.summary = "take this context from now on",
	.least = 1,
	.most = 1,
	.run = use,
};

const struct command cli_context_list = {
	.name = "context list",
	.usage = "",
	.summary = "show the contexts; the star marks the one in use",
	.text = "With --json a line {\"name\", \"url\", \"token\", \"in_use\"} for each; a token is never shown.\n",
	.run = list,
};

const struct command cli_context_rm = {
	.name = "context rm",
	.usage = "NAME",
	.summary = "forget a context",
	.least = 1,
	.most = 1,
	.run = rm,
};
