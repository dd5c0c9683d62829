/* SPDX-License-Identifier: Apache-2.0 */
/* abx server ops, abx server describe: the server's own catalog, as far as the caller may call it. */
#include "cli/catalog_op.h"
#include "cli/commands.h"
#include "cli/term.h"

static int list_ops(struct cli *cli, struct args *args)
{
	AUTOREPLY struct reply reply = { 0 };
	struct api *api = cli_api(cli);
	int width = 0;

	(void)args;
	if (!api || api_get(api, "core.describe", "/ops", &reply, &cli->problem) < 0)
		return -1;
	if (cli->json)
		return cli_print_json(cli, &reply);
	if (reply_parse(api, &reply, &cli->problem) < 0)
		return -1;
	for (const struct json *op = reply_list(reply.value, "ops"); op; op = op->next)
		width = MAX(width, (int)MIN(reply_text(op, "id").len, (size_t)40));
	for (const struct json *op = reply_list(reply.value, "ops"); op; op = op->next) {
		struct str id = reply_text(op, "id");

		term_print(id);
		printf("%*s", MAX(width - (int)id.len, 0) + 2, "");
		term_print(reply_text(op, "summary"));
		putchar('\n');
	}
	return EXIT_OK;
}

static void print_default(const struct json *param)
{
	const struct json *value = json_get(param, "default");

	if (!value || value->type == JSON_NULL)
		return;
	fputs(", default ", stdout);
	if (value->type == JSON_BOOL)
		fputs(value->boolean ? "true" : "false", stdout);
	else
		term_print(value->text);
}

/* "  path   path, required   Folder to list." */
static void print_field(const struct json *field)
{
	printf("  ");
	term_print(reply_text(field, "name"));
	fputs(": ", stdout);
	term_print(reply_text(field, "type"));
	for (const struct json *choice = reply_list(field, "choices"); choice; choice = choice->next) {
		putchar(choice == reply_list(field, "choices") ? ' ' : '|');
		term_print(choice->text);
	}
	if (reply_bool(field, "required", false))
		fputs(", required", stdout);
	print_default(field);
	fputs(". ", stdout);
	term_print(reply_text(field, "description"));
	putchar('\n');
}

static void print_fields(const char *title, const struct json *first)
{
	if (first)
		printf("\n%s:\n", title);
	for (; first; first = first->next)
		print_field(first);
}

static void print_texts(const char *title, const struct json *first)
{
	if (first)
		printf("\n%s:", title);
	for (const struct json *t = first; t; t = t->next) {
		putchar(' ');
		term_print(t->text);
	}
	if (first)
		putchar('\n');
}

static void print_op(const struct json *op)
{
	term_print(reply_text(op, "id"));
	fputs(": ", stdout);
	term_print(reply_text(op, "summary"));
	fputs("\n\n", stdout);
	term_print(reply_text(op, "method"));
	putchar(' ');
	term_print(reply_text(op, "path"));
	fputs(", kind ", stdout);
	term_print(reply_text(op, "kind"));
	if (reply_text(op, "scope").len) {
		fputs(", scope ", stdout);
		term_print(reply_text(op, "scope"));
	}
	putchar('\n');
	if (reply_text(op, "description").len) {
		putchar('\n');
		term_print(reply_text(op, "description"));
		putchar('\n');
	}
	print_fields("parameters", reply_list(op, "params"));
	print_fields("result", reply_list(json_get(op, "result"), "fields"));
	for (const struct json *event = reply_list(op, "events"); event; event = event->next) {
		fputs("\nevent ", stdout);
		term_print(reply_text(event, "event"));
		puts(":");
		for (const struct json *field = reply_list(event, "fields"); field; field = field->next)
			print_field(field);
	}
	print_texts("errors", reply_list(op, "errors"));
}

/* The JSON as it came, which parsing would have changed. */
static int describe_json(struct cli *cli, const char *id)
{
	AUTOREPLY struct reply reply = { 0 };
	char target[160];

	for (const char *p = id; *p; p++) {
		if (!str_has(STR("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"), *p))
			return problem_set(&cli->problem, EXIT_NOT_FOUND, "'%s' is not the name of an op", id);
	}
	snprintf(target, sizeof target, "/ops/%.128s", id);
	if (!cli_api(cli) || api_get(&cli->api, "core.describe", target, &reply, &cli->problem) < 0)
		return -1;
	return cli_print_json(cli, &reply);
}

static int describe(struct cli *cli, struct args *args)
{
	AUTOREPLY struct reply reply = { 0 };
	const struct json *op;

	if (cli->json)
		return describe_json(cli, args->words[0]);
	if (catalog_op_get(cli, args->words[0], &reply, &op) < 0)
		return -1;
	print_op(op);
	return EXIT_OK;
}

const struct command cli_server_ops = {
	.name = "server ops",
	.usage = "",
	.summary = "list the ops that may be called",
	.run = list_ops,
};

const struct command cli_server_describe = {
	.name = "server describe",
	.usage = "OP",
	.summary = "explain an op: parameters, result, errors",
	.least = 1,
	.most = 1,
	.run = describe,
};
