/* SPDX-License-Identifier: Apache-2.0 */
/* abx server call: any op of the server, with arguments by its own catalog. */
#include "cli/catalog_op.h"
#include "cli/commands.h"
#include "cli/event_line.h"
#include "cli/upload_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum {
	ARGS_MAX = 512 << 20,
	TARGET_MAX = 64 * 1024,
	EVENT_MAX = 64 << 20,
	ERROR_TREE_MAX = 64 << 20,
	SILENCE_MS = 90 * 1000, /* the server sends a comment after 15 s of silence */
};

/* --file @PATH without a name: the bytes are the body. */
static const char *raw_file(const struct args *args)
{
	const char *file = args_value(args, "file");

	return file && file[0] == '@' ? file + 1 : NULL;
}

static int open_raw(struct cli *cli, const struct json *op, const struct args *args, const char *path)
{
	struct upload_fd u;
	AUTOCLOSE int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	AUTOBUF struct buf target;
	AUTOFREE char *id = NULL, *method = NULL;
	struct api_request request = { .upload = &u.upload };
	struct str route = reply_text(op, "path");
	unsigned mode;

	buf_init(&target, TARGET_MAX);
	if (fd < 0)
		return problem_errno(&cli->problem, errno, "cannot read '%s'", path);
	if (!reply_bool(json_get(op, "raw"), "request", false) || str_has(route, '{'))
		return problem_set(
			&cli->problem, EXIT_USAGE, "the op takes no bytes as its body; --file wants NAME=@PATH");
	buf_add(&target, route.p, route.len);
	if (catalog_op_query(cli, args, &target) < 0 || upload_fd_init(&u, fd, path, true, &mode, &cli->problem) < 0)
		return -1;
	id = strndup(reply_text(op, "id").p, reply_text(op, "id").len);
	method = strndup(reply_text(op, "method").p, reply_text(op, "method").len);
	request.op = id;
	request.method = method;
	request.target = buf_str(&target);
	return api_open(&cli->api, &request, &cli->problem);
}

static int open_json(struct cli *cli, const struct json *op, const struct args *args)
{
	struct str kind = reply_text(op, "kind"), media = reply_text(json_get(op, "raw"), "media_type");
	AUTOBUF struct buf body;
	AUTOFREE char *id = strndup(reply_text(op, "id").p, reply_text(op, "id").len);
	char accept[128] = "application/json";

	buf_init(&body, ARGS_MAX);
	if (catalog_op_args(cli, op, args, &body) < 0)
		return -1;
	if (str_is(kind, "ws"))
		return problem_set(&cli->problem, EXIT_USAGE, "'%s' is a WebSocket, which call does not speak", id);
	if (str_is(kind, "sse"))
		snprintf(accept, sizeof accept, "text/event-stream");
	else if (!cli->json && reply_bool(json_get(op, "raw"), "response", false) && media.len &&
		 media.len < sizeof accept)
		snprintf(accept, sizeof accept, STR_FMT, STR_ARG(media));
	return api_open_op(&cli->api, id, buf_str(&body), accept, catalog_op_is_read(op), &cli->problem);
}

struct events {
	struct cli *cli;
	const struct json *op;
	bool ended;  /* a final event was seen */
	bool failed; /* an error event was: cli->problem says which */
};

static bool is_final(const struct json *op, struct str name, bool *ret_has_final)
{
	bool found = false;

	for (const struct json *e = reply_list(op, "events"); e; e = e->next) {
		if (!reply_bool(e, "final", false))
			continue;
		*ret_has_final = true;
		found = found || str_eq(reply_text(e, "event"), name);
	}
	return found;
}

static void on_error_event(struct events *events, struct buf *data)
{
	struct json *value = NULL;
	struct json_error where;
	struct arena arena;

	arena_init(&arena, ERROR_TREE_MAX);
	events->failed = json_parse(&arena, data->data, data->len, &value, &where) == 0 &&
			 problem_from_json(&events->cli->problem, events->cli->api.op, value);
	arena_free(&arena);
}

static int on_event(struct events *events, struct sse_reader *reader)
{
	struct str name = buf_str(&reader->event);
	bool has_final = false;
	int failed = event_line_print(events->cli, reader);

	events->ended = events->ended || is_final(events->op, name, &has_final);
	if (str_is(name, "error"))
		on_error_event(events, &reader->data);
	return failed;
}

static int feed(struct events *events, struct sse_reader *reader, struct str bytes)
{
	while (bytes.len) {
		size_t taken = 0;
		int complete = sse_reader_feed(reader, bytes, &taken);

		if (complete < 0)
			return problem_set(&events->cli->problem, EXIT_OTHER,
				"an event of the stream is larger than %d bytes", EVENT_MAX);
		if (complete > 0 && on_event(events, reader) < 0)
			return -1;
		bytes.p += taken;
		bytes.len -= taken;
	}
	return 0;
}

static int print_events(struct cli *cli, const struct json *op)
{
	struct events events = { .cli = cli, .op = op };
	struct sse_reader reader;
	struct str bytes;
	bool has_final = false;
	int more = 1;

	cli->api.http.idle_ms = SILENCE_MS;
	sse_reader_init(&reader, EVENT_MAX);
	while (more > 0 && (more = http_client_read(&cli->api.http, &bytes, &cli->problem)) > 0) {
		if (feed(&events, &reader, bytes) < 0)
			more = -1;
	}
	sse_reader_free(&reader);
	if (more < 0 || events.failed)
		return -1;
	is_final(op, STR(""), &has_final);
	if (has_final && !events.ended)
		return problem_set(&cli->problem, EXIT_OTHER, "the stream ended without its last event");
	return EXIT_OK;
}

static int print_bytes(struct cli *cli)
{
	struct http_client *http = &cli->api.http;
	struct str bytes;
	int more;

	while ((more = http_client_read(http, &bytes, &cli->problem)) > 0) {
		if (cli_write(cli, STDOUT_FILENO, bytes) < 0)
			return -1;
	}
	return more;
}

static int call(struct cli *cli, struct args *args)
{
	AUTOREPLY struct reply described = { 0 }, reply = { 0 };
	const char *file = raw_file(args);
	const struct json *op;

	if (catalog_op_get(cli, args->words[0], &described, &op) < 0)
		return -1;
	if ((file ? open_raw(cli, op, args, file) : open_json(cli, op, args)) < 0)
		return -1;
	if (response_is_type(&cli->api.http.response, "text/event-stream"))
		return print_events(cli, op);
	if (!response_is_type(&cli->api.http.response, "application/json"))
		return print_bytes(cli);
	if (api_finish(&cli->api, &reply, &cli->problem) < 0)
		return -1;
	return cli_print_json(cli, &reply);
}

static const struct flag flags[] = {
	{ 'a', "arg", "K=V", "an argument, converted by the op's own types; may be repeated, for lists too" },
	{ 'j', "json", "OBJECT", "arguments as JSON; --arg and --file replace its members" },
	{ 'f', "file", "K=@PATH",
		"an argument from a file ('-': standard input); @PATH alone: the body of an op that takes bytes" },
	FLAGS_END,
};

const struct command cli_server_call = {
	.name = "server call",
	.usage = "OP",
	.summary = "call any op",
	.text = "JSON is printed as it came, bytes as they are, events as they come, one JSON line each.\n"
		"An op that can give bytes gives JSON instead with 'abx --json server call'.\n",
	.flags = flags,
	.least = 1,
	.most = 1,
	.run = call,
};
