/* SPDX-License-Identifier: Apache-2.0 */
#include "custom/worker.h"

#include "base/clock.h"
#include "custom/lines.h"
#include "custom/manifest.h"
#include "custom/outbox.h"
#include "policy/config.h"
#include "policy/place.h"
#include "policy/policy.h"
#include "program/confine.h"
#include "program/launch.h"
#include "program/running.h"

#include <fcntl.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	LINE_MAX_BYTES = 8 * 1024 * 1024 + 4096, /* an answer with its largest result */
	ARENA_BYTES = 256 * 1024 * 1024,         /* the process's budget ends it far earlier */
	IDLE_LINES_MAX = 1000,                   /* in a row that answer nothing */
	PROBLEM_SIZE = 320,
	PATIENT_FAILURES = 1, /* so many, and new calls still wait for the next start */
};

#define PAUSE_NS (100 * NS_PER_MS) /* before the second start; doubles */
#define PAUSE_MAX_NS (30 * NS_PER_S)
#define GOOD_LIFE_NS (10 * NS_PER_S) /* after so long its end is not counted with those before */
#define MUTE_NS NS_PER_S             /* from closing its output to its exit */
#define CLOSE_NS (2 * NS_PER_S)      /* from end of file to SIGTERM */

const char *const worker_states[] = { [WORKER_STARTING] = "starting",
	[WORKER_READY] = "ready",
	[WORKER_ENDING] = "restarting",
	[WORKER_WAITING] = "restarting",
	[WORKER_CLOSED] = "closed" };

struct worker {
	unsigned refs;
	struct list_node node; /* in the list of all */
	struct loop *loop;
	struct manifest *manifest;
	struct policy *policy; /* that it was made under */
	void (*on_change)(struct worker *w);
	enum worker_state state;
	struct running running;
	bool alive; /* running is */
	struct outbox outbox;
	struct lines lines;
	struct tail tail;
	struct list_node calls;
	uint64_t next_id, describe_id;
	unsigned idle_lines, failures;
	int64_t started_ns;
	struct timer timer; /* to its description, its next start, its end */
	struct description *described;
	bool settled;
	char problem[PROBLEM_SIZE]; /* empty: none */
};

static struct {
	struct list_node list;
	bool ready, ending;
} all;

static void try_to_start(struct worker *w);

static void worker_free(struct worker *w)
{
	if (w->alive) {
		running_free(&w->running);
		outbox_close(&w->outbox);
	}
	lines_free(&w->lines);
	timer_free(&w->timer);
	description_unref(w->described);
	manifest_unref(w->manifest);
	policy_unref(w->policy);
	list_remove(&w->node);
	free(w);
}

static void PRINTF_LIKE(2, 3) set_problem(struct worker *w, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(w->problem, sizeof w->problem, fmt, args);
	va_end(args);
}

static struct worker_call *first_call(struct worker *w, bool sent_or_not)
{
	LIST_EACH(node, &w->calls)
	{
		struct worker_call *c = OWNER(node, struct worker_call, node);

		if (c->sent || sent_or_not)
			return c;
	}
	return NULL;
}

/* From the front each time: answering one may bring a new one, or end another. */
static void fail_calls(struct worker *w, bool all_of_them)
{
	struct worker_call *c;

	while ((c = first_call(w, all_of_them))) {
		list_remove(&c->node);
		buf_free(&c->line);
		c->on_failed(c, w->problem);
	}
}

static void settle(struct worker *w)
{
	w->settled = true;
	if (w->state != WORKER_CLOSED)
		w->on_change(w);
}

static void on_pause_over(struct timer *t)
{
	try_to_start(OWNER(t, struct worker, timer));
}

/* It is gone, or was never there. */
static void pause_and_restart(struct worker *w)
{
	int64_t pause = PAUSE_NS << MIN(w->failures, 16u);

	worker_ref(w); /* the calls may be the last who hold it */
	w->failures++;
	w->state = WORKER_WAITING;
	if (all.ending)
		fail_calls(w, true);
	else
		timer_start(&w->timer, w->loop, MIN(pause, PAUSE_MAX_NS), on_pause_over);
	settle(w);
	worker_unref(w);
}

/* It cannot be trusted any more: it is ended, and with it the calls that it has. */
static void PRINTF_LIKE(2, 3) give_up(struct worker *w, const char *fmt, ...)
{
	bool was_starting = w->state == WORKER_STARTING;
	va_list args;

	if (w->state != WORKER_STARTING && w->state != WORKER_READY)
		return;
	va_start(args, fmt);
	vsnprintf(w->problem, sizeof w->problem, fmt, args);
	va_end(args);
	w->state = WORKER_ENDING;
	timer_stop(&w->timer);
	outbox_close(&w->outbox);
	running_cancel(&w->running);
	fail_calls(w, was_starting);
}

static void send_call(struct worker *w, struct worker_call *c)
{
	c->sent = true;
	outbox_put(&w->outbox, &c->line, c->id);
}

static void take_description(struct worker *w, const struct message *m)
{
	char problem[DESCRIPTION_PROBLEM_SIZE];
	struct description *d;

	if (!m->result) {
		give_up(w, "it could not describe its commands: " STR_FMT, (int)MIN(m->text.len, 200), m->text.p);
		return;
	}
	d = description_parse(m->result, problem);
	if (!d) {
		give_up(w, "its description is wrong: %s", problem);
		return;
	}
	description_unref(w->described);
	w->described = d;
	w->state = WORKER_READY;
	w->problem[0] = '\0';
	timer_stop(&w->timer);
	LIST_EACH(node, &w->calls)
	send_call(w, OWNER(node, struct worker_call, node));
	settle(w);
}

static struct worker_call *find_call(struct worker *w, uint64_t id)
{
	LIST_EACH(node, &w->calls)
	{
		struct worker_call *c = OWNER(node, struct worker_call, node);

		if (c->id == id && c->sent)
			return c;
	}
	return NULL;
}

static void take_message(struct worker *w, const struct message *m)
{
	struct worker_call *c;

	if (m->id >= w->next_id) {
		give_up(w, "it answered a call that it was never given");
		return;
	}
	if (w->state == WORKER_STARTING && m->id == w->describe_id) {
		w->idle_lines = 0;
		take_description(w, m);
		return;
	}
	/* Late, because it was given up; or a second answer. */
	c = find_call(w, m->id);
	if (!c) {
		if (++w->idle_lines > IDLE_LINES_MAX)
			give_up(w, "it wrote more than %d lines that nobody waits for", IDLE_LINES_MAX);
		return;
	}
	w->idle_lines = 0;
	list_remove(&c->node);
	c->on_answer(c, m);
}

/* Others have used up the memory: that is not the worker's fault. */
static void lose_answer(struct worker *w, uint64_t id)
{
	struct worker_call *c = id ? find_call(w, id) : NULL;

	if (!c) {
		give_up(w, "there is no memory for what it wrote");
		return;
	}
	list_remove(&c->node);
	c->on_answer(c, NULL);
}

static bool on_line(struct lines *l, char *line, size_t len)
{
	struct worker *w = OWNER(l, struct worker, lines);
	struct message message;
	struct arena arena;
	const char *problem;
	char shown[64];

	snprintf(shown, sizeof shown, STR_FMT, (int)MIN(len, sizeof shown - 1), line);
	arena_init(&arena, ARENA_BYTES);
	problem = l->is_lost ? message_no_memory : message_parse(&arena, line, len, &message);
	if (problem == message_no_memory)
		lose_answer(w, message_id(str_of(shown)));
	else if (problem)
		give_up(w, "it wrote a line that is no answer, %s: '%s'", problem, shown);
	else
		take_message(w, &message);
	arena_free(&arena);
	return w->state == WORKER_STARTING || w->state == WORKER_READY;
}

static void on_bytes(struct running *r, unsigned stream, struct str bytes)
{
	struct worker *w = OWNER(r, struct worker, running);

	if (stream == PIPES_ERR)
		tail_add(&w->tail, bytes);
	else if ((w->state == WORKER_STARTING || w->state == WORKER_READY) && lines_add(&w->lines, bytes) < 0)
		give_up(w, "it wrote a line longer than %d bytes", LINE_MAX_BYTES);
}

static void tell_exit(struct worker *w)
{
	const struct tree_exit *exit = &w->running.exit;
	char signal[16];

	if (exit->signal)
		set_problem(w, "the worker was ended by %s", command_signal_name(exit->signal, signal));
	else
		set_problem(w, "the worker ended with exit code %d", exit->code);
}

static void forget_program(struct worker *w)
{
	running_free(&w->running);
	outbox_close(&w->outbox);
	lines_free(&w->lines);
	w->alive = false;
}

/* The program has ended; then, a second time, all that it had started. */
static void on_done(struct running *r)
{
	struct worker *w = OWNER(r, struct worker, running);
	bool was_starting = w->state == WORKER_STARTING;

	timer_stop(&w->timer);
	if (!r->ending) {
		if (w->state != WORKER_CLOSED) {
			tell_exit(w);
			w->state = WORKER_ENDING;
			fail_calls(w, was_starting);
		}
		outbox_close(&w->outbox);
		running_cancel(r);
		return;
	}
	forget_program(w);
	if (clock_now_ns() - w->started_ns >= GOOD_LIFE_NS)
		w->failures = 0;
	if (w->state == WORKER_CLOSED)
		worker_free(w);
	else
		pause_and_restart(w);
}

static void on_drained(struct timer *t)
{
	give_up(OWNER(t, struct worker, timer), "it closed its standard output");
}

/* One that is just ending has closed it too, and its exit tells more: it has a moment. */
static void on_closed(struct running *r, unsigned stream)
{
	struct worker *w = OWNER(r, struct worker, running);

	if (stream == PIPES_OUT && (w->state == WORKER_STARTING || w->state == WORKER_READY))
		timer_start(&w->timer, w->loop, MUTE_NS, on_drained);
}

static const struct running_events running_events = {
	.on_bytes = on_bytes, .on_closed = on_closed, .on_done = on_done
};

static void on_broken(struct outbox *o)
{
	give_up(OWNER(o, struct worker, outbox), "it closed its standard input");
}

static void on_silent(struct timer *t)
{
	struct worker *w = OWNER(t, struct worker, timer);

	give_up(w, "it did not describe its commands within %g seconds", w->manifest->start_timeout);
}

static int spawn_program(
	struct worker *w, int folder_fd, struct child *ret_child, struct tree **ret_tree, struct err *err)
{
	const struct principal *server = policy_server_principal(w->policy);
	struct spawn spawn = SPAWN_INIT;
	struct spawn_failure failure;
	struct child_env env;
	struct arena arena;
	int status = -1;

	arena_init(&arena, ARENA_BYTES);
	child_env_init(&env, &arena);
	policy_child_env(w->policy, NULL, false, &env);
	manifest_put_env(w->manifest, &env);
	confine_put_temp_dir(server, NULL, &env);
	spawn.argv = w->manifest->worker;
	spawn.env = child_env_items(&env);
	spawn.dir_fd = folder_fd;
	spawn.in = spawn.out = spawn.err = SPAWN_PIPE;
	if (!spawn.env)
		err_set(err, ERR_BUSY, "the environment needs more memory than is left");
	else
		status = launch_prepare_for(server, NULL, &spawn, err);
	*ret_tree = status < 0
			    ? NULL
			    : tree_start(w->loop, &spawn, &running_tree_events, &w->running, ret_child, &failure, err);
	arena_free(&arena);
	return *ret_tree ? 0 : -1;
}

static int start_program(struct worker *w, struct child *ret_child, struct tree **ret_tree, struct err *err)
{
	const struct principal *server = policy_server_principal(w->policy);
	const char *cwd = w->manifest->cwd;
	int folder_fd = cwd ? open(cwd, O_PATH | O_DIRECTORY | O_CLOEXEC) : place_base_fd(server);
	int number = folder_fd >= 0 ? 0 : cwd ? errno : -folder_fd, status;

	if (folder_fd < 0)
		return err_set(err, ERR_COMMANDS_START, "cannot enter the folder '%.200s': %s",
			cwd ? cwd : place_base_path(server), strerrordesc_np(number));
	running_init(&w->running, w->loop, 0, &running_events);
	status = spawn_program(w, folder_fd, ret_child, ret_tree, err);
	close_fd(folder_fd);
	return status;
}

static void try_to_start(struct worker *w)
{
	struct err err;
	struct child child;
	struct tree *tree = NULL;
	struct buf line;

	w->started_ns = clock_now_ns();
	if (start_program(w, &child, &tree, &err) < 0) {
		worker_ref(w); /* the calls may be the last who hold it */
		set_problem(w, "%s", err.text);
		fail_calls(w, true);
		pause_and_restart(w);
		worker_unref(w);
		return;
	}
	w->alive = true;
	w->state = WORKER_STARTING;
	w->idle_lines = 0;
	lines_init(&w->lines, LINE_MAX_BYTES, on_line);
	outbox_init(&w->outbox, w->loop, take_fd(&child.in), on_broken);
	running_go(&w->running, tree, &child, (struct str){ NULL, 0 });
	buf_init(&line, PROBLEM_SIZE);
	w->describe_id = w->next_id++;
	message_describe(&line, w->describe_id);
	outbox_put(&w->outbox, &line, 0);
	timer_start(&w->timer, w->loop, (int64_t)(w->manifest->start_timeout * (double)NS_PER_S), on_silent);
}

struct worker *worker_new(struct loop *loop, struct manifest *manifest, struct policy *policy,
	struct description *described, void (*on_change)(struct worker *w))
{
	struct worker *w = mem_new(struct worker);

	if (!all.ready)
		list_init(&all.list);
	all.ready = true;
	w->refs = 1;
	w->loop = loop;
	w->manifest = manifest_ref(manifest);
	w->policy = policy_ref(policy);
	w->described = described ? description_ref(described) : NULL;
	w->on_change = on_change;
	w->next_id = 1;
	w->outbox.fd = -1;
	w->state = WORKER_WAITING;
	list_init(&w->calls);
	list_append(&all.list, &w->node);
	/* In the next turn: the owner does not know it yet. */
	timer_start(&w->timer, loop, 0, on_pause_over);
	return w;
}

struct worker *worker_ref(struct worker *w)
{
	w->refs++;
	return w;
}

static void on_close_over(struct timer *t)
{
	running_cancel(&OWNER(t, struct worker, timer)->running);
}

void worker_unref(struct worker *w)
{
	if (!w || --w->refs > 0)
		return;
	if (!w->alive) {
		worker_free(w);
		return;
	}
	w->state = WORKER_CLOSED;
	outbox_close(&w->outbox);
	timer_start(&w->timer, w->loop, CLOSE_NS, on_close_over);
}

const struct manifest *worker_manifest(const struct worker *w)
{
	return w->manifest;
}

struct description *worker_described(const struct worker *w)
{
	return w->described;
}

bool worker_has_settled(const struct worker *w)
{
	return w->settled;
}

enum worker_state worker_state(const struct worker *w)
{
	return w->state;
}

const char *worker_problem(const struct worker *w)
{
	return w->problem[0] ? w->problem : NULL;
}

bool worker_fits(const struct worker *w, const struct manifest *manifest, const struct policy *policy)
{
	const struct config *old = policy_config(w->policy), *now = policy_config(policy);

	/* Another policy may hold programs more tightly, and this one would live on as it is. */
	return manifest_is_same(w->manifest, manifest) && memcmp(old->digest, now->digest, sizeof old->digest) == 0;
}

int worker_call(
	struct worker *w, struct worker_call *c, const char *name, const struct args *args, const struct json *given)
{
	bool is_down = w->state == WORKER_ENDING || w->state == WORKER_WAITING;

	if (is_down && (w->failures > PATIENT_FAILURES || all.ending))
		return -EAGAIN;
	*c = (struct worker_call){ .worker = w,
		.id = w->next_id++,
		.stderr_from = w->tail.total,
		.on_answer = c->on_answer,
		.on_failed = c->on_failed };
	buf_init_budgeted(&c->line, SIZE_MAX / 2);
	message_call(&c->line, c->id, name, args, given);
	if (buf_failed(&c->line))
		return -ENOMEM;
	list_append(&w->calls, &c->node);
	if (w->state == WORKER_READY)
		send_call(w, c);
	return 0;
}

void worker_leave(struct worker_call *c)
{
	struct worker *w = c->worker;
	struct buf line;

	worker_call_done(c);
	if (!c->sent || w->state != WORKER_READY || outbox_drop(&w->outbox, c->id))
		return;
	buf_init(&line, PROBLEM_SIZE);
	message_cancel(&line, c->id);
	outbox_put(&w->outbox, &line, 0);
}

void worker_call_done(struct worker_call *c)
{
	if (c->node.next)
		list_remove(&c->node);
	buf_free(&c->line);
}

struct str worker_said(const struct worker_call *c, char to[static TAIL_SIZE])
{
	return tail_since(&c->worker->tail, c->stderr_from, to);
}

void workers_end(void)
{
	all.ending = true;
}

void workers_free(void)
{
	if (!all.ready)
		return;
	LIST_EACH(node, &all.list)
	worker_free(OWNER(node, struct worker, node));
}
