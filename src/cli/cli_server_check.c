/* SPDX-License-Identifier: Apache-2.0 */
/* abx server check: whether a call would be allowed, without making it. */
#include "cli/catalog_op.h"
#include "cli/commands.h"
#include "cli/term.h"

enum { ARGS_MAX = 64 << 20 };

static int make_body(struct cli *cli, const char *id, struct args *args, struct buf *body)
{
	AUTOREPLY struct reply described = { 0 };
	AUTOBUF struct buf inner;
	bool has_args = args->given_count > 0 &&
			(args_has(args, "arg") || args_has(args, "json") || args_has(args, "file"));
	const struct json *op;
	struct json_writer w;

	buf_init(&inner, ARGS_MAX);
	if (has_args && catalog_op_get(cli, id, &described, &op) < 0) {
		if (cli->problem.exit_code != EXIT_POLICY)
			return -1;
		has_args = false; /* an op that may not be called is not described; it is denied with any arguments */
	}
	if (has_args && catalog_op_args(cli, op, args, &inner) < 0)
		return -1;
	json_write_init(&w, body);
	json_object_begin(&w);
	json_key(&w, "op");
	json_string(&w, id);
	if (has_args) {
		json_key(&w, "args");
		json_raw(&w, buf_str(&inner));
	}
	json_object_end(&w);
	return buf_failed(body) ? problem_set(&cli->problem, EXIT_USAGE, "the arguments are too large") : 0;
}

static int print_verdict(const struct json *verdict)
{
	struct str reason = reply_text(verdict, "reason"), rule = reply_text(verdict, "rule");

	if (reply_bool(verdict, "allowed", false)) {
		puts("allowed");
		return EXIT_OK;
	}
	fputs("denied", stdout);
	if (reason.len) {
		fputs(": ", stdout);
		term_print(reason);
	}
	if (rule.len) {
		fputs(" (", stdout);
		term_print(rule);
		putchar(')');
	}
	putchar('\n');
	return problem_exit_of(reply_text(verdict, "wire_code"));
}

static int check(struct cli *cli, struct args *args)
{
	AUTOREPLY struct reply reply = { 0 };
	AUTOBUF struct buf body;

	buf_init(&body, ARGS_MAX);
	if (!cli_api(cli) || make_body(cli, args->words[0], args, &body) < 0)
		return -1;
	if (api_call(&cli->api, "core.check", buf_str(&body), true, &reply, &cli->problem) < 0)
		return -1;
	if (cli->json && cli_print_json(cli, &reply) < 0)
		return -1;
	if (reply_parse(&cli->api, &reply, &cli->problem) < 0)
		return -1;
	if (cli->json)
		return reply_bool(reply.value, "allowed", false)
			       ? EXIT_OK
			       : problem_exit_of(reply_text(reply.value, "wire_code"));
	return print_verdict(reply.value);
}

static const struct flag flags[] = {
	{ 'a', "arg", "K=V", "an argument of the call" },
	{ 'j', "json", "OBJECT", "arguments as JSON" },
	{ 'f', "file", "K=@PATH", "an argument from a file" },
	FLAGS_END,
};

const struct command cli_server_check = {
	.name = "server check",
	.usage = "OP",
	.summary = "tell whether a call would be allowed, and by which rule not",
	.text = "Exit code 0: allowed; otherwise the code that the call itself would end with.\n",
	.flags = flags,
	.least = 1,
	.most = 1,
	.run = check,
};
