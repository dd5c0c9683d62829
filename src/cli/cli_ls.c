/* SPDX-License-Identifier: Apache-2.0 */
/* abx ls: folders, one name a line; -l with what is known of each; -R whole trees. */
#include "cli/commands.h"
#include "cli/remote.h"
#include "cli/term.h"

#include <stdlib.h>
#include <string.h>

enum { ARGS_MAX = 64 * 1024, JSON_DEPTH = 64, JSON_ENTRIES = 100000 };

struct listing {
	struct cli *cli;
	bool all, details, recursive, headings, told_before, incomplete;
	char **waiting; /* folders still to be listed: the last is the next */
	size_t waiting_count, waiting_cap;
};

static void push(struct listing *l, char *path)
{
	if (l->waiting_count == l->waiting_cap) {
		l->waiting_cap = l->waiting_cap ? l->waiting_cap * 2 : 64;
		l->waiting = realloc(l->waiting, l->waiting_cap * sizeof *l->waiting);
		if (!l->waiting)
			abort();
	}
	l->waiting[l->waiting_count++] = path;
}

static void print_mode(char type, unsigned mode)
{
	char text[12] = "?rwxrwxrwx";

	text[0] = type == 'f' ? '-' : type == 'o' ? '?' : type;
	for (unsigned bit = 0; bit < 9; bit++) {
		if (!(mode & (0400u >> bit)))
			text[bit + 1] = '-';
	}
	printf("%s", text);
}

struct widths {
	int owner, group, size;
};

static int width_of(const struct json *entry, const char *key)
{
	return (int)MIN(reply_text(entry, key).len, (size_t)32);
}

static struct widths measure(const struct json *entries)
{
	struct widths widths = { 0, 0, 1 };

	for (const struct json *e = entries; e; e = e->next) {
		widths.owner = MAX(widths.owner, width_of(e, "owner"));
		widths.group = MAX(widths.group, width_of(e, "group"));
		widths.size = MAX(widths.size, snprintf(NULL, 0, "%lld", (long long)reply_int(e, "size", 0)));
	}
	return widths;
}

/* mode_key: an entry of a listing calls its bits otherwise than a stat does. */
static void print_details(const struct json *entry, const char *mode_key, struct widths widths)
{
	struct str owner = reply_text(entry, "owner"), group = reply_text(entry, "group"),
		   when = reply_text(entry, "modified");

	print_mode(remote_type(entry), remote_mode(reply_text(entry, mode_key)));
	printf(" %-*.*s %-*.*s %*lld ", widths.owner, (int)owner.len, owner.p ? owner.p : "", widths.group,
		(int)group.len, group.p ? group.p : "", widths.size, (long long)reply_int(entry, "size", 0));
	term_print(when);
	putchar(' ');
}

static void print_name(struct str name, char type)
{
	const char *colour = type == 'd' ? "\033[1;34m" : type == 'l' ? "\033[36m" : NULL;

	if (colour && term_has_colour())
		fputs(colour, stdout);
	term_print(name);
	if (colour && term_has_colour())
		fputs("\033[0m", stdout);
}

static void print_end(const struct listing *l, const struct json *entry)
{
	struct str target = reply_text(entry, "target");

	if (l->details && remote_type(entry) == 'l' && target.p) {
		fputs(" -> ", stdout);
		term_print(target);
	}
	putchar('\n');
}

static void print_entries(struct listing *l, struct str dir, const struct json *entries)
{
	struct widths widths = l->details ? measure(entries) : (struct widths){ 0 };
	size_t first = l->waiting_count;

	for (const struct json *e = entries; e; e = e->next) {
		struct str name = remote_name(e);
		char type = remote_type(e);

		if (l->details)
			print_details(e, "mode", widths);
		print_name(name, type);
		print_end(l, e);
		if (l->recursive && type == 'd' && name.len)
			push(l, remote_join(dir, name));
	}
	/* The last pushed is listed next: put them the other way round. */
	for (size_t i = first, j = l->waiting_count; i + 1 < j; i++, j--) {
		char *path = l->waiting[i];

		l->waiting[i] = l->waiting[j - 1];
		l->waiting[j - 1] = path;
	}
}

/* A path that is no folder, also a link that leads nowhere: itself, as ls does it. */
static int list_file(struct listing *l, struct str path)
{
	AUTOREPLY struct reply reply;
	struct problem why = l->cli->problem;

	if (remote_call(l->cli, "files.stat", path, "follow", false, &reply) < 0 ||
		reply_parse(&l->cli->api, &reply, &l->cli->problem) < 0)
		return -1;
	if (!reply_bool(reply.value, "exists", false)) {
		l->cli->problem = why;
		return -1;
	}
	if (l->details)
		print_details(reply.value, "permissions", (struct widths){ 0 });
	print_name(path, remote_type(reply.value));
	print_end(l, reply.value);
	return 0;
}

static bool is_no_folder(const struct problem *p)
{
	return strcmp(p->wire_code, "files.not_a_directory") == 0 || strcmp(p->wire_code, "files.not_found") == 0;
}

static int list_folder(struct listing *l, struct str path)
{
	AUTOREPLY struct reply reply;

	if (remote_list(l->cli, path, l->all, &reply) < 0)
		return is_no_folder(&l->cli->problem) ? list_file(l, path) : -1;
	if (reply_parse(&l->cli->api, &reply, &l->cli->problem) < 0)
		return -1;
	if (l->headings) {
		if (l->told_before)
			putchar('\n');
		term_print(path);
		puts(":");
	}
	l->told_before = true;
	print_entries(l, path, reply_list(reply.value, "entries"));
	if (reply_bool(reply.value, "truncated", false)) {
		l->incomplete = true;
		problem_set(&l->cli->problem, EXIT_OTHER, "more entries exist than a listing holds: %s", path.p);
		cli_complain(l->cli);
	}
	return 0;
}

/* Exit code, or -1 when going on makes no sense. */
static int list_tree(struct listing *l, const char *word)
{
	int code = EXIT_OK;

	push(l, mem_strdup(cli_remote(word).p));
	while (l->waiting_count) {
		AUTOFREE char *path = l->waiting[--l->waiting_count];

		if (list_folder(l, str_of(path)) < 0) {
			if (cli_is_hopeless(l->cli))
				return -1;
			code = cli_complain(l->cli);
		}
	}
	return code;
}

/* The wire's own recursion and its own JSON. */
static int print_json(struct listing *l, const char *word)
{
	AUTOBUF struct buf body;
	AUTOREPLY struct reply reply = { 0 };
	struct json_writer w;
	struct api *api = cli_api(l->cli);

	buf_init(&body, ARGS_MAX);
	if (!api)
		return -1;
	json_write_init(&w, &body);
	json_object_begin(&w);
	api_path(&w, "path", cli_remote(word));
	json_key(&w, "max_entries");
	json_int(&w, JSON_ENTRIES);
	json_key(&w, "hidden");
	json_bool(&w, l->all);
	if (l->recursive) {
		json_key(&w, "recursive");
		json_bool(&w, true);
		json_key(&w, "depth");
		json_int(&w, JSON_DEPTH);
	}
	json_object_end(&w);
	if (api_call(api, "files.list", buf_str(&body), true, &reply, &l->cli->problem) < 0)
		return -1;
	return cli_print_json(l->cli, &reply);
}

static int ls(struct cli *cli, struct args *args)
{
	static char here[] = ".";
	char *only[] = { here };
	char **words = args->word_count ? args->words : only;
	size_t count = args->word_count ? args->word_count : 1;
	struct listing l = {
		.cli = cli,
		.all = args_has(args, "all"),
		.details = args_has(args, "long"),
		.recursive = args_has(args, "recursive"),
		.headings = count > 1 || args_has(args, "recursive"),
	};
	int code = EXIT_OK, one = EXIT_OK;

	for (size_t i = 0; i < count && one >= 0; i++) {
		one = cli->json ? print_json(&l, words[i]) : list_tree(&l, words[i]);
		if (one < 0 && !cli_is_hopeless(cli))
			one = cli_complain(cli);
		if (one != EXIT_OK)
			code = one;
	}
	while (l.waiting_count)
		free(l.waiting[--l.waiting_count]);
	free(l.waiting);
	return code == EXIT_OK && l.incomplete ? EXIT_OTHER : code;
}

static const struct flag flags[] = {
	{ 'l', "long", NULL, "with permissions, owner, size and time" },
	{ 'R', "recursive", NULL, "all folders below too" },
	{ 'a', "all", NULL, "names that begin with a dot too" },
	FLAGS_END,
};

const struct command cli_ls = {
	.name = "ls",
	.usage = "[PATH...]",
	.summary = "list folders",
	.flags = flags,
	.most = ANY_COUNT,
	.run = ls,
};
