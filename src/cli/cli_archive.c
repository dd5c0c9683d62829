/* SPDX-License-Identifier: Apache-2.0 */
/* abx archive: remote files and folders as one archive, into a local file or to standard output. */
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/save.h"

#include <string.h>
#include <unistd.h>

enum { BODY_MAX = 16 << 20, FILE_MODE = 0644 };

/* By the end of the file's name, where no format is named. */
static const char *format_of(const struct args *args, const char *file)
{
	static const struct {
		const char *end, *format;
	} known[] = { { ".tar.gz", "tar.gz" }, { ".tgz", "tar.gz" }, { ".tar.zst", "tar.zst" }, { ".zip", "zip" },
		{ ".tar", "tar" } };
	size_t len = file ? strlen(file) : 0;

	if (args_has(args, "format"))
		return args_value(args, "format");
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		size_t end = strlen(known[i].end);

		if (len >= end && strcmp(file + len - end, known[i].end) == 0)
			return known[i].format;
	}
	return "tar.gz";
}

static int make_body(struct cli *cli, const struct args *args, const char *format, struct buf *body)
{
	bool as_text = true;
	struct json_writer w;

	if (!utf8_valid(str_of(format)))
		return problem_set(&cli->problem, EXIT_USAGE, "the format is not UTF-8");
	json_write_init(&w, body);
	json_object_begin(&w);
	json_key(&w, "format");
	json_string(&w, format);
	for (size_t i = 0; i < args->word_count; i++)
		as_text = as_text && utf8_valid(cli_remote(args->words[i]));
	json_key(&w, as_text ? "paths" : "paths_b64");
	json_array_begin(&w);
	for (size_t i = 0; i < args->word_count; i++) {
		if (as_text)
			json_text(&w, cli_remote(args->words[i]));
		else
			json_base64(&w, cli_remote(args->words[i]));
	}
	json_array_end(&w);
	json_object_end(&w);
	return buf_failed(body) ? problem_set(&cli->problem, EXIT_USAGE, "the paths are too long") : 0;
}

static int run(struct cli *cli, struct args *args)
{
	const char *name = args_value(args, "output");
	struct api *api = cli_api(cli);
	AUTOBUF struct buf body;

	buf_init(&body, BODY_MAX);
	name = name && strcmp(name, "-") == 0 ? NULL : name;
	if (!name && isatty(STDOUT_FILENO))
		return problem_set(&cli->problem, EXIT_USAGE, "an archive is nothing for a terminal: use -o FILE");
	if (!api || make_body(cli, args, format_of(args, name), &body) < 0)
		return -1;
	if (api_open_op(api, "files.archive", buf_str(&body), "application/octet-stream", true, &cli->problem) < 0)
		return -1;
	return save_body(cli, name ? name : "-", FILE_MODE);
}

static const struct flag flags[] = {
	{ 'o', "output", "FILE", "write it there instead of standard output; whole or not at all" },
	{ 'f', "format", "FORMAT", "tar, tar.gz, tar.zst or zip; else by the end of FILE's name, else tar.gz" },
	FLAGS_END,
};

const struct command cli_archive = {
	.name = "archive",
	.usage = "PATH...",
	.summary = "fetch files and folders as one archive",
	.flags = flags,
	.least = 1,
	.most = ANY_COUNT,
	.run = run,
};
