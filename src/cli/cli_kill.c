/* SPDX-License-Identifier: Apache-2.0 */
/* abx kill: a signal for background processes. */
#include "cli/commands.h"

#include <stdio.h>

enum { ARGS_MAX = 4096 };

/* A number, or a name with or without SIG. */
static void add_signal(struct json_writer *w, const char *text)
{
	char name[64];
	uint64_t number;

	json_key(w, "signal");
	if (str_to_u64(str_of(text), &number) == 0) {
		json_int(w, (int64_t)number);
		return;
	}
	snprintf(name, sizeof name, "%s%s", str_starts(str_of(text), "SIG") ? "" : "SIG", text);
	json_string(w, name);
}

static int kill_one(struct cli *cli, const struct args *args, const char *pid)
{
	AUTOREPLY struct reply reply = { 0 };
	AUTOBUF struct buf body;
	struct api *api = cli_api(cli);
	struct json_writer w;

	buf_init(&body, ARGS_MAX);
	json_write_init(&w, &body);
	json_object_begin(&w);
	json_key(&w, "pid");
	json_string(&w, pid);
	if (args_has(args, "signal"))
		add_signal(&w, args_value(args, "signal"));
	json_key(&w, "group");
	json_bool(&w, !args_has(args, "alone"));
	json_object_end(&w);
	if (buf_failed(&body))
		return problem_set(&cli->problem, EXIT_USAGE, "the process's name is too long");
	if (!api || api_call(api, "process.signal", buf_str(&body), false, &reply, &cli->problem) < 0)
		return -1;
	return cli->json ? cli_print_json(cli, &reply) : 0;
}

static int kill_all(struct cli *cli, struct args *args)
{
	int code = EXIT_OK;

	for (size_t i = 0; i < args->word_count; i++) {
		if (kill_one(cli, args, args->words[i]) == 0)
			continue;
		if (cli_is_hopeless(cli))
			return -1;
		code = cli_complain(cli);
	}
	return code;
}

static const struct flag flags[] = {
	{ 's', "signal", "SIG", "name or number; SIGTERM without it" },
	{ '\0', "alone", NULL, "not also all that the process started" },
	FLAGS_END,
};

const struct command cli_kill = {
	.name = "kill",
	.usage = "PID...",
	.summary = "send a signal to background processes",
	.flags = flags,
	.least = 1,
	.most = ANY_COUNT,
	.run = kill_all,
};
