/* SPDX-License-Identifier: Apache-2.0 */
/* abx server doctor: tries what usually goes wrong, and says what to do about it. */
#include "cli/commands.h"
#include "cli/copy.h"
#include "cli/term.h"
#include "wire/range.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SKEW_S = 30, NAME_COLUMN = 14, ARGS_MAX = 4096 };

struct doctor {
	struct cli *cli;
	int worst;
	struct reply capabilities; /* parsed, when the server gave them */
};

enum verdict { GOOD, NOTE, BAD };

static const char *const words[] = { "ok", "note", "FAULT" };

static void say_json(enum verdict verdict, const char *what, const char *text)
{
	AUTOBUF struct buf line;
	struct json_writer w;

	buf_init(&line, 128 * 1024);
	json_write_init(&w, &line);
	json_object_begin(&w);
	json_key(&w, "tried");
	json_string(&w, what);
	json_key(&w, "verdict");
	json_string(&w, verdict == BAD ? "fault" : words[verdict]);
	json_key(&w, "text");
	json_string(&w, text);
	json_object_end(&w);
	buf_addc(&line, '\n');
	fwrite(line.data, 1, line.len, stdout);
}

static void say(struct doctor *d, enum verdict verdict, const char *what, const char *text)
{
	static const char *const colours[] = { "\033[32m", "\033[33m", "\033[31m" };
	bool colour = term_has_colour();

	if (d->cli->json) {
		say_json(verdict, what, text);
	} else {
		printf("%s%-5s%s  %-*s ", colour ? colours[verdict] : "", words[verdict], colour ? "\033[0m" : "",
			NAME_COLUMN, what);
		term_print(str_of(text));
		putchar('\n');
	}
	if (verdict == BAD && d->worst == EXIT_OK)
		d->worst = d->cli->problem.exit_code ? d->cli->problem.exit_code : EXIT_OTHER;
}

static void say_problem(struct doctor *d, enum verdict verdict, const char *what)
{
	AUTOBUF struct buf line;

	buf_init(&line, 16 * 1024);
	problem_format(&d->cli->problem, &line);
	if (line.len)
		buf_truncate(&line, line.len - 1);
	say(d, verdict, what, line.len > 5 ? line.data + 5 : "");
}

static bool check_reachable(struct doctor *d)
{
	AUTOREPLY struct reply reply = { 0 };

	if (!cli_api(d->cli) || api_get(&d->cli->api, "core.health", "/health", &reply, &d->cli->problem) < 0) {
		say_problem(d, BAD, "reachable");
		return false;
	}
	say(d, GOOD, "reachable", address_text(&d->cli->api.http.address));
	return true;
}

static void check_clock(struct doctor *d)
{
	struct str date = response_get(&d->cli->api.http.response, "Date");
	int64_t theirs, skew;
	char text[128];

	if (!date.p || http_date_parse(date, &theirs) < 0) {
		say(d, NOTE, "clock", "the server tells no time");
		return;
	}
	skew = theirs - (int64_t)time(NULL);
	if (skew == 0)
		snprintf(text, sizeof text, "the same as ours");
	else
		snprintf(text, sizeof text, "%lld s %s ours", (long long)(skew < 0 ? -skew : skew),
			skew < 0 ? "behind" : "ahead of");
	if (skew <= SKEW_S && skew >= -SKEW_S)
		say(d, GOOD, "clock", text);
	else
		say(d, NOTE, "clock", text);
}

static bool check_credentials(struct doctor *d)
{
	struct cli *cli = d->cli;

	if (api_get(&cli->api, "core.capabilities", "/capabilities", &d->capabilities, &cli->problem) < 0 ||
		reply_parse(&cli->api, &d->capabilities, &cli->problem) < 0) {
		say_problem(d, BAD, "credentials");
		return false;
	}
	return true;
}

static void add_texts(struct buf *to, const struct json *first)
{
	for (; first; first = first->next) {
		buf_adds(to, to->len ? " " : "");
		buf_add(to, first->text.p, first->text.len);
	}
}

static void show_facts(struct doctor *d)
{
	const struct json *value = d->capabilities.value, *server = json_get(value, "server"),
			  *who = json_get(value, "principal");
	const struct json *groups = json_get(value, "groups");
	AUTOBUF struct buf text;

	buf_init(&text, 64 * 1024);
	buf_addf(&text, STR_FMT " " STR_FMT ", catalog " STR_FMT, STR_ARG(reply_text(server, "name")),
		STR_ARG(reply_text(server, "version")), STR_ARG(reply_text(value, "catalog_digest")));
	say(d, GOOD, "version", text.data);
	buf_truncate(&text, 0);
	buf_addf(&text, "known as '" STR_FMT "'", STR_ARG(reply_text(who, "name")));
	say(d, GOOD, "credentials", text.data);
	buf_truncate(&text, 0);
	add_texts(&text, reply_list(who, "scopes"));
	say(d, text.len ? GOOD : NOTE, "scopes", text.len ? text.data : "none: the token may do nothing");
	buf_truncate(&text, 0);
	for (const struct json *g = groups && groups->type == JSON_OBJECT ? groups->first : NULL; g; g = g->next)
		buf_addf(&text, "%s" STR_FMT "%s", text.len ? ", " : "", STR_ARG(g->key), g->boolean ? "" : " (off)");
	say(d, GOOD, "groups", text.len ? text.data : "");
}

static bool may_call(const struct doctor *d, const char *id)
{
	const struct json *op = json_get(json_get(d->capabilities.value, "ops"), id);

	return reply_bool(op, "enabled", false) && reply_bool(op, "allowed", false);
}

/* Really writes, really removes. */
static void check_writing(struct doctor *d)
{
	struct cli *cli = d->cli;
	AUTOREPLY struct reply reply = { 0 }, removed = { 0 };
	AUTOBUF struct buf body;
	struct json_writer w;
	char name[64];

	snprintf(name, sizeof name, ".abx-doctor-%ld", (long)getpid());
	buf_init(&body, ARGS_MAX);
	if (may_call(d, "files.upload") && !may_call(d, "files.delete")) {
		say(d, NOTE, "writing",
			"not tried: what would be written could not be removed, as files.delete is not allowed");
		return;
	}
	json_write_init(&w, &body);
	json_object_begin(&w);
	json_key(&w, "path");
	json_string(&w, name);
	json_key(&w, "content_base64");
	json_string(&w, "");
	json_object_end(&w);
	if (api_call(&cli->api, "files.upload", buf_str(&body), false, &reply, &cli->problem) < 0 ||
		remote_call(cli, "files.delete", str_of(name), NULL, false, &removed) < 0) {
		say_problem(d, NOTE, "writing");
		return;
	}
	say(d, GOOD, "writing", "a file in the base directory was made and removed");
}

/* A line of what is there of the programs that ops need. */
static void check_programs(struct doctor *d)
{
	static const char line[] =
		"{\"command\":\"for p in bash python3 node git chromium google-chrome headless_shell; do "
		"command -v $p >/dev/null 2>&1 && printf '%s ' $p; done; :\",\"timeout\":10}";
	AUTOREPLY struct reply reply = { 0 };
	struct cli *cli = d->cli;
	AUTOFREE char *found = NULL;

	if (api_call(&cli->api, "commands.run", STR(line), false, &reply, &cli->problem) < 0 ||
		reply_parse(&cli->api, &reply, &cli->problem) < 0) {
		say_problem(d, NOTE, "programs");
		return;
	}
	found = strndup(reply_text(reply.value, "stdout").p ? reply_text(reply.value, "stdout").p : "",
		reply_text(reply.value, "stdout").len);
	if (found[0])
		found[strlen(found) - 1] = '\0'; /* the blank behind the last */
	say(d, GOOD, "programs", found[0] ? found : "none of bash, python3, node, git, Chromium");
}

/* Really starts it, where it does not run yet. */
static void check_browser(struct doctor *d)
{
	const struct json *groups = json_get(d->capabilities.value, "groups");
	AUTOREPLY struct reply reply = { 0 };
	struct cli *cli = d->cli;
	AUTOFREE char *name = NULL;
	struct str agent, word;

	if (!reply_bool(groups, "browser", false)) {
		say(d, NOTE, "browser", "the group is switched off (policy:groups.browser)");
		return;
	}
	if (api_call(&cli->api, "browser.evaluate", STR("{\"script\":\"navigator.userAgent\",\"timeout\":5000}"), false,
		    &reply, &cli->problem) < 0 ||
		reply_parse(&cli->api, &reply, &cli->problem) < 0) {
		say_problem(d, NOTE, "browser");
		return;
	}
	agent = reply_text(reply.value, "result");
	do
		word = str_cut(&agent, ' ');
	while (agent.len && !memmem(word.p, word.len, "Chrom", strlen("Chrom")));
	name = strndup(word.len ? word.p : "", word.len);
	say(d, GOOD, "browser", name);
}

static int doctor(struct cli *cli, struct args *args)
{
	struct doctor d = { .cli = cli, .worst = EXIT_OK };

	(void)args;
	if (check_reachable(&d)) {
		check_clock(&d);
		if (check_credentials(&d)) {
			show_facts(&d);
			check_writing(&d);
			check_programs(&d);
			check_browser(&d);
		}
		reply_free(&d.capabilities);
	}
	return cli->problem.exit_code == EXIT_INTERRUPTED ? -1 : d.worst;
}

const struct command cli_server_doctor = {
	.name = "server doctor",
	.usage = "",
	.summary = "try the connection, the token and the server, and say what to fix",
	.text = "Ends with 0 when nothing is at fault.  With --json a line {\"tried\", \"verdict\", \"text\"} for each: ok, note or fault.\n",
	.run = doctor,
};
