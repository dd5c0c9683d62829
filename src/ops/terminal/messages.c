/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/terminal/messages.h"

#include "base/json.h"
#include "ops/terminal/terminal.h"

#include <signal.h>

struct input_message {
	const char *type;
	struct str data;
};

struct resize_message {
	const char *type;
	int64_t cols, rows;
};

struct signal_message {
	const char *type, *signal;
};

static const struct field input_rows[] = {
	R_STRING(struct input_message, type, "\"input\"."),
	R_TEXT(struct input_message, data, "What is typed."),
	FIELDS_END,
};

static const struct field resize_rows[] = {
	R_STRING(struct resize_message, type, "\"resize\"."),
	R_INT(struct resize_message, cols, "Columns, 1 to 1000."),
	R_INT(struct resize_message, rows, "Rows, 1 to 1000."),
	FIELDS_END,
};

static const struct field signal_rows[] = {
	R_STRING(struct signal_message, type, "\"signal\"."),
	R_STRING(struct signal_message, signal, "SIGINT, SIGTERM, SIGKILL, SIGHUP or SIGQUIT."),
	FIELDS_END,
};

static const struct field output_rows[] = {
	R_STRING(struct output_message, type, "\"output\"."),
	R_TEXT(struct output_message, data, "What the program wrote; never a part of a character."),
	R_FLAG(struct output_message, lossy, "Bytes that are not UTF-8 were replaced: abx.pty.binary gives them."),
	FIELDS_END,
};

static const struct field started_rows[] = {
	R_STRING(struct started_message, type, "\"event\"."),
	R_STRING(struct started_message, event, "\"started\"."),
	R_STRING(struct started_message, session_id, "The session's id."),
	R_INT(struct started_message, pid, "Process id of its program."),
	R_INT(struct started_message, cols, "Columns."),
	R_INT(struct started_message, rows, "Rows."),
	FIELDS_END,
};

static const struct field replay_rows[] = {
	R_STRING(struct replay_message, type, "\"event\"."),
	R_STRING(struct replay_message, event, "\"replay\"."),
	R_INT(struct replay_message, bytes, "How many bytes of output come before \"live\"."),
	R_INT(struct replay_message, dropped, "How many bytes before these are not kept any more."),
	FIELDS_END,
};

static const struct field live_rows[] = {
	R_STRING(struct live_message, type, "\"event\"."),
	R_STRING(struct live_message, event, "\"live\"."),
	FIELDS_END,
};

static const struct field gap_rows[] = {
	R_STRING(struct gap_message, type, "\"event\"."),
	R_STRING(struct gap_message, event, "\"gap\"."),
	R_INT(struct gap_message, from,
		"Offset of the first byte that is missing, counted from the start of the session."),
	R_INT(struct gap_message, to, "Offset where the output goes on."),
	R_INT(struct gap_message, dropped, "How many bytes lie between."),
	FIELDS_END,
};

static const struct field exited_rows[] = {
	R_STRING(struct exited_message, type, "\"event\"."),
	R_STRING(struct exited_message, event, "\"exited\"."),
	R_STRING(struct exited_message, session_id, "The session's id."),
	R_INT(struct exited_message, exit_code, "Its exit code; 128 and N when signal N ended it."),
	R_OPT_STRING(struct exited_message, signal, "The signal that ended it."),
	FIELDS_END,
};

static const struct event client_messages[] = {
	[MESSAGE_INPUT] = { .name = "input",
		.fields = input_rows,
		.size = sizeof(struct input_message),
		.text = "Typed into the terminal." },
	[MESSAGE_RESIZE] = { .name = "resize",
		.fields = resize_rows,
		.size = sizeof(struct resize_message),
		.text = "Changes the size of the terminal." },
	[MESSAGE_SIGNAL] = { .name = "signal",
		.fields = signal_rows,
		.size = sizeof(struct signal_message),
		.text = "To the process group in the foreground." },
	{ .name = NULL },
};

static const struct event server_messages[] = {
	[MESSAGE_OUTPUT] = { .name = "output",
		.fields = output_rows,
		.size = sizeof(struct output_message),
		.text = "Output; a binary frame instead with abx.pty.binary." },
	[MESSAGE_STARTED] = { .name = "started",
		.fields = started_rows,
		.size = sizeof(struct started_message),
		.text = "The first message." },
	[MESSAGE_REPLAY] = { .name = "replay",
		.fields = replay_rows,
		.size = sizeof(struct replay_message),
		.text = "What was kept of the output follows: nothing in it is to be answered." },
	[MESSAGE_LIVE] = { .name = "live",
		.fields = live_rows,
		.size = sizeof(struct live_message),
		.text = "From here on output comes as it is written." },
	[MESSAGE_GAP] = { .name = "gap",
		.fields = gap_rows,
		.size = sizeof(struct gap_message),
		.text = "The client read too slowly: output is missing here." },
	[MESSAGE_EXITED] = { .name = "exited",
		.fields = exited_rows,
		.size = sizeof(struct exited_message),
		.final = true,
		.text = "The program has ended and this was the last of its output; the connection closes with 1000." },
	{ .name = NULL },
};

static const char *const subprotocols[] = { "abx.pty.json", "abx.pty.binary", NULL };

const struct socket_shape messages_shape = { client_messages, server_messages, subprotocols };

static bool get_side(const struct json *object, const char *name, unsigned *ret_value)
{
	const struct json *value = json_get(object, name);

	if (!value || value->type != JSON_NUMBER || !value->is_integer || value->integer < 1 ||
		value->integer > TERMINAL_SIDE_MAX)
		return false;
	*ret_value = (unsigned)value->integer;
	return true;
}

static bool get_signal(const struct json *object, int *ret_number)
{
	static const struct {
		const char *name;
		int number;
	} signals[] = { { "INT", SIGINT }, { "TERM", SIGTERM }, { "KILL", SIGKILL }, { "HUP", SIGHUP },
		{ "QUIT", SIGQUIT } };
	const struct json *value = json_get(object, "signal");
	struct str name;

	if (!value || value->type != JSON_STRING)
		return false;
	name = value->text;
	if (str_starts(name, "SIG"))
		name = (struct str){ name.p + 3, name.len - 3 };
	for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
		if (str_is(name, signals[i].name)) {
			*ret_number = signals[i].number;
			return true;
		}
	}
	return false;
}

static bool get_members(const struct json *object, int which, struct client_message *m)
{
	const struct json *data;

	switch (which) {
	case MESSAGE_INPUT:
		data = json_get(object, "data");
		if (!data || data->type != JSON_STRING)
			return false;
		m->data = data->text;
		return true;
	case MESSAGE_RESIZE:
		return get_side(object, "cols", &m->columns) && get_side(object, "rows", &m->rows);
	default:
		return get_signal(object, &m->signal);
	}
}

int message_read(struct arena *arena, char *text, size_t len, struct client_message *ret_message)
{
	const struct json *type;
	struct json_error problem;
	struct json *object;

	if (json_parse(arena, text, len, &object, &problem) < 0)
		return -1;
	type = json_get(object, "type");
	for (int i = MESSAGE_INPUT; type && type->type == JSON_STRING && i <= MESSAGE_SIGNAL; i++) {
		if (str_is(type->text, client_messages[i].name))
			return get_members(object, i, ret_message) ? i : -1;
	}
	return -1;
}
