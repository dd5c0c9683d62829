/* SPDX-License-Identifier: Apache-2.0 */
/* abx env: the variables that programs are started with; sets and unsets them too. */
#include "cli/commands.h"
#include "cli/show.h"
#include "cli/term.h"

#include <stdio.h>
#include <string.h>

enum { ARGS_MAX = 1 << 20 };

static int make_changes(struct args *args, struct buf *body, struct problem *p)
{
	const char *text;
	struct json_writer w;
	size_t at = 0;

	json_write_init(&w, body);
	json_object_begin(&w);
	json_key(&w, "vars");
	json_object_begin(&w);
	while ((text = args_next(args, "set", &at))) {
		struct str value = str_of(text), name = str_cut(&value, '=');

		if (!strchr(text, '='))
			return problem_set(p, EXIT_USAGE, "--set wants NAME=VALUE, not '%s'", text);
		json_key_str(&w, name);
		json_text(&w, value);
	}
	at = 0;
	while ((text = args_next(args, "unset", &at))) {
		json_key(&w, text);
		json_null(&w);
	}
	json_object_end(&w);
	json_object_end(&w);
	return buf_failed(body) ? problem_set(p, EXIT_USAGE, "the variables are too large") : 0;
}

static int change(struct cli *cli, struct args *args)
{
	AUTOREPLY struct reply reply = { 0 };
	AUTOBUF struct buf body;
	int shown;

	buf_init(&body, ARGS_MAX);
	if (args->word_count)
		return problem_set(&cli->problem, EXIT_USAGE, "names are not shown together with --set and --unset");
	if (make_changes(args, &body, &cli->problem) < 0)
		return -1;
	shown = show_call(cli, "system.env.set", buf_str(&body), false, &reply);
	return MIN(shown, EXIT_OK);
}

static int show(struct cli *cli, struct args *args)
{
	AUTOREPLY struct reply reply = { 0 };
	AUTOBUF struct buf body, names;
	struct json_writer w;
	const struct json *variables;
	int shown;

	buf_init(&names, ARGS_MAX);
	buf_init(&body, 2 * ARGS_MAX);
	for (size_t i = 0; i < args->word_count; i++) {
		if (strchr(args->words[i], '='))
			return problem_set(&cli->problem, EXIT_USAGE, "'%s' is no name; --set %s sets a variable",
				args->words[i], args->words[i]);
		buf_addf(&names, "%s%s", i ? "," : "", args->words[i]);
	}
	json_write_init(&w, &body);
	json_object_begin(&w);
	json_key(&w, "names");
	json_text(&w, names.data ? buf_str(&names) : STR(""));
	json_object_end(&w);
	if (buf_failed(&names) || buf_failed(&body))
		return problem_set(&cli->problem, EXIT_USAGE, "the names are too long");
	shown = show_call(cli, "system.env.get", buf_str(&body), true, &reply);
	variables = shown ? NULL : json_get(reply.value, "variables");
	for (const struct json *one = variables ? variables->first : NULL; one; one = one->next) {
		term_print(one->key);
		putchar('=');
		term_print(one->text);
		putchar('\n');
	}
	return MIN(shown, EXIT_OK);
}

static int env(struct cli *cli, struct args *args)
{
	return args_has(args, "set") || args_has(args, "unset") ? change(cli, args) : show(cli, args);
}

static const struct flag flags[] = {
	{ 's', "set", "NAME=VALUE", "set a variable for programs started from now on; may be repeated" },
	{ 'u', "unset", "NAME", "take one away; may be repeated" },
	FLAGS_END,
};

const struct command cli_env = {
	.name = "env",
	.usage = "[NAME...]",
	.summary = "show or set the variables that programs are started with",
	.text = "Names that look like secrets are never shown.\n",
	.flags = flags,
	.most = ANY_COUNT,
	.run = env,
};
