/* SPDX-License-Identifier: Apache-2.0 */
/* abx browser shot, pdf: the page as a file of here, or its bytes on standard output. */
#include "cli/commands.h"
#include "cli/save.h"
#include "cli/show.h"
#include "cli/term.h"

#include <string.h>
#include <strings.h>

enum { ARGS_MAX = 64 * 1024, FILE_MODE = 0644 };

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && strcasecmp(text + len - end_len, end) == 0;
}

/* With --json the wire's answer, else the bytes themselves. */
static int fetch(struct cli *cli, struct args *args, const char *op, const char *media_type, const struct buf *body)
{
	const char *to = args->word_count ? args->words[0] : "-";
	AUTOREPLY struct reply reply = { 0 };

	if (buf_failed(body))
		return problem_set(&cli->problem, EXIT_USAGE, "the arguments are too long");
	if (cli->json)
		return show_call(cli, op, buf_str(body), false, &reply) < 0 ? -1 : EXIT_OK;
	if (strcmp(to, "-") == 0 && term_is_out())
		return problem_set(&cli->problem, EXIT_USAGE,
			"a terminal cannot show these bytes: name a FILE, or send them on with '|' or '>'");
	if (!cli_api(cli) || api_open_op(&cli->api, op, buf_str(body), media_type, false, &cli->problem) < 0)
		return -1;
	return save_body(cli, to, FILE_MODE) < 0 ? -1 : EXIT_OK;
}

static const char *picture_format(const struct args *args)
{
	const char *format = args_value(args, "format"), *file = args->word_count ? args->words[0] : "-";

	if (format)
		return format;
	return ends_with(file, ".jpg") || ends_with(file, ".jpeg") ? "jpeg" : "png";
}

static int shot(struct cli *cli, struct args *args)
{
	const char *selector = args_value(args, "selector"), *quality = args_value(args, "quality");
	AUTOBUF struct buf body;
	struct json_writer w;
	uint64_t percent;

	buf_init(&body, ARGS_MAX);
	json_write_init(&w, &body);
	json_object_begin(&w);
	json_key(&w, "format");
	json_string(&w, picture_format(args));
	json_key(&w, "full_page");
	json_bool(&w, !args_has(args, "window"));
	if (selector) {
		json_key(&w, "selector");
		json_string(&w, selector);
	}
	if (quality) {
		if (str_to_u64(str_of(quality), &percent) < 0)
			return problem_set(&cli->problem, EXIT_USAGE, "--quality wants 0 to 100, not '%.64s'", quality);
		json_key(&w, "quality");
		json_int(&w, (int64_t)percent);
	}
	json_object_end(&w);
	return fetch(cli, args, "browser.screenshot", "image/*", &body);
}

static const struct flag shot_flags[] = {
	{ 's', "selector", "CSS", "of this element, instead of the whole page" },
	{ 'w', "window", NULL, "of what a window shows, instead of the whole page" },
	{ '\0', "format", "KIND", "png or jpeg; by default as FILE is named, else png" },
	{ '\0', "quality", "N", "of a jpeg, 0 to 100" },
	FLAGS_END,
};

const struct command cli_browser_shot = {
	.name = "browser shot",
	.usage = "[FILE|-]",
	.summary = "take a picture of the page",
	.text = "Without FILE it goes to standard output, unless that is a terminal.\n",
	.flags = shot_flags,
	.most = 1,
	.run = shot,
};

static int pdf(struct cli *cli, struct args *args)
{
	const char *paper = args_value(args, "paper");
	AUTOBUF struct buf body;
	struct json_writer w;

	buf_init(&body, ARGS_MAX);
	json_write_init(&w, &body);
	json_object_begin(&w);
	json_key(&w, "landscape");
	json_bool(&w, args_has(args, "landscape"));
	if (paper) {
		json_key(&w, "format");
		json_string(&w, paper);
	}
	json_object_end(&w);
	return fetch(cli, args, "browser.pdf", "application/pdf", &body);
}

static const struct flag pdf_flags[] = {
	{ 'p', "paper", "SIZE", "A3, A4 (the default), A5, Letter, Legal, Tabloid" },
	{ 'l', "landscape", NULL, "the paper on its long side" },
	FLAGS_END,
};

const struct command cli_browser_pdf = {
	.name = "browser pdf",
	.usage = "[FILE|-]",
	.summary = "print the page as a PDF",
	.text = "Without FILE it goes to standard output, unless that is a terminal.\n",
	.flags = pdf_flags,
	.most = 1,
	.run = pdf,
};
