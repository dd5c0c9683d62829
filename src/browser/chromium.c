/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/chromium.h"

#include "base/clock.h"
#include "browser/find.h"
#include "browser/profile.h"
#include "browser/proxy.h"
#include "browser/span.h"
#include "loop/job.h"
#include "policy/config.h"
#include "program/launch.h"
#include "spawn/tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	ARGS_MAX = 64,
	START_TIMEOUT_MS = 60000,
	SAID_MAX = 4096,
	PIPE_PIECES = 64 * 1024 / (SAID_MAX / 2), /* what a pipe holds, in the pieces that are read of it */
	PIPE_AS = 3,                              /* and 4 */
	ARENA_MAX = 256 * 1024,
};

#define GRACE_NS (1 * NS_PER_S)

struct chromium {
	struct chromium_plan plan;
	struct list_node node;
	struct arena arena;
	struct job job;
	struct err err; /* of the worker */
	char program[FIND_PATH_SIZE];
	const char *path_list;
	struct profile_folder profile;
	struct cdp cdp;
	struct cdp_request hello;
	struct tree *tree;
	int err_fd;
	struct watch err_watch;
	char said[SAID_MAX]; /* the last of what it wrote to standard error */
	size_t said_len;
	char proxy_flags[PROXY_FLAGS][PROXY_FLAG_SIZE];
	bool shm_is_small, started, ending, forgotten, working, stopped;
};

static struct list_node all = { &all, &all };

static const char *const common_args[] = { "--headless", "--remote-debugging-pipe", "--no-startup-window",
	"--no-first-run", "--no-default-browser-check", "--disable-background-networking", "--disable-component-update",
	"--disable-default-apps", "--disable-domain-reliability", "--disable-extensions", "--disable-sync",
	"--disable-breakpad", "--disable-crash-reporter", "--disable-hang-monitor",
	"--disable-client-side-phishing-detection", "--disable-search-engine-choice-screen", "--metrics-recording-only",
	"--mute-audio", "--hide-scrollbars", "--password-store=basic", "--force-color-profile=srgb",
	"--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows",
	"--disable-renderer-backgrounding", "--window-size=1280,800",
	/* What it wants of its maker by itself: port 1 is one that it never connects to. */
	"--gaia-url=http://127.0.0.1:1/", "--component-updater=url-source=http://127.0.0.1:1/",
	("--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,AutofillServerCommunication,"
	 "CertificateTransparencyComponentUpdater,HttpsUpgrades,NetworkTimeServiceQuerying,AimEnabled,"
	 "PreconnectToSearch") };

static void free_now(struct chromium *c)
{
	list_remove(&c->node);
	close_fd(c->profile.fd);
	policy_unref(c->plan.policy);
	arena_free(&c->arena);
	free(c);
}

static void removed(struct job *job)
{
	free_now(OWNER(job, struct chromium, job));
}

static void work_remove(struct job *job)
{
	profile_remove(&OWNER(job, struct chromium, job)->profile);
}

/* Nothing of it lives. */
static void dispose(struct chromium *c)
{
	if (c->stopped)
		return;
	c->job = (struct job){ .work = work_remove, .done = removed, .lane = LANE_LONG };
	c->working = true;
	/* Where workers have no place for it now, the next start removes the folder. */
	if (job_start(&c->job, c->plan.loop) < 0)
		free_now(c);
}

static void stop_hearing(struct chromium *c)
{
	cdp_stop(&c->cdp);
	if (c->err_fd >= 0)
		watch_stop(&c->err_watch);
	close_fd(take_fd(&c->err_fd));
}

/* Takes a piece of what it says; false: there is none. */
static bool hear(struct chromium *c)
{
	char bytes[SAID_MAX / 2];
	ssize_t len;

	if (c->err_fd < 0)
		return false;
	len = read(c->err_fd, bytes, sizeof bytes);
	if (len < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (len <= 0) {
		watch_stop(&c->err_watch);
		close_fd(take_fd(&c->err_fd));
		return false;
	}
	if (c->said_len + (size_t)len > sizeof c->said) {
		size_t drop = c->said_len + (size_t)len - sizeof c->said;

		memmove(c->said, c->said + drop, c->said_len - drop);
		c->said_len -= drop;
	}
	memcpy(c->said + c->said_len, bytes, (size_t)len);
	c->said_len += (size_t)len;
	return true;
}

/*
 * What it said last, for who wants to know why: the fatal line, else the last one that is no trace of
 * calls, no line of its log and no complaint of the shell that some distributions put in front; else of its log.
 */
static struct str last_words(const struct chromium *c)
{
	struct str rest = { c->said, c->said_len }, best = { NULL, 0 }, logged = best;

	while (rest.len) {
		struct str line = str_trim(str_cut(&rest, '\n'));

		if (line.len && memmem(line.p, line.len, ":FATAL:", strlen(":FATAL:")))
			return line;
		if (line.len && *line.p == '[')
			logged = line;
		else if (line.len && *line.p != '#' && !str_starts(line, c->program))
			best = line;
	}
	return best.len ? best : logged;
}

static void tell_end(struct chromium *c, const struct err *why)
{
	if (c->forgotten)
		return;
	c->forgotten = true;
	c->plan.on_ended(c->plan.user, why);
}

static void end(struct chromium *c)
{
	if (c->ending)
		return;
	c->ending = true;
	if (c->tree) {
		cdp_cancel(&c->hello);
		stop_hearing(c);
		tree_end(c->tree, GRACE_NS);
	} else if (!c->working) {
		dispose(c);
	}
}

/* It ended, or does not talk any more. */
static void lost(struct chromium *c, const char *how)
{
	struct str words;
	struct err why;

	/* Its end may be known before its last words were read; what it left behind may go on to talk. */
	for (int i = 0; i < PIPE_PIECES && hear(c); i++)
		;
	words = last_words(c);
	if (c->started)
		err_set(&why, ERR_BROWSER_CRASHED, "the browser %s", how);
	else
		err_set(&why, ERR_BROWSER_FAILED, "the browser %s at its start%s" STR_FMT, how, words.len ? ": " : "",
			(int)MIN(words.len, 300), words.p);
	end(c);
	tell_end(c, &why);
}

static void on_leader_exit(struct tree *tree, const struct tree_exit *exit, void *user)
{
	struct chromium *c = user;
	char how[64];

	(void)tree;
	if (c->ending)
		return;
	if (exit->signal)
		snprintf(how, sizeof how, "was ended by signal %d", exit->signal);
	else
		snprintf(how, sizeof how, "ended with %d", exit->code);
	lost(c, how);
}

static void on_gone(struct tree *tree, void *user)
{
	struct chromium *c = user;

	tree_free(tree);
	c->tree = NULL;
	dispose(c);
}

static const struct tree_events tree_events = { on_leader_exit, on_gone };

static void on_said(struct watch *w, unsigned events)
{
	(void)events;
	hear(OWNER(w, struct chromium, err_watch));
}

static void on_event(void *user, struct str method, struct str params, struct str session, char *text)
{
	struct chromium *c = user;

	if (!c->forgotten && c->plan.events->on_event)
		c->plan.events->on_event(c->plan.user, method, params, session, text);
}

static void on_cut(void *user, struct str method)
{
	struct chromium *c = user;

	if (!c->forgotten)
		c->plan.events->on_cut(c->plan.user, method);
}

/* Its end follows, with how it came. */
static void on_closed(void *user)
{
	struct chromium *c = user;

	if (c->tree && tree_exited(c->tree))
		return;
	tree_end(c->tree, 0);
}

static const struct cdp_events cdp_events = { on_event, on_cut, on_closed };

static void on_hello(struct cdp_request *r, const struct cdp_answer *answer)
{
	struct chromium *c = OWNER(r, struct chromium, hello);

	if (answer->status == -ECONNRESET)
		return; /* its exit tells more */
	if (answer->status < 0) {
		lost(c, "did not answer");
		return;
	}
	c->started = true;
	c->plan.on_started(c->plan.user);
}

static const char *const *make_env(struct chromium *c)
{
	struct child_env of_children, env;

	child_env_init(&of_children, &c->arena);
	policy_child_env(c->plan.policy, NULL, false, &of_children);
	c->path_list = child_env_get(&of_children, "PATH");
	child_env_init(&env, &c->arena);
	child_env_put(&env, "PATH", str_of(c->path_list ? c->path_list : ""));
	child_env_put(&env, "HOME", str_of(c->profile.path));
	child_env_put(&env, "TMPDIR", str_of(c->profile.path));
	child_env_put(&env, "XDG_CONFIG_HOME", str_of(c->profile.path));
	child_env_put(&env, "XDG_CACHE_HOME", str_of(c->profile.path));
	child_env_put(&env, "XDG_RUNTIME_DIR", str_of(c->profile.path));
	child_env_put(&env, "DBUS_SESSION_BUS_ADDRESS", STR("disabled:"));
	child_env_put(&env, "LC_ALL", STR("C.UTF-8"));
	return child_env_items(&env);
}

static const char *const *make_args(struct chromium *c)
{
	const char **args = arena_array(&c->arena, const char *, ARGS_MAX);
	size_t count = 0;

	if (!args)
		return NULL;
	args[count++] = c->program;
	for (size_t i = 0; i < ARRAY_LEN(common_args); i++)
		args[count++] = common_args[i];
	args[count++] = arena_printf(&c->arena, "--user-data-dir=%s", c->profile.path);
	if (launch_is_root(c->plan.policy))
		args[count++] = "--no-sandbox"; /* its sandbox does not work as root; told in capabilities */
	if (c->shm_is_small)
		args[count++] = "--disable-dev-shm-usage";
	for (size_t i = 0; c->plan.proxy && i < PROXY_FLAGS; i++)
		args[count++] = c->proxy_flags[i];
	return args;
}

/* The part that may block: where the program is, and a folder for it. */
static void work_prepare(struct job *job)
{
	struct chromium *c = OWNER(job, struct chromium, job);
	const struct run_as *user = policy_user(c->plan.policy, NULL);

	if (find_browser(policy_config(c->plan.policy)->browser.path, c->path_list, c->program, &c->err) < 0)
		return;
	c->shm_is_small = find_shm_is_small();
	if (profile_make(&c->profile, user ? user->uid : (uid_t)-1, user ? user->gid : (gid_t)-1, c->plan.base_path,
		    &c->err) < 0)
		return;
	c->err.code = ERR_NONE;
}

static int spawn_it(struct chromium *c, int their_end, struct spawn *spawn)
{
	struct spawn_failure failure;
	struct child child;

	spawn->argv = make_args(c);
	spawn->env = make_env(c);
	spawn->dir_fd = c->profile.fd;
	spawn->err = SPAWN_PIPE;
	spawn->extra_fd = their_end;
	spawn->extra_as = PIPE_AS;
	spawn->extra_twice = true;
	if (!spawn->argv || !spawn->env)
		return err_set(&c->err, ERR_BUSY, "the browser's start needs more memory than is left");
	c->tree = tree_start(c->plan.loop, spawn, &tree_events, c, &child, &failure, &c->err);
	if (!c->tree) {
		if (c->err.code == ERR_COMMANDS_START)
			return err_set(&c->err, ERR_RUNTIME_UNAVAILABLE, "the browser '%s' cannot be started: %s",
				c->program, failure.reason ? failure.reason : strerrordesc_np(failure.number));
		return -1;
	}
	c->err_fd = child.err;
	return watch_start(&c->err_watch, c->plan.loop, c->err_fd, WATCH_READ, on_said) < 0
		       ? err_set(&c->err, ERR_BUSY, "the browser's output cannot be watched")
		       : 0;
}

static int start_it(struct chromium *c)
{
	struct spawn spawn = SPAWN_INIT;
	int ends[2], status;

	if (launch_prepare_apart(c->plan.policy, c->profile.fd, &spawn, &c->err) < 0)
		return -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) {
		close_fd(spawn.ruleset_fd);
		return err_set(&c->err, ERR_BUSY, "there are no descriptors left for the browser");
	}
	status = spawn_it(c, ends[1], &spawn);
	close_fd(ends[1]);
	close_fd(spawn.ruleset_fd);
	if (status < 0) {
		close_fd(ends[0]);
		return -1;
	}
	cdp_start(&c->cdp, c->plan.loop, ends[0], &cdp_events, c);
	cdp_begin(&c->cdp, "Browser.getVersion", NULL);
	cdp_ask(&c->cdp, &c->hello, START_TIMEOUT_MS, CDP_SMALL, on_hello);
	return 0;
}

static void prepared(struct job *job)
{
	struct chromium *c = OWNER(job, struct chromium, job);

	c->working = false;
	if (c->stopped)
		return;
	if (c->ending) {
		dispose(c);
		return;
	}
	if (c->err.code == ERR_NONE && start_it(c) == 0)
		return;
	end(c);
	tell_end(c, &c->err);
}

struct chromium *chromium_start(const struct chromium_plan *plan)
{
	struct chromium *c = mem_new(struct chromium);

	c->plan = *plan;
	policy_ref(c->plan.policy);
	if (plan->proxy)
		proxy_flags(plan->proxy, c->proxy_flags);
	arena_init(&c->arena, ARENA_MAX);
	c->plan.base_path = plan->base_path ? arena_strdup(&c->arena, plan->base_path) : NULL;
	c->profile.fd = c->err_fd = c->cdp.fd = -1;
	list_append(&all, &c->node);
	c->job = (struct job){ .work = work_prepare, .done = prepared, .lane = LANE_SHORT };
	if (!make_env(c) || job_start(&c->job, plan->loop) < 0) {
		free_now(c);
		return NULL;
	}
	c->working = true;
	return c;
}

void chromium_end(struct chromium *c)
{
	c->forgotten = true;
	end(c);
}

struct cdp *chromium_cdp(struct chromium *c)
{
	return &c->cdp;
}

void chromium_free_all(void)
{
	LIST_EACH(node, &all)
	{
		struct chromium *c = OWNER(node, struct chromium, node);

		c->stopped = c->forgotten = true;
		cdp_cancel(&c->hello);
		stop_hearing(c);
		if (c->tree)
			tree_free(take_ptr(c->tree));
	}
}

void chromium_remove_all(void)
{
	LIST_EACH(node, &all)
	{
		struct chromium *c = OWNER(node, struct chromium, node);

		/* A worker that makes it now, or removes it already, keeps it. */
		if (c->working)
			continue;
		profile_remove(&c->profile);
	}
}
