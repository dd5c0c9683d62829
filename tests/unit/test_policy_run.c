/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a policy says of programs, and its two subcommands.
 */
#include "some_policy.h"

#include "policy/policy_cli.h"

static void programs(void **state)
{
	struct policy *p = make("process: {signals: [15], umask: \"077\", rlimits: {nofile: 64, cpu: 5}}");
	const struct principal *who = caller(p, NULL);
	struct policy_rlimit rows[POLICY_RLIMITS_MAX];

	(void)state;
	assert_int_equal(policy_check_signal(who, 15, &err), 0);
	assert_int_equal(policy_check_signal(who, 9, &err), -1);
	assert_int_equal(err.code, ERR_POLICY_SIGNAL);
	assert_string_equal(err.rule, "policy:process.signals");
	assert_int_equal(policy_check_signal(who, -1, &err), -1);
	assert_int_equal(policy_check_signal(who, 64 + 15, &err), -1);
	assert_int_equal(policy_umask(p), 077);
	assert_false(policy_fsync(p));
	assert_int_equal(policy_rlimits(p, rows), 3);
	assert_int_equal(rows[0].which, RLIMIT_CORE);
	assert_int_equal(rows[0].value.rlim_max, 0);
	assert_int_equal(rows[1].which, RLIMIT_NOFILE);
	assert_int_equal(rows[1].value.rlim_cur, 64);
	assert_int_equal(policy_check_user(who, NULL, &err), 0);
	assert_null(policy_user(p, NULL));
	assert_int_equal(policy_check_user(who, "nobody-of-this-name", &err), -1);
	assert_int_equal(err.code, ERR_POLICY_COMMAND);
	assert_string_equal(err.rule, "policy:process.users");
	policy_unref(p);
	refuses("process: {users: [nobody-of-this-name]}",
		"process.users: no user 'nobody-of-this-name' on this system");
	refuses("process: {user: root}", geteuid() == 0 ? "process.user without any token" : "only root");
}

/* Only root may be somebody else; then all that tells who one is comes from that user's entry. */
static void another_user(void **state)
{
	struct policy *p;
	struct arena arena;
	struct child_env env;

	(void)state;
	if (geteuid() != 0)
		skip();
	p = make_with((struct policy_settings){ .token = "t" }, "process: {user: nobody}");
	assert_non_null(p);
	assert_non_null(policy_user(p, NULL));
	assert_string_equal(policy_user(p, NULL)->name, "nobody");
	assert_true(policy_user(p, NULL)->group_count >= 1);
	assert_int_equal(policy_user(p, NULL)->groups[0], policy_user(p, NULL)->gid);
	assert_int_equal(policy_check_user(caller(p, "t"), "nobody", &err), 0);
	assert_int_equal(policy_check_user(caller(p, "t"), "root", &err), -1);
	setenv("HOME", "/root", 1);
	setenv("USER", "root", 1);
	arena_init(&arena, 1 << 20);
	child_env_init(&env, &arena);
	policy_child_env(p, NULL, false, &env);
	assert_string_equal(child_env_get(&env, "USER"), "nobody");
	assert_string_equal(child_env_get(&env, "LOGNAME"), "nobody");
	assert_string_equal(child_env_get(&env, "HOME"), policy_user(p, NULL)->home);
	assert_string_equal(child_env_get(&env, "SHELL"), policy_user(p, NULL)->shell);
	arena_free(&arena);
	policy_unref(p);
}

static void names_of_variables(void **state)
{
	static const char *const guarded[] = { "LD_PRELOAD", "BASH_ENV", "ENV", "IFS", "NODE_OPTIONS", "PYTHONPATH",
		"PERL5LIB", "RUBYOPT", "GIT_DIR", "DOTNET_STARTUP_HOOKS", "JAVA_TOOL_OPTIONS", "PATH", "HOME", "USER",
		"SHELL", NULL };
	struct policy *p = make(NULL);
	const struct principal *who = caller(p, NULL);

	(void)state;
	for (const char *const *name = guarded; *name; name++) {
		assert_int_equal(policy_check_env(who, str_of(*name), &err), 0);
		assert_int_equal(policy_check_env_set(who, str_of(*name), &err), -1);
		assert_int_equal(err.code, ERR_POLICY_ENV);
		assert_string_equal(err.rule, "policy:process.env");
	}
	assert_int_equal(policy_check_env_set(who, STR("EDITOR"), &err), 0);
	assert_int_equal(policy_check_env_set(who, STR("LDFLAGS"), &err), 0);
	assert_int_equal(policy_check_env(who, STR("ABX_RUN_ID"), &err), -1);
	assert_int_equal(err.code, ERR_POLICY_ENV);
	assert_int_equal(policy_check_env(who, STR(""), &err), -1);
	assert_int_equal(err.code, ERR_ARGS_INVALID);
	assert_int_equal(policy_check_env(who, STR("A=B"), &err), -1);
	assert_int_equal(policy_check_env(who, STR("A\0B"), &err), -1);
	assert_int_equal(err.code, ERR_ARGS_INVALID);
	policy_unref(p);
}

static void has(const struct child_env *env, const char *name, const char *value)
{
	const char *own = child_env_get(env, name);

	if (!value && own)
		fail_msg("%s is there: %s", name, own);
	if (value && (!own || strcmp(own, value) != 0))
		fail_msg("%s is %s, not %s", name, own ? own : "missing", value);
}

static void environment(void **state)
{
	struct policy *p = make("process: {env: {set: {A: from policy, TZ: UTC}}}");
	struct arena arena;
	struct child_env env;

	(void)state;
	clearenv();
	setenv("ABX_SERVER_TOKEN", "secret", 1);
	setenv("OTHER", "x", 1);
	setenv("LC_TIME", "de_DE", 1);
	setenv("TERM", "vt100", 1);
	setenv("TZ", "Mars", 1);
	setenv("HOME", "/work", 1);
	arena_init(&arena, 1 << 20);
	child_env_init(&env, &arena);
	policy_child_env(p, NULL, false, &env);
	has(&env, "ABX_SERVER_TOKEN", NULL);
	has(&env, "OTHER", NULL);
	has(&env, "TERM", NULL);
	has(&env, "LC_TIME", "de_DE");
	has(&env, "TZ", "UTC");
	has(&env, "A", "from policy");
	has(&env, "HOME", "/work");
	has(&env, "LANG", "C.UTF-8");
	has(&env, "PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
	assert_non_null(child_env_get(&env, "SHELL"));
	assert_string_equal(child_env_get(&env, "USER"), child_env_get(&env, "LOGNAME"));
	child_env_put(&env, "A", STR("mine"));
	child_env_drop(&env, "TZ");
	has(&env, "A", "mine");
	has(&env, "TZ", NULL);
	assert_null(child_env_items(&env)[env.count]);
	child_env_init(&env, &arena);
	policy_child_env(p, NULL, true, &env);
	has(&env, "TERM", "xterm-256color");
	arena_free(&arena);
	policy_unref(p);
}

static void environment_without_memory(void **state)
{
	struct arena arena;
	struct child_env env;

	(void)state;
	arena_init(&arena, 64);
	child_env_init(&env, &arena);
	assert_non_null(child_env_items(&env));
	child_env_put(&env, "A", STR("x"));
	assert_null(child_env_items(&env));
	arena_free(&arena);
}

/* What the subcommand says on its two outputs together. */
static char *said(int wanted, const char *token, const char *op, const char *path)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	int status = op ? policy_cli_explain(file, token, op, path, to, to) : policy_cli_check(file, NULL, to, to);

	assert_int_equal(fclose(to), 0);
	if (status != wanted)
		fail_msg("%d: %s", status, text);
	return text;
}

static void says(int wanted, const char *token, const char *op, const char *path, const char *part)
{
	AUTOFREE char *text = said(wanted, token, op, path);

	if (!strstr(text, part))
		fail_msg("\n  said   %s  wanted %s", text, part);
}

static void custom_commands(void **state)
{
	(void)state;
	write_file(
		"version: 1\npaths: {roots: [BASE]}\nops: {custom.off: false}\ntokens:\n"
		"- {name: ci, sha256: HASH(ci), scopes: [commands:run], ops: {run_command: true, custom.not: false}}\n"
		"- {name: sh, sha256: HASH(sh), scopes: [process:run]}\n");
	says(0, NULL, NULL, NULL, "policy.yaml:4: note: 'commands:run' is for the commands of the template's author");
	says(0, "ci", "custom.grade", NULL, "custom.grade: allowed\n");
	says(4, "ci", "custom.not", NULL, "policy.yaml:5: tokens.ci.ops.custom.not\n");
	says(4, "ci", "custom.off", NULL, "policy.yaml:3: ops.custom.off\n");
	says(4, "sh", "custom.grade", NULL, "policy.yaml:6: tokens.sh.scopes\n");
	write_file("version: 1\npaths: {roots: [BASE]}\nops: {run_command: false, custom.on: true}\n");
	says(4, NULL, "custom.grade", NULL, "policy.yaml:3: ops.run_command\n");
	says(0, NULL, "custom.on", NULL, "custom.on: allowed\n");
}

static void subcommands(void **state)
{
	(void)state;
	write_file("version: 1\npaths: {roots: [BASE], deny: [\"**/.env\"]}\ntokens:\n"
		   "- name: ci\n  sha256: HASH(ci)\n  scopes: [\"files:*\", process:run]\n"
		   "- {name: old, sha256: HASH(old), scopes: [\"*\"], expires: 2020-01-01}\n");
	says(0, NULL, NULL, NULL, "policy.yaml: ok\n");
	says(0, NULL, NULL, NULL, "policy.yaml:4: warning: 'ci' may run programs");
	says(0, NULL, NULL, NULL, "policy.yaml:2: warning: paths.deny holds for file ops");
	says(0, "ci", "files_list", "sub", "files.list: allowed\n");
	says(0, NULL, "health", NULL, "core.health: allowed\n");
	says(4, NULL, "files.list", NULL, "files.list: denied: a token is needed (auth.missing_credentials)\n");
	says(4, "ci", "system.info", NULL, "policy.yaml:6: tokens.ci.scopes\n");
	says(4, "ci", "files.delete", ".env", "policy.yaml:2: paths.deny[0]\n");
	says(4, "ci", "files.delete", "/etc", "policy.yaml:2: paths.roots\n");
	says(4, "ci", "git_status", NULL, "profile (not in the file: its default)\n");
	says(4, "old", "files.list", NULL, "policy.yaml:7: tokens.old.expires\n");
	says(2, "who", "files.list", NULL, "no token 'who'");
	says(2, "ci", "files.nothing", NULL, "no op 'files.nothing' in this build");
	says(2, "ci", "system.info", "/x", "'system.info' takes no path");
	write_file("verison: 1\n");
	says(1, NULL, NULL, NULL, ":1:1: unknown key 'verison', did you mean 'version'?\n");
	says(2, "ci", "files.list", NULL, ":1:1: unknown key");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs),
		cmocka_unit_test(another_user),
		cmocka_unit_test(names_of_variables),
		cmocka_unit_test(environment),
		cmocka_unit_test(environment_without_memory),
		cmocka_unit_test(custom_commands),
		cmocka_unit_test(subcommands),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
