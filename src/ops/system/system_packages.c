/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system.packages: what is installed, as a package manager tells it, or its database.
 */
#include "ops/system/host_files.h"
#include "ops/system/package_text.h"
#include "policy/policy.h"
#include "program/program.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { PACKAGES_MAX = 50000, DATABASE_MAX = 128 << 20, OUTPUT_MAX = 16 << 20, SECONDS_DEFAULT = 30, SECONDS_MAX = 300 };

enum manager { PIP, NPM, APT, APK, CARGO };
static const char *const managers[] = { "pip", "npm", "apt", "apk", "cargo", NULL };

struct in {
	int manager;
};

struct package {
	struct str name, version;
};

struct out {
	int manager;
	struct list packages;
};

static const struct field params[] = {
	P_CHOICE(struct in, manager, PIP, managers, "Whose packages."),
	FIELDS_END,
};

static const struct field package_rows[] = {
	R_TEXT(struct package, name, "Its name."),
	R_TEXT(struct package, version, "Its version."),
	FIELDS_END,
};

static const struct field result[] = {
	R_CHOICE(struct out, manager, managers, "Whose packages these are."),
	R_OBJECTS(
		struct out, packages, struct package, "Package", package_rows, "Empty where there is no such manager."),
	FIELDS_END,
};

struct listing {
	struct call *call;
	struct job job;
	struct program program;
	struct out out;
	size_t cap;
	bool failed;
};

/* Of python3 -I: neither the working directory nor files of a user are looked at. */
static const char *const pip[] = { "python3", "-I", "-m", "pip", "list", "--format=json", "--disable-pip-version-check",
	"--no-input", NULL };
static const char *const npm[] = { "npm", "ls", "--global", "--depth=0", "--json", "--offline", NULL };
static const char *const cargo[] = { "cargo", "install", "--list", NULL };

static bool make_room(struct listing *l)
{
	size_t cap = l->cap ? l->cap * 2 : 512;
	struct package *grown;

	if (l->out.packages.count < l->cap)
		return true;
	grown = arena_array(&l->call->arena, struct package, cap);
	if (!grown)
		return false;
	if (l->out.packages.count)
		memcpy(grown, l->out.packages.items, l->out.packages.count * sizeof *grown);
	l->out.packages.items = grown;
	l->cap = cap;
	return true;
}

static struct str keep(struct listing *l, struct str text)
{
	struct str kept = { arena_strndup(&l->call->arena, text.len ? text.p : "", text.len), text.len };

	if (!kept.p)
		l->failed = true;
	return kept;
}

static void add(void *user, struct str name, struct str version)
{
	struct listing *l = user;
	struct package *packages;

	if (l->failed || l->out.packages.count == PACKAGES_MAX)
		return;
	if (!make_room(l)) {
		l->failed = true;
		return;
	}
	packages = l->out.packages.items;
	packages[l->out.packages.count++] = (struct package){ keep(l, name), keep(l, version) };
}

/* Images without dpkg itself have a file for each package. */
static void read_dpkg_folder(struct listing *l)
{
	DIR *dir = opendir("/var/lib/dpkg/status.d");
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) && !l->call->gone) {
		char path[512];
		AUTOFREE char *text = NULL;

		if (entry->d_name[0] == '.' || strstr(entry->d_name, ".md5sums"))
			continue;
		snprintf(path, sizeof path, "/var/lib/dpkg/status.d/%s", entry->d_name);
		text = host_read("", path, DATABASE_MAX);
		if (text)
			package_parse_dpkg(str_of(text), add, l);
	}
	if (dir)
		closedir(dir);
}

static void read_database(struct job *job)
{
	struct listing *l = OWNER(job, struct listing, job);
	bool is_apt = l->out.manager == APT;
	AUTOFREE char *text = host_read("", is_apt ? "/var/lib/dpkg/status" : "/lib/apk/db/installed", DATABASE_MAX);

	if (text && is_apt)
		package_parse_dpkg(str_of(text), add, l);
	else if (text)
		package_parse_apk(str_of(text), add, l);
	if (is_apt)
		read_dpkg_folder(l);
}

static void reply(struct job *job)
{
	struct listing *l = OWNER(job, struct listing, job);

	if (l->failed) {
		err_set(&l->call->err, ERR_BUSY, "the answer needs more memory than is left");
		call_fail(l->call);
	} else {
		call_reply(l->call, &l->out);
	}
}

static void read_program(struct job *job)
{
	struct listing *l = OWNER(job, struct listing, job);
	struct capture *text = &l->program.output[PIPES_OUT];

	l->failed = program_starved(&l->program, PIPES_OUT);
	if (!text->len || program_truncated(&l->program, PIPES_OUT))
		return;
	if (l->out.manager == PIP)
		package_parse_pip(&l->call->arena, text->data, text->len, add, l);
	else if (l->out.manager == NPM)
		package_parse_npm(&l->call->arena, text->data, text->len, add, l);
	else
		package_parse_cargo(program_output(&l->program, PIPES_OUT), add, l);
}

static void on_done(struct program *p)
{
	struct listing *l = OWNER(p, struct listing, program);

	if (p->running.timed_out)
		err_set(&l->call->err, ERR_COMMANDS_TIMEOUT, "%s did not answer within %lld seconds",
			managers[l->out.manager], (long long)call_limit(l->call, "max_seconds"));
	if (p->running.timed_out || call_job(l->call, &l->job, LANE_SHORT, read_program, reply) < 0)
		call_fail(l->call);
}

/* cargo has what it installed in the home of its user. */
static void add_home(struct call *call, struct child_env *env)
{
	struct child_env of_children;

	child_env_init(&of_children, &call->arena);
	policy_child_env(principal_policy(call->caller), NULL, false, &of_children);
	if (child_env_get(&of_children, "HOME"))
		child_env_put(env, "HOME", str_of(child_env_get(&of_children, "HOME")));
}

static void start_program(struct listing *l, const char *const *argv)
{
	struct call *call = l->call;
	struct child_env env;
	struct program_plan plan = {
		.argv = argv,
		.dir_fd = -1,
		.extra_fd = -1,
		.timeout_s = (double)call_limit(call, "max_seconds"),
		.max_bytes = OUTPUT_MAX,
	};

	child_env_init(&env, &call->arena);
	program_clean_env(call, &env);
	child_env_put(&env, "npm_config_update_notifier", STR("false"));
	child_env_put(&env, "npm_config_logs_max", STR("0"));
	if (argv == cargo)
		add_home(call, &env);
	plan.env = child_env_items(&env);
	if (program_start(&l->program, call, &plan, on_done) == 0)
		return;
	if (call->err.code == ERR_COMMANDS_START && call->err.sys_errno == ENOENT)
		call_reply(call, &l->out); /* no such manager */
	else
		call_fail(call);
}

static void on_gone(struct call *call)
{
	struct listing *l = call->state;

	if (l->program.call && !l->program.running.exited)
		program_cancel(&l->program);
}

static void on_free(struct call *call)
{
	program_free(&((struct listing *)call->state)->program);
}

static void start(struct call *call)
{
	static const char *const *const programs[] = { [PIP] = pip, [NPM] = npm, [CARGO] = cargo };
	struct listing *l = call_new(call, struct listing);

	if (!l) {
		call_fail(call);
		return;
	}
	l->call = call;
	l->out.manager = call_in(call, struct in)->manager;
	call->state = l;
	call->on_gone = on_gone;
	call->on_free = on_free;
	if (programs[l->out.manager])
		start_program(l, programs[l->out.manager]);
	else if (call_job(call, &l->job, LANE_LONG, read_database, reply) < 0)
		call_fail(call);
}

static const enum err_code errors[] = { ERR_COMMANDS_TIMEOUT, ERR_NONE };

static const struct limit limits[] = {
	{ "max_seconds", SECONDS_DEFAULT, SECONDS_MAX, ERR_COMMANDS_TIMEOUT,
		"Seconds until the package manager is ended." },
	{ .name = NULL },
};

const struct op op_system_packages = {
	.id = "system.packages",
	.endpoint = "packages",
	.group = "system",
	.scope = "system:read",
	.kind = OP_JSON,
	.method = "GET",
	.path = "/packages",
	.since = "0.1.0",
	.summary = "List the packages that a package manager has installed.",
	.description =
		"apt and apk are read from their databases; pip, npm and cargo are run, in an environment of their own.",
	.example = { .args = JSON_TEXT({ "manager" : "apt" }), .abx = "packages apt" },
	.effects = OP_READS | OP_RUNS | OP_IDEMPOTENT,
	.params = params,
	.params_size = sizeof(struct in),
	.result = result,
	.result_size = sizeof(struct out),
	.errors = errors,
	.limits = limits,
	.start = start,
};
