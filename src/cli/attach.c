/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/attach.h"

#include "base/clock.h"
#include "cli/interrupt.h"
#include "cli/raw_term.h"
#include "cli/replay.h"
#include "cli/run_stream.h"
#include "cli/show.h"
#include "cli/ws_client.h"
#include "wire/url.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum {
	BODY_MAX = 64 << 20,
	TARGET_MAX = 4096,
	TREE_MAX = 1 << 20,
	TEXT_MAX = 128 * 1024,
	KEYS = 16 * 1024,
	KEYS_WAITING = 256 * 1024, /* not sent yet; more stays in our own terminal */
	SIZE_MAX_CELLS = 1000,
	SILENCE_S = 70, /* the server pings after 20 s of it */
	SETTLE_MS = 5000,
	DELETE_MS = 5000,
	END_AGAIN_MS = 1000,
};
#define END_OF_FILE "\004" /* Ctrl-D, as the terminal reads it */

struct attach {
	struct cli *cli;
	struct ws_client ws;
	struct str id;
	struct raw_term term;
	struct replay replay;
	bool is_old, replaying; /* the session is not new; what comes was shown to somebody before */
	bool has_input, attached, refused, ended, detached; /* refused: the server has closed */
	bool line_start, tilde;                             /* where the keys are, for "~." */
	int exit_code;
	int64_t end_told_ns; /* when the end of our input was sent last; 0 before it */
};

static bool window_size(struct winsize *ret_size)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (ioctl(fd, TIOCGWINSZ, ret_size) == 0 && ret_size->ws_col && ret_size->ws_row) {
			ret_size->ws_col = MIN(ret_size->ws_col, SIZE_MAX_CELLS);
			ret_size->ws_row = MIN(ret_size->ws_row, SIZE_MAX_CELLS);
			return true;
		}
	}
	return false;
}

static int send_size(struct attach *a)
{
	struct winsize size;
	char text[96];

	if (!window_size(&size))
		return 0;
	snprintf(text, sizeof text, "{\"type\":\"resize\",\"cols\":%d,\"rows\":%d}", size.ws_col, size.ws_row);
	return ws_client_send(&a->ws, WS_TEXT, str_of(text), &a->cli->problem);
}

/* Takes "~." and "~~" out of the keys; what is left is sent. */
static int send_keys(struct attach *a, struct str keys)
{
	char out[2 * KEYS];
	size_t len = 0;

	for (size_t i = 0; i < keys.len && !a->detached; i++) {
		char c = keys.p[i];
		bool escaped = a->tilde;

		a->tilde = a->term.is_raw && !escaped && a->line_start && c == '~';
		if (a->tilde)
			continue;
		a->detached = escaped && c == '.';
		if (escaped && c != '.' && c != '~')
			out[len++] = '~';
		if (!a->detached)
			out[len++] = c;
		a->line_start = c == '\r' || c == '\n';
	}
	return len ? ws_client_send(&a->ws, WS_BINARY, (struct str){ out, len }, &a->cli->problem) : 0;
}

/*
 * A terminal forgets an end that comes before a shell sets it up for its line editor, so it is sent again until all
 * has ended.  In a line that is not empty the first one hands over the line; an editor heeds none there: then the line is ended.
 */
static int send_end(struct attach *a)
{
	struct str end = STR(END_OF_FILE);

	if (!a->line_start)
		end = a->end_told_ns ? STR("\r" END_OF_FILE) : STR(END_OF_FILE END_OF_FILE);
	a->line_start |= a->end_told_ns != 0;
	a->end_told_ns = clock_now_ns();
	return ws_client_send(&a->ws, WS_BINARY, end, &a->cli->problem);
}

static bool is_end_due(const struct attach *a)
{
	return a->end_told_ns && !a->ws.out.len && clock_now_ns() - a->end_told_ns >= END_AGAIN_MS * NS_PER_MS;
}

static int on_keys(struct attach *a)
{
	char keys[KEYS];
	ssize_t got = read(STDIN_FILENO, keys, sizeof keys);

	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (got > 0)
		return send_keys(a, (struct str){ keys, (size_t)got });
	a->has_input = false;
	return send_end(a);
}

static int show(struct attach *a, struct str bytes)
{
	raw_term_shown(&a->term, bytes);
	return cli_write(a->cli, STDOUT_FILENO, bytes);
}

static int on_output(struct attach *a, struct str bytes)
{
	AUTOBUF struct buf text;

	buf_init(&text, bytes.len + REPLAY_HELD_MAX + 1);
	if (!a->replaying)
		return show(a, bytes);
	replay_feed(&a->replay, bytes, &text);
	return show(a, buf_str(&text));
}

static int end_replay(struct attach *a)
{
	AUTOBUF struct buf text;

	a->replaying = false;
	buf_init(&text, REPLAY_HELD_MAX + 1);
	replay_end(&a->replay, &text);
	return show(a, buf_str(&text));
}

static int on_event(struct attach *a, const struct json *data)
{
	struct str event = reply_text(data, "event");

	if (str_is(event, "replay"))
		a->replaying = a->is_old;
	else if (str_is(event, "live") && a->replaying)
		return end_replay(a);
	else if (str_is(event, "exited")) {
		a->ended = true;
		a->exit_code = (int)reply_int(data, "exit_code", EXIT_OURS);
	}
	return 0;
}

static int on_text(struct attach *a, struct str payload)
{
	AUTOBUF struct buf text;
	struct json *data = NULL;
	struct json_error where;
	struct arena arena;
	int failed = 0;

	buf_init(&text, TEXT_MAX);
	buf_add(&text, payload.p, payload.len);
	arena_init(&arena, TREE_MAX);
	if (buf_failed(&text) || json_parse(&arena, text.data, text.len, &data, &where) < 0)
		failed = problem_set(&a->cli->problem, EXIT_OTHER, "a message of the terminal is not JSON");
	else
		failed = on_event(a, data);
	arena_free(&arena);
	return failed;
}

static int on_close(struct attach *a, struct str payload)
{
	struct str reason = { 0 };
	int code = ws_close_parse(payload, &reason);

	a->refused = true;
	if (str_is(reason, "terminal.not_found"))
		return problem_set(
			&a->cli->problem, EXIT_NOT_FOUND, "no such terminal session: " STR_FMT, STR_ARG(a->id));
	if (code < 0)
		return problem_set(&a->cli->problem, EXIT_OTHER,
			"the server's WebSocket is malformed: its close frame has no meaning");
	return problem_set(&a->cli->problem, EXIT_OTHER,
		"the server closed the terminal's connection (%d%s" STR_FMT ")", code, reason.len ? ": " : "",
		STR_ARG(reason));
}

static int on_bytes(struct attach *a)
{
	enum ws_opcode opcode;
	struct str payload;
	int more = ws_client_receive(&a->ws, &a->cli->problem);

	if (more < 0)
		return -1;
	while (!a->ended && (more = ws_client_next(&a->ws, &opcode, &payload, &a->cli->problem)) > 0) {
		if (opcode == WS_CLOSE)
			return on_close(a, payload);
		if ((opcode == WS_TEXT ? on_text(a, payload) : on_output(a, payload)) < 0)
			return -1;
	}
	if (more == 0 && a->ws.ended && !a->ended)
		return problem_set(&a->cli->problem, EXIT_OTHER, "the connection to the terminal broke");
	return more < 0 ? -1 : 0;
}

/* The window has another size, or we were stopped and go on. */
static int on_signal(struct attach *a, int fd)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof info) == (ssize_t)sizeof info) {
		if (info.ssi_signo == SIGCONT)
			raw_term_again(&a->term);
	}
	return send_size(a);
}

static int on_silence(struct attach *a)
{
	if (clock_now_ns() - a->ws.heard_ns < SILENCE_S * NS_PER_S)
		return 0;
	return problem_set(&a->cli->problem, EXIT_OTHER, "the server has been silent for too long");
}

static int step(struct attach *a, int signal_fd)
{
	struct pollfd fds[] = {
		{ .fd = ws_client_fd(&a->ws), .events = (short)(POLLIN | (a->ws.out.len ? POLLOUT : 0)) },
		{ .fd = a->has_input && a->ws.out.len < KEYS_WAITING ? STDIN_FILENO : -1, .events = POLLIN },
		{ .fd = signal_fd, .events = POLLIN },
		{ .fd = interrupt_fd(), .events = POLLIN },
	};

	if (poll(fds, ARRAY_LEN(fds), a->end_told_ns ? END_AGAIN_MS : SILENCE_S * 1000) < 0 && errno != EINTR)
		return problem_errno(&a->cli->problem, errno, "cannot wait for the terminal");
	if (interrupt_seen())
		return problem_set(&a->cli->problem, EXIT_INTERRUPTED, "interrupted");
	if (fds[0].revents & ~POLLOUT && on_bytes(a) < 0)
		return -1;
	if (fds[1].revents && on_keys(a) < 0)
		return -1;
	if (fds[2].revents && on_signal(a, signal_fd) < 0)
		return -1;
	if (on_silence(a) < 0 || (is_end_due(a) && send_end(a) < 0))
		return -1;
	return a->ended ? 0 : ws_client_flush(&a->ws, &a->cli->problem);
}

static int play(struct attach *a)
{
	sigset_t signals;
	AUTOCLOSE int fd = -1;
	int failed = 0;

	sigemptyset(&signals);
	sigaddset(&signals, SIGWINCH);
	sigaddset(&signals, SIGCONT);
	if (sigprocmask(SIG_BLOCK, &signals, NULL) < 0 || (fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK)) < 0)
		return problem_errno(&a->cli->problem, errno, "cannot watch the size of the terminal");
	failed = send_size(a);
	/* The first bytes may have come together with the answer. */
	if (failed == 0)
		failed = on_bytes(a);
	while (failed == 0 && !a->ended && !a->detached)
		failed = step(a, fd);
	return failed;
}

static int run(struct attach *a)
{
	int failed;

	raw_term_start(&a->term);
	failed = play(a);
	raw_term_stop(&a->term);
	if (failed == 0 || a->cli->problem.exit_code == EXIT_INTERRUPTED)
		ws_client_close(&a->ws, WS_CLOSE_NORMAL);
	if (failed < 0)
		return -1;
	if (a->detached && !a->cli->quiet)
		fprintf(stderr, "\nabx: detached; 'abx shell " STR_FMT "' comes back\n", STR_ARG(a->id));
	return a->detached ? EXIT_OK : a->exit_code;
}

static int attach(struct attach *a)
{
	AUTOBUF struct buf target;
	struct api *api = cli_api(a->cli);
	int code;

	buf_init(&target, TARGET_MAX);
	buf_adds(&target, "/pty?session_id=");
	url_encode(&target, a->id, false);
	if (buf_failed(&target))
		return problem_set(&a->cli->problem, EXIT_USAGE, "the session's name is too long");
	if (!api)
		return -1;
	code = ws_client_open(&a->ws, api, "terminal.connect", buf_str(&target), "abx.pty.binary", &a->cli->problem);
	a->attached = code == 0;
	if (code == 0)
		code = run(a);
	ws_client_free(&a->ws);
	return code;
}

int attach_session(struct cli *cli, struct str id)
{
	struct attach a = { .cli = cli, .id = id, .is_old = true, .has_input = true, .line_start = true };

	return attach(&a);
}

/* Who interrupts this waits for its answer, or presses Ctrl-C again: a session that was made has to be known to be ended. */
static int create(struct api *api, struct str body, struct reply *ret_reply, struct problem *p)
{
	int status;

	api->http.settle_ms = SETTLE_MS;
	status = api_call(api, "terminal.create", body, false, ret_reply, p);
	api->http.settle_ms = 0;
	return status < 0 ? -1 : reply_parse(api, ret_reply, p);
}

/* A session that nobody knows how to come back to must not stay: once more, whatever has gone wrong before. */
static void delete_session(struct attach *a)
{
	AUTOREPLY struct reply reply = { 0 };
	AUTOBUF struct buf body;
	struct problem ignored = { 0 };
	struct api *api = &a->cli->api;
	struct json_writer w;

	buf_init(&body, TARGET_MAX);
	json_write_init(&w, &body);
	json_object_begin(&w);
	json_key(&w, "id");
	json_text(&w, a->id);
	json_object_end(&w);
	interrupt_forget();
	http_client_close(&api->http);
	api->http.interrupted = false;
	api->http.head_ms = api->http.idle_ms = DELETE_MS;
	if (!buf_failed(&body) && api_call(api, "terminal.delete", buf_str(&body), false, &reply, &ignored) < 0) {
		/* It ends by itself when it has been idle for long. */
	}
}

/* A shell whose connection is lost lives on. */
static void tell_way_back(struct attach *a)
{
	struct problem *p = &a->cli->problem;
	size_t len = strlen(p->text);

	if (p->exit_code != EXIT_INTERRUPTED)
		snprintf(p->text + len, sizeof p->text - len, "; 'abx shell " STR_FMT "' comes back", STR_ARG(a->id));
	else if (!a->cli->quiet)
		fprintf(stderr, "\nabx: interrupted; 'abx shell " STR_FMT "' comes back\n", STR_ARG(a->id));
}

static int make_body(struct buf *body, const struct args *args, const char *line, struct problem *p)
{
	const char *dir = args_value(args, "workdir");
	struct winsize size;
	struct json_writer w;

	json_write_init(&w, body);
	json_object_begin(&w);
	if ((line || args->word_count) && run_stream_command(&w, args, line, p) < 0)
		return -1;
	if (run_stream_env(&w, args, p) < 0)
		return -1;
	if (dir)
		api_path(&w, "cwd", str_of(dir));
	if (window_size(&size)) {
		json_key(&w, "cols");
		json_int(&w, size.ws_col);
		json_key(&w, "rows");
		json_int(&w, size.ws_row);
	}
	json_object_end(&w);
	return buf_failed(body) ? problem_set(p, EXIT_USAGE, "the command is too large") : 0;
}

int attach_new(struct cli *cli, const struct args *args, const char *line)
{
	AUTOREPLY struct reply reply = { 0 };
	AUTOBUF struct buf body;
	struct api *api = cli_api(cli);
	struct attach a = { .cli = cli, .has_input = !args_has(args, "no-stdin"), .line_start = true };
	int code;

	buf_init(&body, BODY_MAX);
	if (args_has(args, "timeout"))
		return problem_set(&cli->problem, EXIT_USAGE, "--timeout and --tty do not go together");
	if (!api || make_body(&body, args, line, &cli->problem) < 0)
		return -1;
	if (create(api, buf_str(&body), &reply, &cli->problem) < 0)
		return -1;
	a.id = reply_text(reply.value, "session_id");
	code = api->http.interrupted ? problem_set(&cli->problem, EXIT_INTERRUPTED, "interrupted") : attach(&a);
	if (code < 0 && (args_has(args, "tty") || !a.attached))
		delete_session(&a);
	else if (code < 0 && !a.refused)
		tell_way_back(&a);
	return code;
}
