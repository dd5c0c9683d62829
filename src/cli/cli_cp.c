/* SPDX-License-Identifier: Apache-2.0 */
/* abx cp: up, down, or from one place of the server to another; ':' in front is the server's side. */
#include "cli/commands.h"
#include "cli/copy.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { ARGS_MAX = 128 * 1024 };

struct places {
	struct copy copy;
	const char *to;       /* without the ':' */
	bool to_remote, into; /* into: the destination is a folder that is there */
	bool recursive;
};

static bool is_remote(const char *word)
{
	return word[0] == ':';
}

static bool ends_with_slash(const char *path)
{
	size_t len = strlen(path);

	return len && path[len - 1] == '/';
}

/*
 * Where one source goes: into a folder under its own name, else the destination itself.  A folder becomes what is
 * not there yet, a '/' behind it or not; the name of ".." is that of no folder in another one.
 */
static char *target_of(const struct places *places, struct str from, bool is_folder)
{
	struct str to = str_of(places->to), base = remote_base(from);

	if (!places->into && (is_folder || !(ends_with_slash(places->to) && to.len > 1)))
		return mem_strdup(places->to[0] ? places->to : ".");
	return remote_join(to, str_is(base, "..") ? STR(".") : base);
}

static int up(struct places *places, const char *from)
{
	AUTOFREE char *to = NULL;
	bool is_stdin = strcmp(from, "-") == 0;
	struct cli *cli = places->copy.cli;
	struct stat st = { 0 };

	if (is_stdin && places->into)
		return problem_set(
			&cli->problem, EXIT_USAGE, "cp: standard input needs the name of a file: %s", places->to);
	if (!is_stdin && stat(from, &st) < 0)
		return problem_errno(&cli->problem, errno, "cannot read '%s'", from);
	to = target_of(places, str_of(from), S_ISDIR(st.st_mode));
	if (!S_ISDIR(st.st_mode))
		return copy_up_file(&places->copy, from, str_of(to));
	if (!places->recursive)
		return problem_set(&cli->problem, EXIT_OTHER, "it is a folder, and needs -r: %s", from);
	return copy_up_tree(&places->copy, from, str_of(to));
}

static int down(struct places *places, struct str from)
{
	AUTOFREE char *to = NULL;
	struct cli *cli = places->copy.cli;
	struct remote_stat st;

	if (remote_stat(cli, from, true, &st) < 0)
		return -1;
	if (!st.exists) {
		problem_set(&cli->problem, EXIT_NOT_FOUND, "no such file: %s", from.p);
		snprintf(cli->problem.op, sizeof cli->problem.op, "files.download_stream");
		return -1;
	}
	to = target_of(places, from, st.type == 'd');
	if (st.type != 'd')
		return copy_down_file(&places->copy, from, st.mode, to);
	if (!places->recursive)
		return problem_set(&cli->problem, EXIT_OTHER, "it is a folder, and needs -r: %s", from.p);
	return copy_down_tree(&places->copy, from, st.mode, to);
}

static int across(struct places *places, struct str from)
{
	AUTOFREE char *to = NULL;
	AUTOBUF struct buf body;
	AUTOREPLY struct reply reply = { 0 };
	struct cli *cli = places->copy.cli;
	struct remote_stat st = { 0 };
	struct json_writer w;

	buf_init(&body, ARGS_MAX);
	/* What it is matters only to a name that is not there yet and ends with a slash. */
	if (!places->into && ends_with_slash(places->to) && remote_stat(cli, from, true, &st) < 0)
		return -1;
	to = target_of(places, from, st.exists && st.type == 'd');
	json_write_init(&w, &body);
	json_object_begin(&w);
	api_path(&w, "source", from);
	api_path(&w, "destination", str_of(to));
	json_object_end(&w);
	if (api_call(&cli->api, "files.copy", buf_str(&body), false, &reply, &cli->problem) < 0)
		return -1;
	return cli->json ? cli_print_json(cli, &reply) : 0;
}

/* Asks whether the destination is a folder. */
static int look_at_destination(struct places *places)
{
	struct remote_stat there = { 0 };
	struct stat here;

	if (!places->to_remote) {
		places->into = stat(places->to[0] ? places->to : ".", &here) == 0 && S_ISDIR(here.st_mode);
		return 0;
	}
	if (remote_stat(places->copy.cli, str_of(places->to[0] ? places->to : "."), true, &there) < 0)
		return -1;
	places->into = there.exists && there.type == 'd';
	return 0;
}

static int copy_one(struct places *places, const char *word)
{
	if (is_remote(word))
		return places->to_remote ? across(places, cli_remote(word)) : down(places, cli_remote(word));
	return up(places, word);
}

static int cp(struct cli *cli, struct args *args)
{
	size_t count = args->word_count - 1;
	const char *to = args->words[count];
	struct places places = {
		.copy.cli = cli,
		.to = is_remote(to) ? to + 1 : to,
		.to_remote = is_remote(to),
		.copy.continues = args_has(args, "continue"),
		.recursive = args_has(args, "recursive"),
	};
	int code = EXIT_OK;

	for (size_t i = 0; i < count; i++) {
		if (!is_remote(args->words[i]) && !places.to_remote)
			return problem_set(&cli->problem, EXIT_USAGE,
				"cp: one side must be the sandbox's, with a ':' in front: :%s", args->words[i]);
	}
	if (!cli_api(cli) || look_at_destination(&places) < 0)
		return -1;
	if (count > 1 && !places.into)
		return problem_set(&cli->problem, EXIT_USAGE, "cp: the destination of several is not a folder: %s", to);
	for (size_t i = 0; i < count; i++) {
		if (copy_one(&places, args->words[i]) < 0) {
			if (cli_is_hopeless(cli))
				return -1;
			code = cli_complain(cli);
		}
	}
	return code == EXIT_OK && places.copy.skipped ? EXIT_OTHER : code;
}

static const struct flag flags[] = {
	{ 'r', "recursive", NULL, "folders, with all that is in them" },
	{ 'c', "continue", NULL, "go on with downloads that broke off" },
	FLAGS_END,
};

const struct command cli_cp = {
	.name = "cp",
	.usage = "SRC... DST",
	.summary = "copy files to and from the sandbox",
	.text = "A ':' in front marks the sandbox's side: abx cp notes.txt :work/  and  abx cp :work/out.bin . ;\n"
		"'-' is standard input or output. Permission bits are kept, symbolic links are not made.\n"
		"With -c a download that breaks off goes on where it ended; when the server cannot be reached any more, what is there\n"
		"stays in NAME.TAG.part, and the next cp -c goes on with it, provided that the file is still the same. An upload\n"
		"is whole or not there, so it cannot be continued.\n",
	.flags = flags,
	.least = 2,
	.most = ANY_COUNT,
	.run = cp,
};
