/* SPDX-License-Identifier: Apache-2.0 */
/* abx browser open, text, click, type, eval, console: the page of the browser that runs there. */
#include "cli/commands.h"
#include "cli/show.h"
#include "cli/term.h"
#include "cli/upload_fd.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SCRIPT_MAX = 16 << 20, BODY_MAX = 64 << 20, MS = 1000 };

/* The arguments of one call while they are written. */
struct body {
	struct buf text;
	struct json_writer w;
};

static void body_begin(struct body *b)
{
	buf_init(&b->text, BODY_MAX);
	json_write_init(&b->w, &b->text);
	json_object_begin(&b->w);
}

static void body_add(struct body *b, const char *key, const char *value)
{
	if (value) {
		json_key(&b->w, key);
		json_string(&b->w, value);
	}
}

/* --timeout S, which the wire has in milliseconds. */
static int body_add_timeout(struct body *b, const struct args *args, struct problem *p)
{
	const char *text = args_value(args, "timeout");
	double seconds;

	if (!text)
		return 0;
	if (args_seconds(text, &seconds, p) < 0)
		return -1;
	if (seconds > INT32_MAX)
		return problem_set(p, EXIT_USAGE, "--timeout is too long");
	json_key(&b->w, "timeout");
	json_int(&b->w, (int64_t)(seconds * MS));
	return 0;
}

/* A word, or standard input to its end where there is none or it is "-". */
static int body_add_script(struct body *b, const char *key, const char *word, struct problem *p)
{
	AUTOBUF struct buf text;

	buf_init(&text, SCRIPT_MAX);
	if (word && strcmp(word, "-") != 0) {
		body_add(b, key, word);
		return 0;
	}
	if (upload_fd_read_all(STDIN_FILENO, "standard input", &text, p) < 0)
		return -1;
	json_key(&b->w, key);
	json_text(&b->w, text.data ? buf_str(&text) : STR(""));
	return 0;
}

static void body_free(struct body *b)
{
	buf_free(&b->text);
}
#define AUTOBODY CLEANUP(body_free)

/* As show_call(). */
static int call(struct cli *cli, const char *op, struct body *b, bool is_read, struct reply *ret_reply)
{
	json_object_end(&b->w);
	if (buf_failed(&b->text))
		return problem_set(&cli->problem, EXIT_USAGE, "the arguments are too long");
	return show_call(cli, op, buf_str(&b->text), is_read, ret_reply);
}

/* What has nothing to show but its JSON. */
static int call_silently(struct cli *cli, const char *op, struct body *b)
{
	AUTOREPLY struct reply reply = { 0 };

	return call(cli, op, b, false, &reply) < 0 ? -1 : EXIT_OK;
}

/* --- open --- */

static int open_page(struct cli *cli, struct args *args)
{
	AUTOREPLY struct reply reply = { 0 };
	AUTOBODY struct body b;
	int shown;

	body_begin(&b);
	body_add(&b, "url", args->words[0]);
	body_add(&b, "wait_until", args_value(args, "until"));
	if (body_add_timeout(&b, args, &cli->problem) < 0)
		return -1;
	shown = call(cli, "browser.navigate", &b, false, &reply);
	if (shown == 0)
		show_members(reply.value);
	return MIN(shown, EXIT_OK);
}

static const struct flag open_flags[] = {
	{ 'u', "until", "WHAT", "load, domcontentloaded, commit, or networkidle, the default" },
	{ '\0', "timeout", "S", "give it up after so many seconds (exit code 124); 30 by default" },
	FLAGS_END,
};

const struct command cli_browser_open = {
	.name = "browser open",
	.usage = "URL",
	.summary = "go to a page, and wait until it is there",
	.text = "A page that answers with an error is a page: see its status.\n",
	.flags = open_flags,
	.least = 1,
	.most = 1,
	.run = open_page,
};

/* --- text --- */

/* For people: nothing in it drives the terminal. */
static void print_lines(struct str text)
{
	while (text.len) {
		term_print(str_cut(&text, '\n'));
		putchar('\n');
	}
}

static int print_content(struct cli *cli, struct args *args)
{
	AUTOREPLY struct reply reply = { 0 };
	AUTOBODY struct body b;
	struct str content;
	int shown;

	body_begin(&b);
	body_add(&b, "type", args_has(args, "html") ? "html" : "text");
	shown = call(cli, "browser.content", &b, true, &reply);
	if (shown)
		return MIN(shown, EXIT_OK);
	content = reply_text(reply.value, "content");
	if (term_is_out()) {
		print_lines(content);
		return EXIT_OK;
	}
	/* A page's text mostly ends without one. */
	if (cli_write(cli, STDOUT_FILENO, content) < 0)
		return -1;
	if (content.len && content.p[content.len - 1] != '\n' && cli_write(cli, STDOUT_FILENO, STR("\n")) < 0)
		return -1;
	return EXIT_OK;
}

static const struct flag text_flags[] = {
	{ '\0', "html", NULL, "the document as it is now, instead of the text that it shows" },
	FLAGS_END,
};

const struct command cli_browser_text = {
	.name = "browser text",
	.usage = "",
	.summary = "print the text of the page",
	.flags = text_flags,
	.run = print_content,
};

/* --- click, type --- */

static int click(struct cli *cli, struct args *args)
{
	AUTOBODY struct body b;

	body_begin(&b);
	body_add(&b, "selector", args->words[0]);
	if (body_add_timeout(&b, args, &cli->problem) < 0)
		return -1;
	return call_silently(cli, "browser.click", &b);
}

static const struct flag click_flags[] = {
	{ '\0', "timeout", "S", "give it up after so many seconds (exit code 124); 5 by default" },
	FLAGS_END,
};

const struct command cli_browser_click = {
	.name = "browser click",
	.usage = "SELECTOR",
	.summary = "click on an element, when it is visible and at rest",
	.flags = click_flags,
	.least = 1,
	.most = 1,
	.run = click,
};

static int type(struct cli *cli, struct args *args)
{
	AUTOBODY struct body b;
	const char *delay = args_value(args, "delay");
	uint64_t ms;

	body_begin(&b);
	body_add(&b, "selector", args->words[0]);
	if (body_add_script(&b, "text", args->word_count > 1 ? args->words[1] : NULL, &cli->problem) < 0)
		return -1;
	if (delay) {
		if (str_to_u64(str_of(delay), &ms) < 0)
			return problem_set(&cli->problem, EXIT_USAGE, "--delay wants milliseconds, not '%.64s'", delay);
		json_key(&b.w, "delay");
		json_int(&b.w, (int64_t)ms);
	}
	json_key(&b.w, "clear");
	json_bool(&b.w, args_has(args, "clear"));
	return call_silently(cli, "browser.type", &b);
}

static const struct flag type_flags[] = {
	{ 'c', "clear", NULL, "empty the element first" },
	{ '\0', "delay", "MS", "milliseconds between two keys; 50 by default" },
	FLAGS_END,
};

const struct command cli_browser_type = {
	.name = "browser type",
	.usage = "SELECTOR [TEXT|-]",
	.summary = "type a text, or standard input, into an element",
	.flags = type_flags,
	.least = 1,
	.most = 2,
	.run = type,
};

/* --- eval --- */

static int print_value(struct cli *cli, const struct json *value)
{
	AUTOBUF struct buf text;
	struct json_writer w;

	buf_init(&text, BODY_MAX);
	json_write_init(&w, &text);
	if (!value)
		json_null(&w);
	else if (value->type == JSON_STRING)
		buf_add(&text, value->text.p, value->text.len);
	else
		json_tree(&w, value, false);
	if (term_is_out()) {
		print_lines(buf_str(&text));
		return EXIT_OK;
	}
	buf_addc(&text, '\n');
	if (buf_failed(&text))
		return problem_set(&cli->problem, EXIT_OTHER, "the result is too large to be printed");
	return cli_write(cli, STDOUT_FILENO, buf_str(&text)) < 0 ? -1 : EXIT_OK;
}

static int evaluate(struct cli *cli, struct args *args)
{
	AUTOREPLY struct reply reply = { 0 };
	AUTOBODY struct body b;
	int shown;

	body_begin(&b);
	if (body_add_script(&b, "script", args->word_count ? args->words[0] : NULL, &cli->problem) < 0 ||
		body_add_timeout(&b, args, &cli->problem) < 0)
		return -1;
	shown = call(cli, "browser.evaluate", &b, false, &reply);
	return shown ? MIN(shown, EXIT_OK) : print_value(cli, json_get(reply.value, "result"));
}

static const struct flag eval_flags[] = {
	{ '\0', "timeout", "S", "give it up after so many seconds (exit code 124); 10 by default" },
	FLAGS_END,
};

const struct command cli_browser_eval = {
	.name = "browser eval",
	.usage = "[SCRIPT|-]",
	.summary = "run a script, or standard input, in the page and print its result",
	.text = "A text is printed as it is, everything else as JSON. Promises are awaited.\n",
	.flags = eval_flags,
	.most = 1,
	.run = evaluate,
};

/* --- console --- */

static int print_console(struct cli *cli, struct args *args)
{
	AUTOREPLY struct reply reply = { 0 };
	AUTOBODY struct body b;
	int shown;

	(void)args;
	body_begin(&b);
	shown = call(cli, "browser.console", &b, false, &reply);
	for (const struct json *one = shown ? NULL : reply_list(reply.value, "logs"); one; one = one->next) {
		term_print(reply_text(one, "timestamp"));
		putchar(' ');
		term_print(reply_text(one, "type"));
		fputs(": ", stdout);
		term_print(reply_text(one, "text"));
		putchar('\n');
	}
	return MIN(shown, EXIT_OK);
}

const struct command cli_browser_console = {
	.name = "browser console",
	.usage = "",
	.summary = "print what the page has said since the last time",
	.run = print_console,
};
