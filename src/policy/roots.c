/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/roots.h"

#include "policy/beneath.h"
#include "policy/own_names.h"
#include "policy/path_walk.h"
#include "policy/pattern.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct root {
	char *given;              /* as configured, tidied */
	char *real;               /* without symbolic links */
	char *shown;              /* the server's: given; a token's: in terms of the server's root */
	const struct root *below; /* a token's: the server's root that holds it */
	pthread_mutex_t *lock;    /* of fd */
	int fd;                   /* the server's */
};

struct rules {
	char **texts;    /* as they are told: absolute, or with ** in front; NULL at the end */
	char **patterns; /* absolute, in terms of shown paths */
	size_t count;
};

struct roots {
	struct root *items;
	size_t count;
	char **list; /* the shown paths, NULL at the end */
	char *base, *rule;
	struct rules deny, readonly;
	struct rules own; /* texts: their rules */
	const struct roots *within;
	bool base_alone; /* as of the spec */
	pthread_mutex_t lock;
};

/* Where path ends when it lies at or below root, else NULL: "" or "/…". */
static const char *behind(const char *path, const char *root)
{
	size_t len = strlen(root);

	if (len == 1)
		return path[1] ? path : "";
	if (strncmp(path, root, len) != 0 || (path[len] && path[len] != '/'))
		return NULL;
	return path + len;
}

/* Absolute, one slash between parts, none at the end; NULL where it holds ".." or is not absolute. */
static char *tidy(const char *path)
{
	char *to = mem_alloc(strlen(path) + 2);
	size_t len = 0;

	for (const char *at = path; path[0] == '/' && *at;) {
		size_t part = strcspn(at, "/");

		if (part == 2 && at[0] == '.' && at[1] == '.')
			break;
		if (part > 0 && !(part == 1 && at[0] == '.')) {
			to[len++] = '/';
			memcpy(to + len, at, part);
			len += part;
		}
		at += part + (at[part] == '/');
		if (!*at) {
			memcpy(to + len, len ? "" : "/", len ? 1 : 2);
			return to;
		}
	}
	free(to);
	return NULL;
}

static char *join(const char *front, const char *back)
{
	size_t front_len = strcmp(front, "/") == 0 ? 0 : strlen(front), back_len = strlen(back);
	char *to = mem_alloc(front_len + back_len + 2);

	memcpy(to, front, front_len);
	memcpy(to + front_len, back, back_len);
	if (front_len + back_len == 0)
		to[0] = '/';
	return to;
}

/* The path in the form that is shown; one that begins with no root stays as it is. */
static char *as_shown(const struct roots *r, const char *path)
{
	const struct root *best = NULL;
	const char *rest = path;

	for (size_t i = 0; i < r->count; i++) {
		const char *spellings[] = { r->items[i].given, r->items[i].real };

		for (size_t s = 0; s < ARRAY_LEN(spellings); s++) {
			const char *found = behind(path, spellings[s]);

			if (found && (!best || strlen(found) < strlen(rest))) {
				best = &r->items[i];
				rest = found;
			}
		}
	}
	if (best)
		return join(best->shown, rest);
	return r->within ? as_shown(r->within, path) : mem_strdup(path);
}

static int make_folders(const char *path)
{
	AUTOFREE char *text = mem_strdup(path);

	for (char *at = strchr(text + 1, '/');; at = strchr(at + 1, '/')) {
		if (at)
			*at = '\0';
		if (mkdir(text, 0755) < 0 && errno != EEXIST)
			return -errno;
		if (!at)
			return 0;
		*at = '/';
	}
}

/* The server's own root is opened now; who configures it may use links. */
static int open_own(struct root *root, const char *key, struct err *err)
{
	char real[PATH_MAX];
	AUTOCLOSE int top = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (top < 0 || !realpath(root->given, real))
		return err_system(err, errno, "%s: cannot open '%s'", key, root->given);
	root->fd = beneath_open(top, real + 1);
	if (root->fd < 0)
		return err_system(err, -root->fd, "%s: cannot open '%s'", key, root->given);
	root->real = mem_strdup(real);
	root->shown = mem_strdup(root->given);
	return 0;
}

/*
 * A token's root is found through the server's roots once, so that links on the way to it are
 * the administrator's and not what somebody makes of them later.  It need not be there yet.
 */
static int find_within(struct root *root, const struct roots *within, const char *key, struct err *err)
{
	struct path_walk walk;
	int status;

	path_walk_init(&walk, within, str_of(root->given), PATH_WALK_FOLLOW | PATH_WALK_MISSING_OK, err);
	status = path_walk_run(&walk);
	if (status == 0) {
		root->below = walk.root;
		root->shown = join(walk.root->shown, walk.pos);
		root->real = join(walk.root->real, walk.pos);
	}
	path_walk_done(&walk);
	return status == 0
		       ? 0
		       : err_set(err, ERR_ARGS_INVALID, "%s: '%s' is not below the server's roots", key, root->given);
}

static int add_root(struct roots *r, const char *given, size_t index, struct err *err)
{
	struct root *root = &r->items[r->count];
	char key[ERR_RULE_MAX];

	if (r->base_alone)
		snprintf(key, sizeof key, "%s.base", r->rule);
	else
		snprintf(key, sizeof key, "%s.roots[%zu]", r->rule, index);
	*root = (struct root){ .fd = -1, .lock = &r->lock, .given = tidy(given) };
	if (!root->given)
		return err_set(err, ERR_ARGS_INVALID, "%s: '%s' is not an absolute path without '..'", key, given);
	r->count++;
	return r->within ? find_within(root, r->within, key, err) : open_own(root, key, err);
}

/*
 * A root inside of another one, by whatever names they are configured: both then show one path for
 * one file, or a rule about the one spelling would not hold for the other.
 */
static void show_as_one(struct roots *r)
{
	for (size_t i = 0; i < r->count; i++) {
		struct root *root = &r->items[i];
		const struct root *outer = root;

		for (size_t other = 0; other < r->count; other++) {
			const struct root *o = &r->items[other];

			if (behind(root->real, o->real) &&
				(strlen(o->real) < strlen(outer->real) || (outer == root && other < i)))
				outer = o;
		}
		if (outer == root)
			continue;
		free(root->shown);
		root->shown = join(outer->given, behind(root->real, outer->real));
	}
}

static int add_roots(struct roots *r, const char *const *list, struct err *err)
{
	size_t count = 0;

	while (list[count])
		count++;
	r->items = mem_alloc((count + 1) * sizeof *r->items);
	r->list = mem_alloc((count + 1) * sizeof *r->list);
	for (size_t i = 0; i < count; i++) {
		if (add_root(r, list[i], i, err) < 0)
			return -1;
	}
	if (!r->within)
		show_as_one(r);
	for (size_t i = 0; i < count; i++)
		r->list[i] = r->items[i].shown;
	return 0;
}

/* A relative pattern starts at the base, "~" is the base, and "**" stands for any folder. */
static char *absolute_pattern(const struct roots *r, const char *text)
{
	bool is_home = text[0] == '~' && (!text[1] || text[1] == '/');
	bool is_free = strcmp(text, "**") == 0 || strncmp(text, "**/", 3) == 0;
	AUTOFREE char *slashed = join("//", text + (is_home ? 1 : 0));
	AUTOFREE char *joined = is_free || text[0] == '/' ? mem_strdup(slashed) : join(r->base, slashed);
	AUTOFREE char *tidied = tidy(joined);

	return tidied ? as_shown(r, tidied) : NULL;
}

static int add_rules(
	const struct roots *r, struct rules *rules, const char *const *list, const char *key, struct err *err)
{
	size_t count = 0;

	while (list && list[count])
		count++;
	rules->texts = mem_alloc((count + 1) * sizeof *rules->texts);
	rules->patterns = mem_alloc((count + 1) * sizeof *rules->patterns);
	for (; rules->count < count; rules->count++) {
		char *pattern = list[rules->count][0] ? absolute_pattern(r, list[rules->count]) : NULL;
		bool is_free;

		if (!pattern)
			return err_set(err, ERR_ARGS_INVALID, "%s.%s[%zu]: '%s' is empty or holds '..'", r->rule, key,
				rules->count, list[rules->count]);
		is_free = strcmp(pattern, "/**") == 0 || strncmp(pattern, "/**/", 4) == 0;
		rules->texts[rules->count] = mem_strdup(pattern + is_free);
		rules->patterns[rules->count] = pattern;
	}
	return 0;
}

static bool holds(const struct roots *r, const char *path)
{
	for (size_t i = 0; i < r->count; i++) {
		if (behind(path, r->items[i].shown))
			return true;
	}
	return false;
}

static int set_base(struct roots *r, const char *base, struct err *err)
{
	AUTOFREE char *tidied = base ? tidy(base) : NULL;

	if (!tidied)
		return err_set(err, ERR_ARGS_INVALID, "%s.base: '%s' is not an absolute path without '..'", r->rule,
			base ? base : "");
	r->base = as_shown(r, tidied);
	if (!holds(r, r->base))
		return err_set(err, ERR_ARGS_INVALID, "%s.base: '%s' is not below the roots", r->rule, base);
	return 0;
}

static void add_own(struct roots *r, const struct own_file *files)
{
	struct rules *rules = &r->own;

	rules->texts = mem_alloc((ROOTS_OWN_MAX * OWN_NAMES_MAX + 1) * sizeof *rules->texts);
	rules->patterns = mem_alloc((ROOTS_OWN_MAX * OWN_NAMES_MAX + 1) * sizeof *rules->patterns);
	for (size_t i = 0; i < ROOTS_OWN_MAX; i++) {
		char *names[OWN_NAMES_MAX];
		size_t count = files[i].path ? own_names(files[i].path, names) : 0;

		for (size_t at = 0; at < count; at++) {
			rules->texts[rules->count] = mem_strdup(files[i].rule);
			rules->patterns[rules->count++] = as_shown(r, names[at]);
			free(names[at]);
		}
	}
}

static int fill(struct roots *r, const struct roots_spec *spec, struct err *err)
{
	int status = spec->make_base && spec->base && spec->base[0] == '/' ? make_folders(spec->base) : 0;

	if (status < 0)
		return err_system(err, -status, "%s.base: cannot make '%s'", r->rule, spec->base);
	if (add_roots(r, spec->roots, err) < 0 || set_base(r, spec->base, err) < 0)
		return -1;
	add_own(r, spec->own);
	if (add_rules(r, &r->deny, spec->deny, "deny", err) < 0)
		return -1;
	return add_rules(r, &r->readonly, spec->readonly, "readonly", err);
}

struct roots *roots_new(const struct roots_spec *spec, struct err *err)
{
	struct roots *r = mem_new(struct roots);

	r->rule = mem_strdup(spec->rule);
	r->within = spec->within;
	r->base_alone = spec->base_alone;
	pthread_mutex_init(&r->lock, NULL);
	if (fill(r, spec, err) == 0)
		return r;
	roots_free(r);
	return NULL;
}

static void free_rules(struct rules *rules)
{
	for (size_t i = 0; i < rules->count; i++) {
		free(rules->texts[i]);
		free(rules->patterns[i]);
	}
	free(rules->texts);
	free(rules->patterns);
}

void roots_free(struct roots *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->count; i++) {
		free(r->items[i].given);
		free(r->items[i].real);
		free(r->items[i].shown);
		close_fd(r->items[i].fd);
	}
	free_rules(&r->deny);
	free_rules(&r->readonly);
	free_rules(&r->own);
	free(r->items);
	free(r->list);
	free(r->base);
	free(r->rule);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

const struct root *roots_at(const struct roots *r, const char *path)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct root *root = &r->items[i];

		if (strcmp(path, root->given) == 0 || strcmp(path, root->real) == 0 || strcmp(path, root->shown) == 0)
			return root;
	}
	return NULL;
}

const char *roots_base(const struct roots *r)
{
	return r->base;
}

const char *root_path(const struct root *root)
{
	return root->shown;
}

const char *root_real(const struct root *root)
{
	return root->real;
}

/* Opens a root again whose folder was removed: at the same place, this time following no link. */
static int open_again(const char *real)
{
	AUTOCLOSE int top = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	return top < 0 ? -errno : beneath_open(top, real + 1);
}

static int open_locked(struct root *root)
{
	struct stat st;
	int fd;

	if (fstat(root->fd, &st) < 0)
		return -errno;
	if (st.st_nlink == 0) {
		fd = open_again(root->real);
		if (fd < 0)
			return fd;
		close(root->fd);
		root->fd = fd;
	}
	fd = fcntl(root->fd, F_DUPFD_CLOEXEC, 3);
	return fd >= 0 ? fd : -errno;
}

int root_open(const struct root *root)
{
	struct root *own = (struct root *)root; /* its descriptor may be renewed, under the lock */
	AUTOCLOSE int below = -1;
	const char *rest;
	int fd;

	if (!root->below) {
		pthread_mutex_lock(own->lock);
		fd = open_locked(own);
		pthread_mutex_unlock(own->lock);
		return fd;
	}
	below = root_open(root->below);
	if (below < 0)
		return below;
	rest = behind(root->shown, root->below->shown);
	return beneath_open(below, rest + (*rest == '/'));
}

typedef bool pattern_fn(const char *pattern, const char *path);

static ssize_t find_one(const struct rules *rules, const char *path, pattern_fn *fn)
{
	for (size_t i = 0; i < rules->count; i++) {
		if (fn(rules->patterns[i], path))
			return (ssize_t)i;
	}
	return -1;
}

/* Which of the rules is about the path, or -1; a star in a rule may stand for another spelling of a root. */
static ssize_t find_rule(const struct roots *r, const struct rules *rules, const char *path, pattern_fn *fn)
{
	ssize_t found = find_one(rules, path, fn);

	for (size_t i = 0; found < 0 && rules->count && i < r->count; i++) {
		const char *spellings[] = { r->items[i].given, r->items[i].real };
		const char *rest = behind(path, r->items[i].shown);

		for (size_t s = 0; rest && found < 0 && s < ARRAY_LEN(spellings); s++) {
			AUTOFREE char *spelled = strcmp(spellings[s], r->items[i].shown) == 0
							 ? NULL
							 : join(spellings[s], rest);

			found = spelled ? find_one(rules, spelled, fn) : -1;
		}
	}
	return found;
}

static int check(const struct roots *r, const struct rules *rules, enum err_code code, const char *path,
	const char *given, struct err *err)
{
	bool is_deny = code == ERR_POLICY_PATH;
	ssize_t found = find_rule(r, rules, path, pattern_covers);
	char rule[ERR_RULE_MAX];

	if (found < 0)
		return 0;
	snprintf(rule, sizeof rule, "%s.%s[%zd]", r->rule, is_deny ? "deny" : "readonly", found);
	return err_deny(err, code, rule,
		is_deny ? "path is denied by the policy: %s" : "path is read-only by the policy: %s", given);
}

static int check_own(const struct roots *r, const char *path, const char *given, struct err *err)
{
	ssize_t found = find_rule(r, &r->own, path, pattern_covers);

	if (found < 0)
		return 0;
	return err_deny(err, ERR_POLICY_PATH, r->own.texts[found], "path is a file of the server itself: %s", given);
}

int roots_check_visible(const struct roots *r, const char *path, const char *given, struct err *err)
{
	for (; r; r = r->within) {
		if (check_own(r, path, given, err) < 0)
			return -1;
		if (check(r, &r->deny, ERR_POLICY_PATH, path, given, err) < 0)
			return -1;
	}
	return 0;
}

int roots_check_write(const struct roots *r, const char *path, const char *given, struct err *err)
{
	if (roots_check_visible(r, path, given, err) < 0)
		return -1;
	for (; r; r = r->within) {
		if (check(r, &r->readonly, ERR_POLICY_READONLY, path, given, err) < 0)
			return -1;
	}
	return 0;
}

int roots_deny(const struct roots *r, const char *given, struct err *err)
{
	char rule[ERR_RULE_MAX];

	snprintf(rule, sizeof rule, "%s.roots", r->rule);
	return err_deny(err, ERR_POLICY_PATH, rule, "path is outside the allowed roots: %s", given);
}

bool roots_hold_root(const struct roots *r, const char *path)
{
	for (; r; r = r->within) {
		for (size_t i = 0; i < r->count; i++) {
			if (behind(r->items[i].shown, path))
				return true;
		}
	}
	return false;
}

bool roots_reach_pattern(const struct roots *r, const char *path)
{
	for (; r; r = r->within) {
		if (find_rule(r, &r->own, path, pattern_reaches) >= 0 ||
			find_rule(r, &r->deny, path, pattern_reaches) >= 0 ||
			find_rule(r, &r->readonly, path, pattern_reaches) >= 0)
			return true;
	}
	return false;
}

const char *roots_hold_own(const struct roots *r)
{
	while (r->within)
		r = r->within;
	for (size_t i = 0; i < r->own.count; i++) {
		if (holds(r, r->own.patterns[i]))
			return r->own.texts[i];
	}
	return NULL;
}

const char *roots_own_below(const struct roots *r, const char *real)
{
	while (r->within)
		r = r->within;
	for (size_t i = 0; i < r->own.count; i++) {
		struct stat st;

		/* Who can read a link to it has not read the file. */
		if (behind(r->own.patterns[i], real) && (lstat(r->own.patterns[i], &st) < 0 || !S_ISLNK(st.st_mode)))
			return r->own.texts[i];
	}
	return NULL;
}

const char *const *roots_list(const struct roots *r)
{
	return (const char *const *)r->list;
}

const char *const *roots_readonly(const struct roots *r)
{
	return (const char *const *)r->readonly.texts;
}

const char *const *roots_denied(const struct roots *r)
{
	return (const char *const *)r->deny.texts;
}
