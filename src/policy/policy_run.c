/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a policy says of programs: users, signals, variables, limits.
 */
#include "policy/overlay.h"
#include "policy/policy_internal.h"

#include <stdio.h>
#include <unistd.h>

static const char path_default[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/* Variables that change which code a program runs, or whom it believes to be (R96). */
static const char *const protected_names[] = { "LD_*", "BASH_ENV", "ENV", "IFS", "NODE_OPTIONS", "PYTHON*", "PERL5*",
	"RUBY*", "GIT_*", "DOTNET_*", "JAVA_TOOL_OPTIONS", "PATH", "HOME", "USER", "SHELL", NULL };

int policy_check_signal(const struct principal *who, int number, struct err *err)
{
	if (number >= 0 && number < 64 && (who->policy->config->process.signals >> number & 1))
		return 0;
	return err_deny(err, ERR_POLICY_SIGNAL, "process.signals", "signal %d may not be sent", number);
}

static int check_name(struct str name, struct err *err)
{
	if (child_env_valid_name(name))
		return 0;
	return err_set(err, ERR_ARGS_INVALID, "'" STR_FMT "' is not a variable's name", (int)MIN(name.len, 64),
		name.len ? name.p : "");
}

int policy_check_env(const struct principal *who, struct str name, struct err *err)
{
	(void)who;
	if (check_name(name, err) < 0)
		return -1;
	if (!str_starts(name, "ABX_"))
		return 0;
	return err_deny(err, ERR_POLICY_ENV, "process.env", "the variable '" STR_FMT "' is the server's own",
		(int)MIN(name.len, 64), name.p);
}

int policy_check_env_set(const struct principal *who, struct str name, struct err *err)
{
	if (policy_check_env(who, name, err) < 0)
		return -1;
	for (const char *const *pattern = protected_names; *pattern; pattern++) {
		if (child_env_matches(name, *pattern))
			return err_deny(err, ERR_POLICY_ENV, "process.env", "the variable '" STR_FMT "' is protected",
				(int)MIN(name.len, 64), name.p);
	}
	return 0;
}

static const struct run_as *find_user(const struct policy *p, const char *name)
{
	for (size_t i = 0; i < p->user_count; i++) {
		if (strcmp(p->users[i]->name, name) == 0)
			return p->users[i];
	}
	return NULL;
}

int policy_check_user(const struct principal *who, const char *user, struct err *err)
{
	const struct policy *p = who->policy;

	if (!user || find_user(p, user))
		return 0;
	/* One's own name changes nothing, unless the policy wants programs to be somebody else's. */
	if (p->self && !p->config->process.user && strcmp(p->self->name, user) == 0)
		return 0;
	return err_deny(err, ERR_POLICY_COMMAND, "process.users", "programs may not run as '%.64s'", user);
}

const struct run_as *policy_user(const struct policy *p, const char *name)
{
	const struct run_as *user = NULL;

	if (name)
		user = find_user(p, name);
	else if (p->config->process.user)
		user = p->users[0];
	return user && user->uid != geteuid() ? user : NULL;
}

const struct run_as *policy_self(const struct policy *p)
{
	return p->self;
}

struct policy_confinement policy_confinement(const struct policy *p)
{
	/* The rows' choices stand in the order of the enum. */
	return (struct policy_confinement){
		.mode = (enum policy_confine)p->config->process.confine,
		.no_network = p->config->process.network != 0,
		.names_user = p->config->process.user && p->config->process.user[0],
		.read = p->config->process.read,
	};
}

struct policy_cgroup policy_cgroup(const struct policy *p)
{
	return (struct policy_cgroup){ p->config->process.memory_max, p->config->process.pids_max,
		p->config->process.cpu_max };
}

const struct as_user *policy_file_user(const struct policy *p)
{
	return p->file_user.count ? &p->file_user : NULL;
}

mode_t policy_umask(const struct policy *p)
{
	return (mode_t)p->config->process.umask;
}

size_t policy_rlimits(const struct policy *p, struct policy_rlimit ret_limits[static POLICY_RLIMITS_MAX])
{
	const struct {
		int which;
		int64_t value;
	} wanted[] = {
		{ RLIMIT_NOFILE, p->config->process.nofile },
		{ RLIMIT_NPROC, p->config->process.nproc },
		{ RLIMIT_FSIZE, p->config->process.fsize },
		{ RLIMIT_CPU, p->config->process.cpu },
		{ RLIMIT_AS, p->config->process.as },
	};
	size_t count = 0;

	ret_limits[count++] = (struct policy_rlimit){ RLIMIT_CORE, { 0, 0 } };
	for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
		rlim_t value = (rlim_t)wanted[i].value;

		if (value)
			ret_limits[count++] = (struct policy_rlimit){ wanted[i].which, { value, value } };
	}
	return count;
}

const char *const *policy_language(const struct policy *p, const char *name)
{
	const struct language *languages = p->config->devtools.languages.items;

	for (size_t i = 0; i < p->config->devtools.languages.count; i++) {
		if (strcmp(languages[i].name, name) == 0)
			return languages[i].argv;
	}
	return NULL;
}

size_t policy_languages(const struct policy *p, const char **ret_names, size_t most)
{
	const struct language *languages = p->config->devtools.languages.items;
	size_t count = MIN(p->config->devtools.languages.count, most);

	for (size_t i = 0; i < count; i++)
		ret_names[i] = languages[i].name;
	return count;
}

static bool is_inherited(const struct policy *p, struct str name, bool is_terminal)
{
	if (!child_env_valid_name(name) || str_starts(name, "ABX_") || (str_is(name, "TERM") && !is_terminal))
		return false;
	for (texts pattern = p->config->process.inherit; *pattern; pattern++) {
		if (child_env_matches(name, *pattern))
			return true;
	}
	return false;
}

static void inherit(const struct policy *p, bool is_terminal, struct child_env *env)
{
	for (char **item = environ; item && *item; item++) {
		struct str value = str_of(*item);
		struct str name = str_cut(&value, '=');
		char text[256];

		if (name.len >= sizeof text || !is_inherited(p, name, is_terminal))
			continue;
		snprintf(text, sizeof text, STR_FMT, STR_ARG(name));
		child_env_put(env, text, value);
	}
}

static void put_missing(struct child_env *env, const char *name, const char *value)
{
	const char *old = child_env_get(env, name);

	if (!old || !old[0])
		child_env_put(env, name, str_of(value));
}

/*
 * Who the program is: of another user all four come from its entry.  Of our own user HOME and
 * SHELL may have been set on purpose, and the name is the entry's where there is one.
 */
static void put_identity(const struct policy *p, const struct run_as *other, struct child_env *env)
{
	const struct run_as *user = other ? other : p->self;
	char number[16];

	snprintf(number, sizeof number, "%u", (unsigned)geteuid());
	if (other) {
		child_env_put(env, "HOME", str_of(other->home));
		child_env_put(env, "SHELL", str_of(other->shell));
	}
	put_missing(env, "HOME", user ? user->home : "/");
	put_missing(env, "SHELL", user ? user->shell : "/bin/sh");
	if (user)
		child_env_put(env, "USER", str_of(user->name));
	put_missing(env, "USER", number);
	child_env_put(env, "LOGNAME", str_of(child_env_get(env, "USER")));
}

void policy_child_env(const struct policy *p, const char *user, bool is_terminal, struct child_env *env)
{
	const struct named_text *set = p->config->process.set.items;

	inherit(p, is_terminal, env);
	put_identity(p, policy_user(p, user), env);
	put_missing(env, "PATH", path_default);
	if (!child_env_get(env, "LC_ALL"))
		put_missing(env, "LANG", "C.UTF-8");
	if (is_terminal)
		child_env_put(env, "TERM", STR("xterm-256color"));
	for (size_t i = 0; i < p->config->process.set.count; i++)
		child_env_put(env, set[i].name, str_of(set[i].value));
	overlay_apply(env);
}
