/* SPDX-License-Identifier: Apache-2.0 */
#include "program/confine.h"

#include "base/clock.h"
#include "policy/config.h"
#include "policy/place.h"
#include "policy/policy_file.h"
#include "policy/roots.h"
#include "spawn/cgroup.h"
#include "spawn/landlock.h"
#include "spawn/network.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CACHE_SIZE = 16, FACTS_MAX = 1 << 20 /* of very many roots; with more, each ruleset is new */ };

#define NO_CONTROLLER(name) \
	"the server's cgroup gives its children no '" name \
	"' (that needs cgroup v2 with this controller, the right to write there, and nobody but the server in it)"

/* The parts of the system that programs need (R99). */
static const struct system_part {
	const char *path;
	unsigned access;
} system_parts[] = {
	{ "/usr", LANDLOCK_MAY_READ | LANDLOCK_MAY_EXECUTE },
	{ "/bin", LANDLOCK_MAY_READ | LANDLOCK_MAY_EXECUTE },
	{ "/sbin", LANDLOCK_MAY_READ | LANDLOCK_MAY_EXECUTE },
	{ "/lib", LANDLOCK_MAY_READ | LANDLOCK_MAY_EXECUTE },
	{ "/lib32", LANDLOCK_MAY_READ | LANDLOCK_MAY_EXECUTE },
	{ "/lib64", LANDLOCK_MAY_READ | LANDLOCK_MAY_EXECUTE },
	{ "/libx32", LANDLOCK_MAY_READ | LANDLOCK_MAY_EXECUTE },
	{ "/opt", LANDLOCK_MAY_READ | LANDLOCK_MAY_EXECUTE },
	{ "/etc/passwd", LANDLOCK_MAY_READ },
	{ "/etc/group", LANDLOCK_MAY_READ },
	{ "/etc/hosts", LANDLOCK_MAY_READ },
	{ "/etc/hostname", LANDLOCK_MAY_READ },
	{ "/etc/host.conf", LANDLOCK_MAY_READ },
	{ "/etc/resolv.conf", LANDLOCK_MAY_READ },
	{ "/etc/nsswitch.conf", LANDLOCK_MAY_READ },
	{ "/etc/gai.conf", LANDLOCK_MAY_READ },
	{ "/etc/ld.so.cache", LANDLOCK_MAY_READ },
	{ "/etc/ld.so.conf", LANDLOCK_MAY_READ },
	{ "/etc/ld.so.conf.d", LANDLOCK_MAY_READ },
	{ "/etc/ld.so.preload", LANDLOCK_MAY_READ },
	{ "/etc/localtime", LANDLOCK_MAY_READ },
	{ "/etc/timezone", LANDLOCK_MAY_READ },
	{ "/etc/ssl/certs", LANDLOCK_MAY_READ },
	{ "/etc/ssl/openssl.cnf", LANDLOCK_MAY_READ },
	{ "/etc/ca-certificates", LANDLOCK_MAY_READ },
	{ "/etc/ca-certificates.conf", LANDLOCK_MAY_READ },
	{ "/etc/alternatives", LANDLOCK_MAY_READ | LANDLOCK_MAY_EXECUTE },
	{ "/etc/profile", LANDLOCK_MAY_READ },
	{ "/etc/profile.d", LANDLOCK_MAY_READ },
	{ "/etc/bash.bashrc", LANDLOCK_MAY_READ },
	{ "/etc/bash_completion.d", LANDLOCK_MAY_READ },
	{ "/etc/inputrc", LANDLOCK_MAY_READ },
	{ "/etc/os-release", LANDLOCK_MAY_READ },
	{ "/etc/debian_version", LANDLOCK_MAY_READ },
	{ "/etc/services", LANDLOCK_MAY_READ },
	{ "/etc/protocols", LANDLOCK_MAY_READ },
	{ "/etc/mime.types", LANDLOCK_MAY_READ },
	{ "/etc/terminfo", LANDLOCK_MAY_READ },
	{ "/etc/fonts", LANDLOCK_MAY_READ },
	{ "/etc/gitconfig", LANDLOCK_MAY_READ },
	{ "/proc", LANDLOCK_MAY_READ },
	{ "/dev/null", LANDLOCK_MAY_DEVICE },
	{ "/dev/zero", LANDLOCK_MAY_DEVICE },
	{ "/dev/full", LANDLOCK_MAY_DEVICE },
	{ "/dev/random", LANDLOCK_MAY_READ },
	{ "/dev/urandom", LANDLOCK_MAY_READ },
	{ "/dev/tty", LANDLOCK_MAY_DEVICE },
	{ "/dev/ptmx", LANDLOCK_MAY_DEVICE },
	{ "/dev/pts", LANDLOCK_MAY_READ | LANDLOCK_MAY_DEVICE },
	{ "/dev/shm", LANDLOCK_MAY_READ | LANDLOCK_MAY_WRITE },
};

/* What the browser reads besides: its settings, facts of the machine, caches of fonts. */
static const char *const browser_parts[] = { "/sys/devices", "/sys/bus", "/sys/class", "/sys/fs/cgroup",
	"/etc/chromium", "/etc/chromium.d", "/etc/opt/chrome", "/etc/machine-id", "/var/cache/fontconfig",
	"/var/lib/ca-certificates" };

/*
 * Rulesets that were made.  An entry holds its policy, so that its principal stays what it was.
 *
 * The kernel's rules are about files, not about names, and programs replace files: a package manager /etc/passwd, somebody
 * a root.  So an entry knows what its names stood for, and is made anew when they stand for something else.
 */
static struct cached {
	struct policy *policy;
	const struct principal *who;
	struct buf facts;
	bool settled;
	int ruleset_fd;
} cache[CACHE_SIZE];
static size_t next_entry;

/*
 * Instead of every part of the system the folders that they are in, whose time tells that a name was given to another file;
 * and the one part that commonly is a link to a folder of others.
 */
static const char *const system_folders[] = { "/", "/etc", "/etc/ssl", "/dev", "/etc/resolv.conf" };

/* A file may be replaced twice in one tick of the kernel's clock, which is at most 10 ms: what is so young proves nothing. */
#define SETTLED_AFTER_NS (100 * NS_PER_MS)

static bool wants_confinement(const struct policy_confinement *c)
{
	return c->mode != CONFINE_OFF;
}

#define REACH(what, where) "programs can reach " what ": it lies in " where

enum reach { IN_ROOT, IN_SYSTEM, IN_READ };

/* Files of the server itself, by their rules. */
static const struct {
	const char *rule, *reached[IN_READ + 1];
} own_files[] = {
#define OWN(rule, what) \
	{ \
		rule, \
		{ \
			REACH(what, "a root"), REACH(what, "a part of the system that programs need"), \
				REACH(what, "process.read") \
		} \
	}
	OWN("file", "the policy file"),
	OWN("audit.file", "audit.file"),
	OWN("token_file", "the file of the token"),
#undef OWN
};

static const char *own_below(const struct policy *policy, const char *path)
{
	char real[PATH_MAX];

	return realpath(path, real) ? roots_own_below(policy_roots(policy), real) : NULL;
}

static const char *own_in_system(const struct policy *policy)
{
	const char *rule = NULL;

	for (size_t i = 0; !rule && i < ARRAY_LEN(system_parts); i++) {
		const struct system_part *part = &system_parts[i];

		/* A log may go to a terminal, and a token come through a pipe: these are nobody's to open. */
		if (!(part->access & LANDLOCK_MAY_DEVICE) && strcmp(part->path, "/proc") != 0)
			rule = own_below(policy, part->path);
	}
	return rule;
}

static const char *own_in_read(const struct policy *policy)
{
	texts path = policy_confinement(policy).read;
	const char *rule = NULL;

	for (; !rule && path && *path; path++)
		rule = own_below(policy, *path);
	return rule;
}

/* Landlock knows no exceptions, so that what lies in a folder of the programs is theirs as well. */
static const char *own_file_in_reach(const struct policy *policy)
{
	const char *rule = roots_hold_own(policy_roots(policy));
	enum reach where = IN_ROOT;

	if (!rule) {
		rule = own_in_system(policy);
		where = IN_SYSTEM;
	}
	if (!rule) {
		rule = own_in_read(policy);
		where = IN_READ;
	}
	for (size_t i = 0; rule && i < ARRAY_LEN(own_files); i++) {
		if (strcmp(rule, own_files[i].rule) == 0)
			return own_files[i].reached[where];
	}
	return NULL;
}

static unsigned missing_controllers(const struct policy *policy)
{
	struct policy_cgroup c = policy_cgroup(policy);
	unsigned wanted = cgroup_limits_wanted(&(struct cgroup_limits){ c.memory_max, c.pids_max, c.cpu_max });

	return wanted ? wanted & ~cgroup_can_limit(wanted) : 0;
}

/* What the policy asks for and this kernel or this user cannot give. */
static size_t find_missing(const struct policy *policy, const char *missing[static CONFINE_MISSING_MAX])
{
	struct policy_confinement c = policy_confinement(policy);
	unsigned unlimited = missing_controllers(policy);
	const char *reached = wants_confinement(&c) ? own_file_in_reach(policy) : NULL;
	size_t count = 0;

	if (wants_confinement(&c) && landlock_abi() < LANDLOCK_ABI_FILES)
		missing[count++] = "files are not confined: the kernel has no Landlock";
	else if (wants_confinement(&c) && landlock_abi() < LANDLOCK_ABI_TRUNCATE)
		missing[count++] =
			"files outside the roots can be truncated: the kernel's Landlock is older than ABI 3 (Linux 6.2)";
	if (wants_confinement(&c) && landlock_abi() < LANDLOCK_ABI_SCOPES)
		missing[count++] =
			"signals and abstract sockets are not confined: the kernel's Landlock is older than ABI 6 (Linux 6.12)";
	if (reached)
		missing[count++] = reached;
	if (c.no_network && network_none_fd() < 0)
		missing[count++] =
			landlock_abi() >= LANDLOCK_ABI_TCP && wants_confinement(&c)
				? "UDP is open: no network namespace can be made, and Landlock knows TCP only"
				: "the network is open: no network namespace can be made";
	if (unlimited & CGROUP_MEMORY)
		missing[count++] = "memory is not limited: " NO_CONTROLLER("memory");
	if (unlimited & CGROUP_PIDS)
		missing[count++] = "processes are not limited: " NO_CONTROLLER("pids");
	if (unlimited & CGROUP_CPU)
		missing[count++] = "CPUs are not limited: " NO_CONTROLLER("cpu");
	return count;
}

static int check(const struct policy *policy, struct err *err)
{
	struct policy_confinement c = policy_confinement(policy);
	const char *missing[CONFINE_MISSING_MAX];
	size_t count;

	if (wants_confinement(&c) && !policy_has_tokens(policy))
		return err_set(err, ERR_ARGS_INVALID,
			"process.confine needs a token: without one every local program has all rights");
	if (wants_confinement(&c) && geteuid() == 0 && !c.names_user)
		return err_set(err, ERR_ARGS_INVALID,
			"process.confine needs process.user when the server is root: name a user, or 'root' to keep root");
	count = find_missing(policy, missing);
	if (count && c.mode != CONFINE_BEST_EFFORT)
		return err_set(err, ERR_ARGS_INVALID,
			"the policy cannot be enforced here: %s; 'confine: best_effort' goes on without", missing[0]);
	return 0;
}

int confine_check(const struct policy *policy, struct err *err)
{
	if (check(policy, err) == 0)
		return 0;
	policy_file_place(policy_config(policy), err);
	return -1;
}

static int allow_path(int ruleset_fd, const char *path, unsigned access)
{
	AUTOCLOSE int fd = open(path, O_PATH | O_CLOEXEC);

	/* What is not there needs no rule. */
	return fd < 0 ? 0 : landlock_allow(ruleset_fd, fd, access);
}

static int allow_system(int ruleset_fd)
{
	for (size_t i = 0; i < ARRAY_LEN(system_parts); i++) {
		int status = allow_path(ruleset_fd, system_parts[i].path, system_parts[i].access);

		if (status < 0)
			return status;
	}
	return 0;
}

/* Landlock knows no exceptions below what it allows: a root is wholly read-only or not at all. */
static int allow_roots(int ruleset_fd, const struct principal *who)
{
	const struct roots *roots = principal_roots(who);

	for (const char *const *path = roots_list(roots); *path; path++) {
		const struct root *root = roots_at(roots, *path);
		AUTOCLOSE int fd = root ? root_open(root) : -1;
		unsigned access = LANDLOCK_MAY_READ | LANDLOCK_MAY_EXECUTE;
		struct err ignored;
		int status;

		if (fd < 0)
			continue;
		if (roots_check_write(roots, root_path(root), root_path(root), &ignored) == 0)
			access |= LANDLOCK_MAY_WRITE;
		status = landlock_allow(ruleset_fd, fd, access);
		if (status < 0)
			return status;
	}
	return 0;
}

static int make_ruleset(const struct principal *who)
{
	struct policy_confinement c = policy_confinement(principal_policy(who));
	AUTOCLOSE int fd = landlock_new(c.no_network && network_none_fd() < 0);
	int status = fd < 0 ? fd : allow_system(fd);

	if (status == 0)
		status = allow_roots(fd, who);
	for (const char *const *path = c.read; status == 0 && path && *path; path++)
		status = allow_path(fd, *path, LANDLOCK_MAY_READ | LANDLOCK_MAY_EXECUTE);
	return status < 0 ? status : take_fd(&fd);
}

static void add_fact(struct buf *facts, const struct stat *st)
{
	const uint64_t file[] = { st->st_dev, st->st_ino };

	buf_add(facts, file, sizeof file);
}

/* All zero where there is nothing. */
static struct stat stat_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? st : (struct stat){ 0 };
}

static void look_at_roots(const struct principal *who, struct buf *facts)
{
	const struct roots *roots = principal_roots(who);
	texts read = policy_confinement(principal_policy(who)).read;

	for (const char *const *path = roots_list(roots); *path; path++) {
		const struct root *root = roots_at(roots, *path);
		AUTOCLOSE int fd = root ? root_open(root) : -1;
		struct stat st = { 0 };

		if (fd >= 0 && fstat(fd, &st) < 0)
			st.st_ino = 0;
		add_fact(facts, &st);
	}
	for (; read && *read; read++) {
		struct stat st = stat_of(*read);

		add_fact(facts, &st);
	}
}

/* What the names of the rules stand for; whether that would show in the same facts if it changed from now on. */
static bool look(const struct principal *who, struct buf *facts)
{
	int64_t now_ns = clock_wall_ns();
	bool settled = true;

	for (size_t i = 0; i < ARRAY_LEN(system_folders); i++) {
		struct stat st = stat_of(system_folders[i]);
		int64_t changed_ns = st.st_ctim.tv_sec * NS_PER_S + st.st_ctim.tv_nsec;

		settled &= changed_ns + SETTLED_AFTER_NS < now_ns;
		add_fact(facts, &st);
		buf_add(facts, &changed_ns, sizeof changed_ns);
	}
	look_at_roots(who, facts);
	return settled;
}

static bool same_facts(const struct buf *a, const struct buf *b)
{
	return !buf_failed(a) && !buf_failed(b) && a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

/* Of this principal, or the oldest one. */
static struct cached *entry_of(const struct principal *who)
{
	for (size_t i = 0; i < CACHE_SIZE; i++) {
		if (cache[i].who == who)
			return &cache[i];
	}
	next_entry = (next_entry + 1) % CACHE_SIZE;
	return &cache[next_entry];
}

static void forget(struct cached *entry)
{
	if (!entry->policy)
		return;
	close_fd(entry->ruleset_fd);
	buf_free(&entry->facts);
	policy_unref(entry->policy);
	*entry = (struct cached){ .policy = NULL };
}

static int ruleset_of(const struct principal *who)
{
	struct cached *entry = entry_of(who);
	struct buf facts;
	bool settled;
	int fd;

	buf_init(&facts, FACTS_MAX);
	settled = look(who, &facts);
	if (entry->who == who && entry->settled && same_facts(&entry->facts, &facts)) {
		buf_free(&facts);
		return entry->ruleset_fd;
	}
	fd = make_ruleset(who);
	if (fd < 0) {
		buf_free(&facts);
		return fd;
	}
	forget(entry);
	*entry = (struct cached){ policy_ref((struct policy *)principal_policy(who)), who, facts, settled, fd };
	return fd;
}

/* Returns whether paths are left to be confined, by a ruleset. */
static bool confine_all_but_paths(const struct policy *policy, struct spawn *spawn)
{
	struct policy_confinement c = policy_confinement(policy);

	if (c.no_network)
		spawn->network_fd = network_none_fd();
	if (!wants_confinement(&c))
		return false;
	spawn->no_new_privs = true;
	spawn->drop_capabilities = true;
	return landlock_abi() > 0; /* without, it is best_effort, or confine_check() would not have let it start */
}

static int take_ruleset(struct spawn *spawn, int fd, struct err *err)
{
	spawn->ruleset_fd = fd;
	return fd < 0 ? err_set(err, ERR_BUSY, "cannot confine the program: %s", strerror(-fd)) : 0;
}

int confine_apply(const struct principal *who, struct spawn *spawn, struct err *err)
{
	return confine_all_but_paths(principal_policy(who), spawn) ? take_ruleset(spawn, ruleset_of(who), err) : 0;
}

static int make_ruleset_apart(const struct policy *policy, int own_fd)
{
	struct policy_confinement c = policy_confinement(policy);
	const struct run_as *user = policy_user(policy, NULL);
	AUTOCLOSE int fd = landlock_new(c.no_network && network_none_fd() < 0);
	int status = fd < 0 ? fd : allow_system(fd);

	for (size_t i = 0; status == 0 && i < ARRAY_LEN(browser_parts); i++)
		status = allow_path(fd, browser_parts[i], LANDLOCK_MAY_READ);
	/* Its own sandbox writes the maps of users and groups there; as root it has no such sandbox. */
	if (status == 0 && user && user->uid != 0)
		status = allow_path(fd, "/proc", LANDLOCK_MAY_READ | LANDLOCK_MAY_WRITE);
	for (const char *const *path = c.read; status == 0 && path && *path; path++)
		status = allow_path(fd, *path, LANDLOCK_MAY_READ | LANDLOCK_MAY_EXECUTE);
	if (status == 0)
		status = landlock_allow(fd, own_fd, LANDLOCK_MAY_READ | LANDLOCK_MAY_WRITE);
	return status < 0 ? status : take_fd(&fd);
}

int confine_apart(const struct policy *policy, int own_fd, struct spawn *spawn, struct err *err)
{
	return confine_all_but_paths(policy, spawn) ? take_ruleset(spawn, make_ruleset_apart(policy, own_fd), err) : 0;
}

/* Makes it where it is missing; whether it is the user's then, and no other's. */
static bool make_temp_dir(int base_fd, const char *name, const struct run_as *user)
{
	struct stat st;

	if (mkdirat(base_fd, name, 0700) == 0 && user &&
		fchownat(base_fd, name, user->uid, user->gid, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	return fstatat(base_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode) &&
	       st.st_uid == (user ? user->uid : geteuid());
}

/* Each user has one for itself: nobody else may write there. */
const char *confine_temp_dir(const struct principal *who, const char *user_name, struct arena *arena)
{
	struct policy_confinement c = policy_confinement(principal_policy(who));
	const struct run_as *user = policy_user(principal_policy(who), user_name);
	AUTOCLOSE int base_fd = -1;
	char name[sizeof CONFINE_TEMP_NAME + 16];
	struct err ignored;

	if (!wants_confinement(&c) ||
		roots_check_write(principal_roots(who), place_base_path(who), place_base_path(who), &ignored) < 0)
		return NULL;
	base_fd = place_base_fd(who);
	if (base_fd < 0)
		return NULL;
	snprintf(name, sizeof name, "%s", CONFINE_TEMP_NAME);
	if (user != policy_user(principal_policy(who), NULL) || !make_temp_dir(base_fd, name, user)) {
		snprintf(name, sizeof name, "%s-%u", CONFINE_TEMP_NAME, (unsigned)(user ? user->uid : geteuid()));
		/* A file system without owners has but the one. */
		if (!make_temp_dir(base_fd, name, user))
			snprintf(name, sizeof name, "%s", CONFINE_TEMP_NAME);
	}
	return arena_printf(arena, "%s/%s", place_base_path(who), name);
}

void confine_put_temp_dir(const struct principal *who, const char *user, struct child_env *env)
{
	const char *temp_dir = confine_temp_dir(who, user, env->arena);

	if (temp_dir && !child_env_get(env, "TMPDIR"))
		child_env_put(env, "TMPDIR", str_of(temp_dir));
}

const char *confine_network(const struct policy *policy)
{
	struct policy_confinement c = policy_confinement(policy);

	if (!c.no_network)
		return "inherit";
	if (network_none_fd() >= 0)
		return "none";
	return wants_confinement(&c) && landlock_abi() >= LANDLOCK_ABI_TCP ? "tcp_denied" : "inherit";
}

void confine_receipt(const struct policy *policy, struct confine_receipt *ret_receipt)
{
	static const char *const modes[] = {
		[CONFINE_OFF] = "off", [CONFINE_PATHS] = "paths", [CONFINE_BEST_EFFORT] = "best_effort"
	};
	struct policy_confinement c = policy_confinement(policy);
	bool confined = wants_confinement(&c);

	*ret_receipt = (struct confine_receipt){
		.mode = modes[c.mode],
		.network = confine_network(policy),
		.filesystem = confined && landlock_abi() >= LANDLOCK_ABI_FILES,
		.signals = confined && landlock_abi() >= LANDLOCK_ABI_SCOPES,
		.landlock_abi = landlock_abi(),
	};
	ret_receipt->missing = (struct list){ ret_receipt->texts, find_missing(policy, ret_receipt->texts) };
}
