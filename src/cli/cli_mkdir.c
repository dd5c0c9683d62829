/* SPDX-License-Identifier: Apache-2.0 */
/* abx mkdir: folders, by the habits of mkdir. */
#include "cli/commands.h"
#include "cli/remote.h"

enum { ARGS_MAX = 64 * 1024 };

static int make_one(struct cli *cli, const char *word, const struct args *args)
{
	bool parents = args_has(args, "parents");
	AUTOBUF struct buf body;
	AUTOREPLY struct reply reply = { 0 };
	struct json_writer w;
	struct api *api = cli_api(cli);

	buf_init(&body, ARGS_MAX);
	if (!api)
		return -1;
	json_write_init(&w, &body);
	json_object_begin(&w);
	api_path(&w, "path", cli_remote(word));
	json_key(&w, "parents");
	json_bool(&w, parents);
	if (args_has(args, "mode")) {
		json_key(&w, "mode");
		json_string(&w, args_value(args, "mode"));
	}
	json_object_end(&w);
	if (api_call(api, "files.mkdir", buf_str(&body), false, &reply, &cli->problem) < 0)
		return -1;
	if (cli->json && cli_print_json(cli, &reply) < 0)
		return -1;
	if (reply_parse(api, &reply, &cli->problem) < 0)
		return -1;
	if (!parents && !reply_bool(reply.value, "created", true)) {
		problem_set(&cli->problem, EXIT_OTHER, "something is there already: %s", cli_remote(word).p);
		snprintf(cli->problem.op, sizeof cli->problem.op, "files.mkdir");
		return -1;
	}
	return 0;
}

static int make_all(struct cli *cli, struct args *args)
{
	int code = EXIT_OK;

	for (size_t i = 0; i < args->word_count; i++) {
		if (make_one(cli, args->words[i], args) < 0) {
			if (cli_is_hopeless(cli))
				return -1;
			code = cli_complain(cli);
		}
	}
	return code;
}

static const struct flag flags[] = {
	{ 'p', "parents", NULL, "make missing parents; no error where the folder is there" },
	{ 'm', "mode", "MODE", "permission bits, 3 or 4 octal digits" },
	FLAGS_END,
};

const struct command cli_mkdir = {
	.name = "mkdir",
	.usage = "DIR...",
	.summary = "make folders",
	.flags = flags,
	.least = 1,
	.most = ANY_COUNT,
	.run = make_all,
};
