/* SPDX-License-Identifier: Apache-2.0 */
/* abx grep: lines of files on the server, as PATH:LINE:TEXT; exit code 1 when there is none. */
#include "cli/commands.h"
#include "cli/remote.h"
#include "cli/term.h"

enum { ARGS_MAX = 128 * 1024, RESULTS = 100000 };

static void add_flag(struct json_writer *w, const struct args *args, const char *flag, const char *key)
{
	json_key(w, key);
	json_bool(w, args_has(args, flag));
}

static int write_args(struct json_writer *w, const struct args *args, struct str path, struct problem *p)
{
	const char *glob = args_value(args, "glob");
	int64_t context, max;

	if (args_count(args, "context", 0, &context, p) < 0 || args_count(args, "max", RESULTS, &max, p) < 0)
		return -1;
	json_object_begin(w);
	api_path(w, "path", path);
	json_key(w, "pattern");
	json_string(w, args->words[0]);
	add_flag(w, args, "ignore-case", "ignore_case");
	add_flag(w, args, "fixed", "literal");
	add_flag(w, args, "no-ignore", "no_ignore");
	json_key(w, "context");
	json_int(w, context);
	json_key(w, "max_results");
	json_int(w, max);
	json_key(w, "timeout");
	json_int(w, 0);
	if (glob) {
		json_key(w, "glob");
		json_string(w, glob);
	}
	json_object_end(w);
	return 0;
}

static void print_line(struct str path, int64_t line, char mark, struct str text)
{
	term_print(path);
	printf("%c%lld%c", mark, (long long)line, mark);
	term_print(text);
	putchar('\n');
}

static void print_match(const struct json *match)
{
	struct str path = remote_exact(match, "path", "path_b64");
	int64_t line = reply_int(match, "line", 0), number = line;

	for (const struct json *before = reply_list(match, "before"); before; before = before->next)
		number--;
	for (const struct json *before = reply_list(match, "before"); before; before = before->next)
		print_line(path, number++, '-', before->text);
	print_line(path, line, ':', reply_text(match, "text"));
	for (const struct json *after = reply_list(match, "after"); after; after = after->next)
		print_line(path, ++number, '-', after->text);
}

/* 1: there was a match. */
static int grep_one(struct cli *cli, struct args *args, struct str path)
{
	AUTOBUF struct buf body;
	AUTOREPLY struct reply reply = { 0 };
	const struct json *match;
	struct json_writer w;

	buf_init(&body, ARGS_MAX);
	json_write_init(&w, &body);
	if (write_args(&w, args, path, &cli->problem) < 0 ||
		api_call(&cli->api, "files.grep", buf_str(&body), true, &reply, &cli->problem) < 0)
		return -1;
	if (cli->json && cli_print_json(cli, &reply) < 0)
		return -1;
	if (reply_parse(&cli->api, &reply, &cli->problem) < 0)
		return -1;
	match = reply_list(reply.value, "matches");
	for (const struct json *m = match; m && !cli->json; m = m->next) {
		if (m != match && args_value(args, "context"))
			puts("--");
		print_match(m);
	}
	if (reply_bool(reply.value, "truncated", false) || reply_bool(reply.value, "timed_out", false))
		fputs("abx: there may be more: the search was not complete\n", stderr);
	return match != NULL;
}

static int grep(struct cli *cli, struct args *args)
{
	int code = EXIT_OK, found = 0;

	if (!cli_api(cli))
		return -1;
	if (args->word_count == 1) {
		found = grep_one(cli, args, STR("."));
		return found < 0 ? -1 : found ? EXIT_OK : EXIT_OTHER;
	}
	for (size_t i = 1; i < args->word_count; i++) {
		int status = grep_one(cli, args, cli_remote(args->words[i]));

		if (status < 0 && cli_is_hopeless(cli))
			return -1;
		if (status < 0)
			code = cli_complain(cli);
		else
			found |= status;
	}
	return code != EXIT_OK ? code : found ? EXIT_OK : EXIT_OTHER;
}

static const struct flag flags[] = {
	{ 'i', "ignore-case", NULL, "letters match without regard to case" },
	{ 'F', "fixed", NULL, "the pattern is a text and not an expression" },
	{ 'C', "context", "N", "print N lines before and after each match" },
	{ 'g', "glob", "GLOB", "only files that this fits" },
	{ 'm', "max", "N", "most matches of each path" },
	{ 0, "no-ignore", NULL, "also what .gitignore files name" },
	FLAGS_END,
};

const struct command cli_grep = {
	.name = "grep",
	.usage = "PATTERN [PATH...]",
	.summary = "find lines in files",
	.text = "The pattern is a PCRE2 expression. Exit code 1: no line matches.\n",
	.flags = flags,
	.least = 1,
	.most = ANY_COUNT,
	.run = grep,
};
