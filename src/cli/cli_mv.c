/* SPDX-License-Identifier: Apache-2.0 */
/* abx mv: move on the server; into the destination where that is a folder. */
#include "cli/commands.h"
#include "cli/remote.h"

enum { ARGS_MAX = 128 * 1024 };

static int move_one(struct cli *cli, struct str from, struct str to, bool overwrite)
{
	AUTOBUF struct buf body;
	AUTOREPLY struct reply reply = { 0 };
	struct json_writer w;

	buf_init(&body, ARGS_MAX);
	json_write_init(&w, &body);
	json_object_begin(&w);
	api_path(&w, "source", from);
	api_path(&w, "destination", to);
	json_key(&w, "overwrite");
	json_bool(&w, overwrite);
	json_object_end(&w);
	if (api_call(&cli->api, "files.move", buf_str(&body), false, &reply, &cli->problem) < 0)
		return -1;
	return cli->json ? cli_print_json(cli, &reply) : 0;
}

static int move_all(struct cli *cli, struct args *args)
{
	size_t count = args->word_count - 1;
	struct str to = cli_remote(args->words[count]);
	struct remote_stat st = { 0 };
	int code = EXIT_OK;

	if (!cli_api(cli) || (!args_has(args, "no-target-directory") && remote_stat(cli, to, true, &st) < 0))
		return -1;
	if (count > 1 && st.type != 'd')
		return problem_set(
			&cli->problem, EXIT_USAGE, "mv: the destination of several is not a folder: %s", to.p);
	for (size_t i = 0; i < count; i++) {
		struct str from = cli_remote(args->words[i]);
		AUTOFREE char *inside = st.exists && st.type == 'd' ? remote_join(to, remote_base(from)) : NULL;

		if (move_one(cli, from, inside ? str_of(inside) : to, !args_has(args, "no-clobber")) < 0) {
			if (cli_is_hopeless(cli))
				return -1;
			code = cli_complain(cli);
		}
	}
	return code;
}

static const struct flag flags[] = {
	{ 'n', "no-clobber", NULL, "never replace what is there" },
	{ 'T', "no-target-directory", NULL, "take the destination as it is, also where it is a folder" },
	FLAGS_END,
};

const struct command cli_mv = {
	.name = "mv",
	.usage = "SRC... DST",
	.summary = "move or rename files and folders",
	.flags = flags,
	.least = 2,
	.most = ANY_COUNT,
	.run = move_all,
};
