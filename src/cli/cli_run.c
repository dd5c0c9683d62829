/* SPDX-License-Identifier: Apache-2.0 */
/* abx run: a command of the template's author. */
#include "cli/catalog_op.h"
#include "cli/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ARGS_MAX = 64 << 20, FAILED = 1 };

/* NAME=VALUE words are what --arg is to "server call". */
static void words_as_args(const struct args *args, struct args *ret_args)
{
	static const struct flag arg = { .name = "arg", .value = "K=V" };
	size_t words = args->word_count - 1;

	*ret_args = (struct args){ .given = mem_alloc(sizeof(struct given) * (words + args->given_count + 1)) };
	for (size_t i = 0; i < words; i++)
		ret_args->given[ret_args->given_count++] = (struct given){ &arg, args->words[i + 1] };
	for (size_t i = 0; i < args->given_count; i++)
		ret_args->given[ret_args->given_count++] = args->given[i];
}

/* What the server cannot or may not describe is called all the same: its answer says what is wrong. */
static int describe(struct cli *cli, const char *id, struct reply *reply, const struct json **ret_op)
{
	*ret_op = NULL;
	if (catalog_op_get(cli, id, reply, ret_op) == 0)
		return 0;
	if (strcmp(cli->problem.wire_code, "op.unknown") != 0 && cli->problem.exit_code != EXIT_POLICY)
		return -1;
	problem_clear(&cli->problem);
	return 0;
}

static int make_body(struct cli *cli, const char *id, const struct args *args, struct buf *body)
{
	AUTOREPLY struct reply described = { 0 };
	struct args given;
	const struct json *op;
	int failed;

	if (describe(cli, id, &described, &op) < 0)
		return -1;
	words_as_args(args, &given);
	failed = catalog_op_args(cli, op, &given, body);
	free(given.given);
	return failed;
}

/* The command itself failed: its last words, and its own exit code where it has one. */
static int show_failure(struct cli *cli)
{
	struct problem *p = &cli->problem;
	struct str said = str_of(p->said);
	int code = p->own_exit_code;

	if (strcmp(p->wire_code, "custom.failed") != 0)
		return -1;
	if (code < 0 || !said.len)
		problem_print(p, stderr);
	if (said.len && cli_write(cli, STDERR_FILENO, said) < 0)
		return -1;
	if (said.len && said.p[said.len - 1] != '\n')
		fputc('\n', stderr);
	return code >= 0 ? code : FAILED;
}

static int show_result(struct cli *cli, const struct json *result)
{
	AUTOBUF struct buf text;
	struct json_writer w;

	buf_init(&text, SIZE_MAX / 2);
	if (result && result->type == JSON_STRING)
		return cli_write(cli, STDOUT_FILENO, result->text);
	json_write_init(&w, &text);
	if (result)
		json_tree(&w, result, false);
	else
		json_null(&w);
	buf_addc(&text, '\n');
	return cli_write(cli, STDOUT_FILENO, buf_str(&text));
}

static int run(struct cli *cli, struct args *args)
{
	AUTOREPLY struct reply reply = { 0 };
	AUTOBUF struct buf body, id;

	buf_init(&body, ARGS_MAX);
	buf_init(&id, sizeof cli->api.op);
	buf_adds(&id, "custom.");
	buf_adds(&id, args->words[0]);
	if (buf_failed(&id))
		return problem_set(&cli->problem, EXIT_USAGE, "the name of the command is too long");
	if (make_body(cli, id.data, args, &body) < 0)
		return -1;
	if (api_call(&cli->api, id.data, buf_str(&body), false, &reply, &cli->problem) < 0)
		return show_failure(cli);
	if (cli->json)
		return cli_print_json(cli, &reply);
	if (reply_parse(&cli->api, &reply, &cli->problem) < 0)
		return -1;
	return show_result(cli, json_get(reply.value, "result"));
}

static const struct flag flags[] = {
	{ 'f', "file", "K=@PATH", "an argument from a file ('-': standard input)" },
	FLAGS_END,
};

const struct command cli_run = {
	.name = "run",
	.usage = "NAME [K=V...]",
	.summary = "run a command of the template's author, and end with its exit code",
	.text = "Values are converted by the types of the command's arguments; lists by several K=V or as JSON.\n"
		"A text is printed as it is, everything else as JSON. 'abx commands' lists the commands.\n",
	.flags = flags,
	.least = 1,
	.most = ANY_COUNT,
	.is_run = true,
	.run = run,
};
