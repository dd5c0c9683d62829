/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include "cli/config.h"
#include "cli/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#define URL_DEFAULT "http://127.0.0.1:9000"

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
	const char *name;

	if (config_read(&config, &cli->problem) < 0)
		return -1;
	name = cli->context ? cli->context : config.current;
	if (!name || (!cli->context && !*name))
		return 0;
	context = config_find(&config, name);
	/* Another server than the one that is meant would be a bad surprise. */
	if (!context)
		return problem_set(
			&cli->problem, EXIT_USAGE, "there is no context '%s'; 'abx context list' shows them", name);
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

/* Of an output that somebody who shares it has made non-blocking. */
static void wait_for_room(int fd)
{
	struct pollfd fds[] = { { .fd = fd, .events = POLLOUT }, { .fd = interrupt_fd(), .events = POLLIN } };

	if (poll(fds, ARRAY_LEN(fds), -1) < 0) {
		/* A signal: whoever asked looks at it. */
	}
}

int cli_write(struct cli *cli, int fd, struct str bytes)
{
	if (fflush(stdout) != 0)
		return problem_errno(&cli->problem, errno, "cannot write to standard output");
	while (bytes.len) {
		ssize_t put = write(fd, bytes.p, bytes.len);

		if (put < 0 && (errno == EINTR || errno == EAGAIN)) {
			if (errno == EAGAIN)
				wait_for_room(fd);
			if (interrupt_seen())
				return problem_set(&cli->problem, EXIT_INTERRUPTED, "interrupted");
			continue;
		}
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
