/* SPDX-License-Identifier: Apache-2.0 */
/* abx find: paths on the server by a glob, one a line. */
#include "cli/commands.h"
#include "cli/remote.h"
#include "cli/term.h"

enum { ARGS_MAX = 64 * 1024, DEPTH = 100000, RESULTS = 100000 };

static int find(struct cli *cli, struct args *args)
{
	struct str path = args->word_count > 1 ? cli_remote(args->words[1]) : STR(".");
	const char *type = args_value(args, "type");
	AUTOBUF struct buf body;
	AUTOREPLY struct reply reply = { 0 };
	struct json_writer w;
	int64_t depth, max;

	buf_init(&body, ARGS_MAX);
	if (args_count(args, "depth", DEPTH, &depth, &cli->problem) < 0 ||
		args_count(args, "max", RESULTS, &max, &cli->problem) < 0 || !cli_api(cli))
		return -1;
	json_write_init(&w, &body);
	json_object_begin(&w);
	api_path(&w, "path", path);
	json_key(&w, "pattern");
	json_string(&w, args->words[0]);
	json_key(&w, "max_depth");
	json_int(&w, depth);
	json_key(&w, "max_results");
	json_int(&w, max);
	json_key(&w, "timeout");
	json_int(&w, 0);
	if (type) {
		json_key(&w, "type");
		json_string(&w, type);
	}
	json_object_end(&w);
	if (api_call(&cli->api, "files.search", buf_str(&body), true, &reply, &cli->problem) < 0)
		return -1;
	if (cli->json)
		return cli_print_json(cli, &reply);
	if (reply_parse(&cli->api, &reply, &cli->problem) < 0)
		return -1;
	for (const struct json *e = reply_list(reply.value, "results"); e; e = e->next) {
		term_print(remote_exact(e, "path", "path_b64"));
		putchar('\n');
	}
	if (reply_bool(reply.value, "truncated", false))
		fputs("abx: there is more: the list is not complete\n", stderr);
	return EXIT_OK;
}

static const struct flag flags[] = {
	{ 't', "type", "KIND", "only file, directory, symlink or other" },
	{ 'd', "depth", "N", "how many levels to search" },
	{ 'm', "max", "N", "most paths to print" },
	FLAGS_END,
};

const struct command cli_find = {
	.name = "find",
	.usage = "GLOB [FOLDER]",
	.summary = "find files by name",
	.text = "A glob without a slash is for the name, else for the path below the folder; '**' crosses folders.\n",
	.flags = flags,
	.least = 1,
	.most = 2,
	.run = find,
};
