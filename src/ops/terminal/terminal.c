/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/terminal/terminal.h"

#include "base/clock.h"
#include "call/counters.h"
#include "ops/terminal/viewer.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

enum { ENDED_MAX = 10 /* kept */ };

#define FORGET_NS (60 * NS_PER_S)
/* From the hang-up of a session that is deleted to SIGKILL. */
#define DELETE_GRACE_NS (200 * NS_PER_MS)
#define IDLE_GRACE_NS (2 * NS_PER_S)
/* How long the size differs, so that a program sees the change and redraws (R105). */
#define NUDGE_NS (20 * NS_PER_MS)

static struct list_node all = { &all, &all }; /* every session; those that are deleted until they are gone */

const struct field terminal_info_rows[] = {
	R_STRING(struct terminal_info, id, "The session's id."),
	R_INT(struct terminal_info, pid, "Process id of its program."),
	R_STRING(struct terminal_info, created_at, "When it was created."),
	R_INT(struct terminal_info, cols, "Columns."),
	R_INT(struct terminal_info, rows, "Rows."),
	R_BOOL(struct terminal_info, alive, "Whether its program still runs."),
	R_INT(struct terminal_info, clients, "How many are attached."),
	R_NULL_INT(
		struct terminal_info, exit_code, "How it ended; 128 and N when signal N ended it; null while it runs."),
	R_OPT_STRING(struct terminal_info, signal, "The signal that ended it."),
	FIELDS_END,
};

void terminal_describe(const struct terminal *t, struct terminal_info *ret_info)
{
	*ret_info = (struct terminal_info){
		.id = t->id,
		.created_at = t->created_at,
		.pid = t->pid,
		.cols = t->columns,
		.rows = t->rows,
		.clients = (int64_t)t->viewer_count,
		.alive = !t->exited,
		.exit_code = { t->exited, t->exit.code },
		.signal = t->exited ? (t->signal[0] ? t->signal : NULL) : NULL,
	};
}

struct terminal *terminal_find(const char *id)
{
	LIST_EACH(node, &all)
	{
		struct terminal *t = OWNER(node, struct terminal, node);

		if (!t->deleting && strcmp(t->id, id) == 0)
			return t;
	}
	return NULL;
}

const struct terminal *terminal_next(const struct terminal *t)
{
	const struct list_node *node = t ? t->node.next : all.next;

	while (node != &all && OWNER(node, const struct terminal, node)->deleting)
		node = node->next;
	return node == &all ? NULL : OWNER(node, const struct terminal, node);
}

struct terminal *terminal_get(struct call *call, const char *id)
{
	struct terminal *t = terminal_find(id);

	if (!t)
		err_set(&call->err, ERR_TERMINAL_NOT_FOUND, "no terminal session '%.40s'", id);
	return t;
}

static void terminal_free(struct terminal *t)
{
	tree_free(t->tree);
	line_stop(&t->line);
	scrollback_free(&t->scrollback);
	timer_free(&t->idle);
	timer_free(&t->forget);
	timer_free(&t->nudge);
	free(t);
}

/* No session any more: those who watch are told the end, and the last one of them takes it along. */
static void terminal_remove(struct terminal *t)
{
	list_remove(&t->node);
	t->removed = true;
	timer_stop(&t->idle);
	timer_stop(&t->forget);
	if (t->viewer_count == 0)
		terminal_free(t);
}

static void on_forget(struct timer *timer)
{
	terminal_remove(OWNER(timer, struct terminal, forget));
}

static void begin_forgetting(struct terminal *t)
{
	if (t->ended && !t->removed && !t->deleting && t->viewer_count == 0)
		timer_start(&t->forget, t->loop, FORGET_NS, on_forget);
}

/* When too many have ended the one goes that nobody watches and that did so first; not `but`, which has just ended. */
static void limit_ended(const struct terminal *but)
{
	struct terminal *oldest = NULL;
	size_t count = 0;

	LIST_EACH(node, &all)
	{
		struct terminal *t = OWNER(node, struct terminal, node);

		count += t->ended;
		if (t == but || !t->ended || t->deleting || t->viewer_count)
			continue;
		if (!oldest || t->ended_ns < oldest->ended_ns)
			oldest = t;
	}
	if (count > ENDED_MAX && oldest)
		terminal_remove(oldest);
}

static void end_nudge(struct terminal *t)
{
	if (!timer_running(&t->nudge))
		return;
	timer_stop(&t->nudge);
	line_resize(&t->line, t->columns, t->rows);
}

/* Nothing more will be read. */
static void terminal_ended(struct terminal *t)
{
	if (t->ended)
		return;
	t->ended = true;
	counters_add(GAUGE_SESSIONS, -1);
	t->ended_ns = clock_now_ns();
	timer_stop(&t->idle);
	timer_stop(&t->nudge);
	line_stop(&t->line);
	journal_close(t->scrollback.journal); /* wakes the viewers */
	begin_forgetting(t);
	limit_ended(t);
}

static void on_exit_of(struct tree *tree, const struct tree_exit *exit, void *user)
{
	struct terminal *t = user;

	(void)tree;
	t->exited = true;
	t->exit = *exit;
	command_signal_name(exit->signal, t->signal);
	line_exited(&t->line);
}

static void deleted(struct terminal *t)
{
	struct terminal_deleted out = { "closed", t->id };

	terminal_ended(t);
	call_reply(t->deleting, &out);
	terminal_remove(t);
}

/* Of a session that is deleted, or was idle. */
static void on_gone(struct tree *tree, void *user)
{
	struct terminal *t = user;

	(void)tree;
	t->gone = true;
	if (!t->exited)
		on_exit_of(tree, &(struct tree_exit){ .code = 128 + SIGKILL, .signal = SIGKILL }, t);
	if (t->deleting)
		deleted(t);
}

static void on_output(struct line *l, struct str bytes)
{
	struct terminal *t = OWNER(l, struct terminal, line);
	uint64_t slowest = UINT64_MAX;

	LIST_EACH(node, &t->viewers)
	slowest = MIN(slowest, viewer_wants(node));
	scrollback_append(&t->scrollback, bytes, slowest);
}

static void on_room(struct line *l)
{
	LIST_EACH(node, &OWNER(l, struct terminal, line)->viewers)
	viewer_resume(node);
}

static void on_end(struct line *l)
{
	terminal_ended(OWNER(l, struct terminal, line));
}

static const struct line_events line_events = { .on_output = on_output, .on_room = on_room, .on_end = on_end };
static const struct tree_events tree_events = { .on_exit = on_exit_of, .on_gone = on_gone };

/* A shell ends when its terminal hangs up, and passes it on; who does not listen is ended by tree_end(). */
static void hang_up(struct terminal *t, int64_t grace_ns)
{
	if (tree_signal(t->tree, SIGHUP, true) == 0 && tree_signal(t->tree, SIGCONT, true) == 0)
		tree_end(t->tree, grace_ns);
	else
		tree_end(t->tree, 0); /* only strangers to it, or nobody */
}

static void on_idle(struct timer *timer)
{
	struct terminal *t = OWNER(timer, struct terminal, idle);
	int64_t left = t->scrollback.last_ns + t->idle_ns - clock_now_ns();

	if (left > 0)
		timer_start(timer, t->loop, left, on_idle);
	else
		hang_up(t, IDLE_GRACE_NS);
}

static void begin_idling(struct terminal *t)
{
	if (t->idle_ns && !t->ended && !t->deleting && !t->removed && t->viewer_count == 0)
		timer_start(&t->idle, t->loop, t->idle_ns, on_idle);
}

static int make_id(struct call *call, char id[static TERMINAL_ID_SIZE])
{
	uint8_t bytes[(TERMINAL_ID_SIZE - 2) / 2];

	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		return err_set(&call->err, ERR_INTERNAL, "no random numbers");
	id[0] = 't';
	for (size_t i = 0; i < sizeof bytes; i++)
		snprintf(id + 1 + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

static int check_count(struct call *call)
{
	int64_t count = 0, max = call_limit(call, "max_sessions");

	LIST_EACH(node, &all)
	count += !OWNER(node, struct terminal, node)->ended;
	if (count < max)
		return 0;
	return call_over_limit(call, "max_sessions", &call->err,
		"%lld terminal sessions are open, as many as max_sessions allows", (long long)count);
}

static struct terminal *terminal_new(struct call *call, const struct command *command)
{
	struct terminal *t = mem_new(struct terminal);

	t->loop = call->loop;
	t->columns = command->columns;
	t->rows = command->rows;
	t->line.fd = -1;
	t->idle_ns = call_limit(call, "idle_timeout") * NS_PER_S;
	clock_text_now(t->created_at);
	list_init(&t->node);
	list_init(&t->viewers);
	return t;
}

struct terminal *terminal_start(struct call *call, const struct command *command, size_t scrollback_bytes)
{
	struct terminal *t;
	struct child child;

	if (check_count(call) < 0)
		return NULL;
	t = terminal_new(call, command);
	if (make_id(call, t->id) == 0)
		t->tree = command_start(call, command, COMMAND_HAS_TERMINAL, &tree_events, t, &child);
	if (!t->tree) {
		free(t);
		return NULL;
	}
	close_fd(child.out); /* the same as in */
	t->pid = child.pid;
	scrollback_init(&t->scrollback, scrollback_bytes);
	t->scrollback.last_ns = clock_now_ns();
	line_start(&t->line, t->loop, child.in, &line_events);
	list_append(&all, &t->node);
	counters_add(GAUGE_SESSIONS, 1);
	begin_idling(t);
	return t;
}

int terminal_resize(struct terminal *t, unsigned columns, unsigned rows, struct err *err)
{
	if (t->exited)
		return err_set(err, ERR_TERMINAL_CLOSED, "the terminal session '%s' has ended", t->id);
	timer_stop(&t->nudge);
	t->columns = columns;
	t->rows = rows;
	line_resize(&t->line, columns, rows);
	return 0;
}

void terminal_signal(struct terminal *t, int number)
{
	pid_t group = line_foreground(&t->line);

	/* 0 and 1 mean others to kill(). */
	if (!t->exited && group > 1)
		kill(-group, number);
}

bool terminal_input(struct terminal *t, struct str bytes)
{
	/* What is typed sees the true size. */
	end_nudge(t);
	return t->exited || line_write(&t->line, bytes);
}

static void on_nudge(struct timer *timer)
{
	struct terminal *t = OWNER(timer, struct terminal, nudge);

	line_resize(&t->line, t->columns, t->rows);
}

/* One row less for a moment: programs that draw the whole screen do it again for who has come. */
static void nudge(struct terminal *t)
{
	line_resize(&t->line, t->columns, t->rows > 1 ? t->rows - 1 : 2);
	timer_start(&t->nudge, t->loop, NUDGE_NS, on_nudge);
}

void terminal_attach(struct terminal *t, struct list_node *node)
{
	list_append(&t->viewers, node);
	t->viewer_count++;
	timer_stop(&t->idle);
	timer_stop(&t->forget);
	if (t->watched && !t->exited)
		nudge(t);
	t->watched = true;
}

void terminal_detach(struct terminal *t, struct list_node *node)
{
	list_remove(node);
	t->viewer_count--;
	begin_forgetting(t);
	begin_idling(t);
	if (t->removed && t->viewer_count == 0)
		terminal_free(t);
}

void terminal_delete(struct terminal *t, struct call *call)
{
	timer_stop(&t->idle);
	timer_stop(&t->forget);
	t->deleting = call;
	if (t->gone)
		deleted(t);
	else
		hang_up(t, DELETE_GRACE_NS);
}

void terminal_abandon(struct terminal *t)
{
	hang_up(t, 0);
}

void terminal_hang_up_all(void)
{
	LIST_EACH(node, &all)
	{
		struct terminal *t = OWNER(node, struct terminal, node);

		if (!t->exited && tree_signal(t->tree, SIGHUP, true) == 0)
			t->idle_ns = 0;
	}
}

void terminal_free_all(void)
{
	LIST_EACH(node, &all)
	terminal_remove(OWNER(node, struct terminal, node));
}
