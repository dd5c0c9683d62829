/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building a policy from the options and the file: whatever cannot be enforced fails here.
 */
#include "policy/policy_internal.h"

#include "base/users.h"
#include "policy/policy_file.h"
#include "policy/roots.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GROUPS_MAX = 256 };

static const char default_base[] = "/home/user";
static const char *const every_scope[] = { "*", NULL };

struct policy *policy_ref(struct policy *p)
{
	p->refs++;
	return p;
}

void policy_unref(struct policy *p)
{
	if (!p || --p->refs)
		return;
	for (size_t i = 0; i < p->principal_count; i++)
		roots_free(p->principals[i].own_roots);
	roots_free(p->roots);
	for (size_t i = 0; i < p->secrets.count; i++)
		explicit_bzero((char *)p->secrets.texts[i], strlen(p->secrets.texts[i]));
	policy_file_free(p->config);
	hold_free(&p->hold);
	free(p);
}

static void cleanup_policy(struct policy **p)
{
	policy_unref(*p);
}

static size_t count_texts(texts list)
{
	size_t count = 0;

	while (list && list[count])
		count++;
	return count;
}

static struct list list_of(texts list)
{
	return (struct list){ .items = (void *)(uintptr_t)list, .count = count_texts(list) };
}

/* The items of both, the first ones first. */
static struct list list_both(struct hold *hold, texts a, texts b)
{
	size_t count_a = count_texts(a), count_b = count_texts(b);
	const char **items = hold_array(hold, const char *, count_a + count_b + 1);

	for (size_t i = 0; i < count_a + count_b; i++)
		items[i] = i < count_a ? a[i] : b[i - count_a];
	return (struct list){ .items = items, .count = count_a + count_b };
}

/* The comma list of the start options, checked. */
static int read_disabled(struct policy *p, const char *text, struct err *err)
{
	struct str rest = str_of(text);
	const char **items = hold_array(&p->hold, const char *, (text ? strlen(text) : 0) + 1);
	size_t count = 0;

	p->disabled_groups = items;
	while (rest.len) {
		const char *group = hold_text(&p->hold, str_trim(str_cut(&rest, ',')));
		size_t i = 0;

		while (policy_groups[i] && strcmp(policy_groups[i], group) != 0)
			i++;
		if (!group[0])
			continue;
		if (!policy_groups[i])
			return err_set(err, ERR_ARGS_INVALID, "disabled groups: unknown group '%.64s'", group);
		if (strcmp(group, "core") == 0)
			return err_set(err, ERR_ARGS_INVALID, "disabled groups: 'core' cannot be switched off");
		items[count++] = group;
	}
	return 0;
}

static const char *absolute(struct policy *p, const char *path)
{
	char real[PATH_MAX], here[PATH_MAX];

	if (path[0] == '/')
		return path;
	if (realpath(path, real))
		return hold_text(&p->hold, str_of(real));
	if (!getcwd(here, sizeof here))
		return path;
	return hold_printf(&p->hold, "%s/%s", here, path);
}

/* --base-dir, else paths.base, else the first root, else /home/user where it is, else where the server started. */
static const char *choose_base(struct policy *p, const struct policy_settings *settings, bool *ret_make)
{
	const struct paths_config *paths = &p->config->paths;
	struct stat st;

	*ret_make = false;
	if (!settings->base_dir && paths->base)
		return paths->base;
	if (!settings->base_dir && paths->roots)
		return paths->roots[0];
	*ret_make = true;
	if (settings->base_dir)
		return absolute(p, settings->base_dir);
	if (stat(default_base, &st) == 0 && S_ISDIR(st.st_mode))
		return default_base;
	return absolute(p, ".");
}

static struct policy_facts facts_of(struct policy *p, const struct roots *own, const struct roots *server)
{
	return (struct policy_facts){
		.base = roots_base(own),
		.roots = list_of(roots_list(own)),
		.readonly = list_both(&p->hold, roots_readonly(server), own == server ? NULL : roots_readonly(own)),
		.deny = list_both(&p->hold, roots_denied(server), own == server ? NULL : roots_denied(own)),
	};
}

static int open_roots(struct policy *p, const struct policy_settings *settings, struct err *err)
{
	const struct paths_config *paths = &p->config->paths;
	const char *audit = p->config->audit.file;
	struct roots_spec spec = { .readonly = paths->readonly,
		.deny = paths->deny,
		.own = { { settings->file, "file" }, { audit[0] ? audit : NULL, "audit.file" },
			{ settings->token_file, "token_file" } },
		.rule = "paths" };
	const char *only_base[2] = { NULL };

	spec.base = only_base[0] = choose_base(p, settings, &spec.make_base);
	spec.roots = paths->roots ? paths->roots : only_base;
	spec.base_alone = !paths->roots;
	p->roots = roots_new(&spec, err);
	if (!p->roots)
		return -1;
	p->facts = facts_of(p, p->roots, p->roots);
	return 0;
}

static bool lies_below(const char *path, const char *root)
{
	size_t len = strlen(root);

	while (len && root[len - 1] == '/')
		len--;
	return strncmp(path, root, len) == 0 && (!path[len] || path[len] == '/');
}

/* The server's base where the token can reach it, else the token's first root. */
static const char *token_base(const struct policy *p, const struct paths_config *paths)
{
	if (paths->base)
		return paths->base;
	for (texts root = paths->roots; root && *root; root++) {
		if (lies_below(p->facts.base, *root))
			return p->facts.base;
	}
	return paths->roots ? paths->roots[0] : p->facts.base;
}

static int open_token_roots(struct policy *p, struct principal *who, struct err *err)
{
	const struct paths_config *paths = &who->token->paths;
	AUTOFREE char *rule = NULL;
	struct roots_spec spec = { .readonly = paths->readonly, .deny = paths->deny, .within = p->roots };

	if (!paths->base && !paths->roots && !paths->readonly && !paths->deny)
		return 0;
	rule = mem_strdup(hold_printf(&p->hold, "tokens.%s.paths", who->name));
	spec.rule = rule;
	spec.roots = paths->roots ? paths->roots : roots_list(p->roots);
	spec.base = token_base(p, paths);
	who->own_roots = roots_new(&spec, err);
	if (!who->own_roots)
		return -1;
	who->roots = who->own_roots;
	who->facts = facts_of(p, who->own_roots, p->roots);
	return 0;
}

/* A principal with all that the server has. */
static void init_principal(struct policy *p, struct principal *who, const char *name)
{
	*who = (struct principal){ .policy = p,
		.name = name,
		.scopes = every_scope,
		.roots = p->roots,
		.facts = p->facts,
		.rate = hold_new(&p->hold, struct rate) };
	who->scope_list = list_of(every_scope);
	rate_init(who->rate, p->config->limits.per_second, clock_now_ns());
}

static int add_token(struct policy *p, const struct token_config *token, struct err *err)
{
	struct principal *who = &p->principals[p->principal_count];

	init_principal(p, who, token->name);
	who->token = token;
	who->scopes = token->scopes;
	who->scope_list = list_of(token->scopes);
	rate_init(who->rate, rate_narrower(p->config->limits.per_second, token->per_second), clock_now_ns());
	if (token_find((const uint8_t(*)[TOKEN_HASH_SIZE])p->hashes, p->principal_count, token->hash) >= 0)
		return err_set(err, ERR_ARGS_INVALID, "%s:%zu: the token '%s' is the one of the start options too",
			p->config->file, token->line, token->name);
	memcpy(p->hashes[p->principal_count], token->hash, TOKEN_HASH_SIZE);
	p->principal_count++;
	p->secrets.texts[p->secrets.count++] = token->sha256;
	return open_token_roots(p, who, err);
}

/* The one token of the start options: everything that the server has. */
static int add_option_token(struct policy *p, const char *secret, struct err *err)
{
	uint8_t *hash = p->hashes[p->principal_count];
	char *hex;

	if (token_check(str_of(secret), "the token", err) < 0)
		return -1;
	token_digest(str_of(secret), hash);
	init_principal(p, &p->principals[p->principal_count++], "token");
	p->secrets.texts[p->secrets.count++] = hold_text(&p->hold, str_of(secret));
	hex = hold_alloc(&p->hold, 2 * TOKEN_HASH_SIZE + 1);
	for (size_t i = 0; i < TOKEN_HASH_SIZE; i++)
		snprintf(hex + 2 * i, 3, "%02x", hash[i]);
	p->secrets.texts[p->secrets.count++] = hex;
	return 0;
}

static int add_principals(struct policy *p, const struct policy_settings *settings, struct err *err)
{
	const struct token_config *tokens = p->config->tokens.items;
	size_t count = p->config->tokens.count;

	p->principals = hold_array(&p->hold, struct principal, count + 1);
	p->hashes = hold_alloc(&p->hold, sizeof *p->hashes * (count + 1));
	p->secrets.texts = hold_array(&p->hold, const char *, count + 2);
	init_principal(p, &p->local, "local");
	if (settings->token && add_option_token(p, settings->token, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (settings->token && strcmp(tokens[i].name, "token") == 0)
			return err_set(err, ERR_ARGS_INVALID, "%s:%zu: 'token' is the name of the start options' token",
				p->config->file, tokens[i].line);
		if (add_token(p, &tokens[i], err) < 0)
			return -1;
	}
	return 0;
}

static const struct run_as *keep_user(struct policy *p, const struct users *table, const struct user *user)
{
	struct run_as *kept = hold_new(&p->hold, struct run_as);
	gid_t *groups = hold_array(&p->hold, gid_t, GROUPS_MAX);

	*kept = (struct run_as){ .name = hold_text(&p->hold, str_of(user->name)),
		.home = user->home[0] ? hold_text(&p->hold, str_of(user->home)) : "/",
		.shell = user->shell[0] ? hold_text(&p->hold, str_of(user->shell)) : "/bin/sh",
		.uid = user->uid,
		.gid = user->gid,
		.groups = groups };
	kept->group_count = users_groups(table, user, groups, GROUPS_MAX);
	return kept;
}

static int add_user(struct policy *p, const struct users *table, const char *name, const char *key, struct err *err)
{
	const struct user *user = users_by_name(table, name);

	if (!user)
		return err_set(err, ERR_ARGS_INVALID, "%s: no user '%.64s' on this system", key, name);
	if (geteuid() != 0 && user->uid != geteuid())
		return err_set(err, ERR_ARGS_INVALID, "%s: only root can run programs as '%.64s'", key, name);
	p->users[p->user_count++] = keep_user(p, table, user);
	return 0;
}

static void cleanup_users(struct users **table)
{
	users_free(*table);
}

static int read_users(struct policy *p, struct err *err)
{
	CLEANUP(cleanup_users) struct users *table = users_load();
	const struct user *self = users_by_id(table, geteuid());
	texts users = p->config->process.users;
	const char *user = p->config->process.user;

	p->self = self ? keep_user(p, table, self) : NULL;
	p->users = hold_array(&p->hold, const struct run_as *, count_texts(users) + 1);
	if (user && !user[0])
		p->config->process.user = user = NULL;
	if (user && add_user(p, table, user, "process.user", err) < 0)
		return -1;
	for (; *users; users++) {
		if (add_user(p, table, *users, "process.users", err) < 0)
			return -1;
	}
	return 0;
}

/* File work is process.user's too; whether that is possible here is tried once, now. */
static int take_file_user(struct policy *p, struct err *err)
{
	const struct run_as *user = policy_user(p, NULL);
	struct as_self self;
	int status;

	if (!user)
		return 0;
	p->file_user = (struct as_user){ user->uid, user->gid, user->groups, user->group_count };
	status = as_user_enter(&p->file_user, &self);
	if (status < 0)
		return err_system(err, -status, "process.user: cannot become '%.64s'", user->name);
	as_user_leave(&self);
	return 0;
}

/* Raising a limit is root's right, and of descriptors the kernel has a highest number for root too. */
static int check_rlimits(const struct policy *p, struct err *err)
{
	static const struct {
		int which;
		const char *name;
	} names[] = { { RLIMIT_NOFILE, "nofile" }, { RLIMIT_NPROC, "nproc" }, { RLIMIT_FSIZE, "fsize" },
		{ RLIMIT_CPU, "cpu" }, { RLIMIT_AS, "as" } };
	struct policy_rlimit limits[POLICY_RLIMITS_MAX];
	size_t count = policy_rlimits(p, limits);

	for (size_t i = 0; i < count; i++) {
		struct rlimit now, raised;

		if (getrlimit(limits[i].which, &now) < 0 || limits[i].value.rlim_max <= now.rlim_max)
			continue;
		raised = (struct rlimit){ now.rlim_cur, limits[i].value.rlim_max };
		if (setrlimit(limits[i].which, &raised) == 0) {
			setrlimit(limits[i].which, &now);
			continue;
		}
		for (size_t name = 0; name < ARRAY_LEN(names); name++) {
			if (names[name].which == limits[i].which)
				return err_set(err, ERR_ARGS_INVALID,
					"process.rlimits.%s: the server has %llu itself and may not raise it",
					names[name].name, (unsigned long long)now.rlim_max);
		}
	}
	return 0;
}

/* What cannot be told from a single key. */
static int check_whole(const struct policy *p, struct err *err)
{
	const struct op *upload = op_find(STR("files.upload_stream"));
	const struct limit *limit = upload ? op_limit(upload, "max_bytes") : NULL;

	if (p->config->process.user && !policy_has_tokens(p))
		return err_set(
			err, ERR_ARGS_INVALID, "process.user without any token protects nothing: configure a token");
	if (check_rlimits(p, err) < 0)
		return -1;
	if (p->max_upload_size < 0 || (limit && p->max_upload_size > limit->cap))
		return err_set(err, ERR_ARGS_INVALID, "the largest upload must be from 1 to %lld bytes",
			(long long)(limit ? limit->cap : INT64_MAX));
	return 0;
}

struct policy *policy_new(const struct policy_settings *settings, struct err *err)
{
	CLEANUP(cleanup_policy) struct policy *p = mem_new(struct policy);

	p->refs = 1;
	p->max_upload_size = settings->max_upload_size;
	p->config = policy_file_load(settings->file, err);
	if (!p->config)
		return NULL;
	if (read_disabled(p, settings->disabled_groups, err) < 0 || open_roots(p, settings, err) < 0 ||
		read_users(p, err) < 0 || take_file_user(p, err) < 0 || add_principals(p, settings, err) < 0 ||
		check_whole(p, err) < 0) {
		/* Whatever a file or a user of it is: for whoever reloads it is the policy that is wrong. */
		err->code = ERR_ARGS_INVALID;
		policy_file_place(p->config, err);
		return NULL;
	}
	return take_ptr(p);
}
