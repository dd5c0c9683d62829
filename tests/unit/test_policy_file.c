/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The policy file: each key with what it takes and refuses, and where the messages point.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "policy/policy_file.h"
#include "policy/row.h"

#include "some_ops.h"

#include <stdio.h>
#include <stdlib.h>

#define HASH "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define OTHER "aa7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static struct config *parse(const char *text, struct err *err)
{
	return policy_file_parse("p.yaml", str_of(text), err);
}

static void takes(const char *text)
{
	struct err err = { 0 };
	struct config *config = parse(text, &err);

	if (!config)
		fail_msg("refused: %s\n%s", err.text, text);
	policy_file_free(config);
}

static void refuses(const char *text, const char *says)
{
	struct err err = { 0 };
	struct config *config = parse(text, &err);

	if (config)
		fail_msg("taken: %s", text);
	if (strcmp(err.text, says) != 0)
		fail_msg("\n  said   %s\n  wanted %s", err.text, says);
	assert_int_equal(err.code, ERR_ARGS_INVALID);
}

static void defaults(void **state)
{
	struct err err;
	struct config *config = parse("", &err);

	(void)state;
	assert_non_null(config);
	assert_int_equal(config->profile, PROFILE_DEFAULT);
	assert_int_equal(config->server.shutdown_grace, 10);
	assert_null(config->server.listen);
	assert_null(config->paths.base);
	assert_null(config->paths.roots);
	assert_int_equal(config->tokens.count, 0);
	assert_int_equal(config->limits.max_body_bytes, 10485760);
	assert_int_equal(config->limits.max_memory_bytes, 67108864);
	assert_int_equal(config->limits.max_connections, 1024);
	assert_int_equal(config->limits.max_watchers, 64);
	assert_true(config->limits.per_second == 0);
	assert_false(config->files.fsync);
	assert_int_equal(config->process.umask, 022);
	assert_null(config->process.user);
	assert_int_equal(config->process.signals, 1u << 1 | 1u << 2 | 1u << 3 | 1u << 9 | 1u << 10 | 1u << 12 |
							  1u << 15 | 1u << 18 | 1u << 19 | 1u << 20);
	assert_string_equal(config->process.inherit[5], "LC_*");
	policy_file_free(config);
	takes("# nothing\n");
	takes("{}");
	takes("---\nversion: 1\n...\n");
	takes("{\"version\": 1, \"groups\": {\"dev_tools\": true}, \"process\": {\"confine\": \"off\"}}");
}

static const char whole[] = "version: 1\n"
			    "server:\n"
			    "  listen: [\"127.0.0.1:9000\", \"unix:/run/abx.sock\"]\n"
			    "  shutdown_grace: 3\n"
			    "  commands: /etc/agent-sandbox/commands.d\n"
			    "  trust_forwarded: false\n"
			    "profile: full_access\n"
			    "groups:\n"
			    "  dev_tools: false\n"
			    "ops:\n"
			    "  files.delete: false\n"
			    "  process_start: true\n"
			    "  custom.grade: false\n"
			    "paths:\n"
			    "  base: /home/user\n"
			    "  roots: [/home/user, /tmp]\n"
			    "  readonly: [/home/user/vendor]\n"
			    "  deny: [\"**/.ssh\", \"**/.env\"]\n"
			    "tokens:\n"
			    "  - name: ci\n"
			    "    sha256: " HASH "\n"
			    "    scopes: [core:read, \"files:*\", process:read]\n"
			    "    expires: 2027-01-01T00:00:00Z\n"
			    "    ops: {files.delete: false}\n"
			    "    paths: {roots: [/home/user/project], deny: [\"*.key\"]}\n"
			    "    limits:\n"
			    "      process.start: {max_processes: 5}\n"
			    "      rate: {per_second: 2}\n"
			    "limits:\n"
			    "  max_body_bytes: 1048576\n"
			    "  max_memory_bytes: 33554432\n"
			    "  max_connections: 10\n"
			    "  max_watchers: 3\n"
			    "  rate: {per_second: 0.5}\n"
			    "  process.start: {max_processes: 50, retain: 7}\n"
			    "  terminal.create: {max_sessions: 10, idle_timeout: 1800, scrollback_bytes: 262144}\n"
			    "  files_upload_stream: {max_bytes: 5}\n"
			    "files: {fsync: true}\n"
			    "process:\n"
			    "  user: user\n"
			    "  users: [nobody]\n"
			    "  umask: \"077\"\n"
			    "  signals: [15, 9]\n"
			    "  confine: off\n"
			    "  read: []\n"
			    "  network: inherit\n"
			    "  rlimits: {nofile: 64, nproc: 1, fsize: 2, cpu: 3, as: 4}\n"
			    "  cgroup: {memory_max: 0, pids_max: 0, cpu_max: 0}\n"
			    "  env: {inherit: [PATH, \"LC_*\"], set: {A: b, N: 1}}\n"
			    "devtools: {languages: {}}\n"
			    "browser: {path: \"\", idle_timeout: 300, allow_hosts: [\"*\"]}\n"
			    "cors: {origins: [\"https://app.example.com\", \"http://[::1]:8080\"]}\n"
			    "audit: {file: \"\", ops: \"all\"}\n";

static void check_token(const struct token_config *token)
{
	const struct named_switch *ops = token->ops.items;
	const struct op_value *limits = token->limits.items;

	assert_string_equal(token->name, "ci");
	assert_int_equal(token->hash[0], 0xba);
	assert_string_equal(token->scopes[1], "files:*");
	assert_null(token->scopes[3]);
	assert_int_equal(token->expires, 1798761600);
	assert_int_equal(token->ops.count, 1);
	assert_string_equal(ops[0].name, "files.delete");
	assert_false(ops[0].on);
	assert_string_equal(token->paths.roots[0], "/home/user/project");
	assert_string_equal(token->paths.deny[0], "*.key");
	assert_null(token->paths.base);
	assert_int_equal(token->limits.count, 1);
	assert_int_equal(limits[0].value, 5);
	assert_true(token->per_second == 2);
}

static void check_limits(const struct config *config)
{
	const struct op_value *values = config->limits.ops.items;

	assert_int_equal(config->limits.max_body_bytes, 1048576);
	assert_int_equal(config->limits.max_memory_bytes, 33554432);
	assert_int_equal(config->limits.max_connections, 10);
	assert_int_equal(config->limits.max_watchers, 3);
	assert_true(config->limits.per_second == 0.5);
	assert_int_equal(config->limits.ops.count, 6);
	assert_string_equal(values[1].name, "retain");
	assert_int_equal(values[1].value, 7);
	assert_string_equal(values[5].op, "files.upload_stream");
	assert_int_equal(values[5].value, 5);
}

static void check_process(const struct config *config)
{
	const struct named_text *set = config->process.set.items;

	assert_string_equal(config->process.user, "user");
	assert_string_equal(config->process.users[0], "nobody");
	assert_int_equal(config->process.umask, 077);
	assert_int_equal(config->process.signals, 1u << 15 | 1u << 9);
	assert_int_equal(config->process.nofile, 64);
	assert_int_equal(config->process.nproc, 1);
	assert_int_equal(config->process.fsize, 2);
	assert_int_equal(config->process.cpu, 3);
	assert_int_equal(config->process.as, 4);
	assert_string_equal(config->process.inherit[1], "LC_*");
	assert_null(config->process.inherit[2]);
	assert_int_equal(config->process.set.count, 2);
	assert_string_equal(set[1].name, "N");
	assert_string_equal(set[1].value, "1");
}

static void every_key(void **state)
{
	struct err err = { 0 };
	struct config *config = parse(whole, &err);
	const struct named_switch *ops;

	(void)state;
	if (!config)
		fail_msg("%s", err.text);
	ops = config->ops.items;
	assert_string_equal(config->server.listen[1], "unix:/run/abx.sock");
	assert_int_equal(config->server.shutdown_grace, 3);
	assert_int_equal(config->profile, PROFILE_FULL_ACCESS);
	assert_int_equal(config->groups.count, 1);
	assert_int_equal(config->ops.count, 3);
	assert_string_equal(ops[1].key, "process_start");
	assert_string_equal(ops[1].name, "process.start");
	assert_true(ops[1].on);
	assert_string_equal(config->paths.base, "/home/user");
	assert_string_equal(config->paths.roots[1], "/tmp");
	assert_string_equal(config->paths.deny[1], "**/.env");
	assert_string_equal(config->paths.readonly[0], "/home/user/vendor");
	assert_int_equal(config->tokens.count, 1);
	check_token(config->tokens.items);
	check_limits(config);
	check_process(config);
	assert_true(config->files.fsync);
	assert_string_equal(config->cors.origins[0], "https://app.example.com");
	policy_file_free(config);
}

/* A row that no key of the whole file sets would be a row that no test has read. */
static void every_row_is_in_the_whole_file(void **state)
{
	struct err err = { 0 };
	struct config *config = parse(whole, &err);

	(void)state;
	assert_non_null(config);
	for (const struct row *row = row_file; row->key; row++) {
		if (!strchr(row->key, '*') && policy_file_line(config, row->key) == 0)
			fail_msg("'%s' is not in the test's file", row->key);
	}
	policy_file_free(config);
}

static void unknown_keys(void **state)
{
	(void)state;
	refuses("verison: 1\n", "p.yaml:1:1: unknown key 'verison', did you mean 'version'?");
	refuses("version: 1\nquux: 1\n", "p.yaml:2:1: unknown key 'quux'");
	refuses("paths:\n  rootz: [/a]\n", "p.yaml:2:3: unknown key 'paths.rootz', did you mean 'roots'?");
	refuses("process: {env: {inheret: []}}\n",
		"p.yaml:1:17: unknown key 'process.env.inheret', did you mean 'inherit'?");
	refuses("process: {rlimits: {nofiles: 1}}\n",
		"p.yaml:1:21: unknown key 'process.rlimits.nofiles', did you mean 'nofile'?");
	refuses("tokens:\n- nam: ci\n", "p.yaml:2:3: unknown key 'nam', did you mean 'name'?");
	refuses("groups: {file_op: true}\n", "p.yaml:1:10: unknown group 'file_op', did you mean 'file_ops'?");
	refuses("ops:\n  files.delte: false\n", "p.yaml:2:3: unknown op 'files.delte', did you mean 'files.delete'?");
	refuses("limits:\n  process.strat: {max_processes: 1}\n",
		"p.yaml:2:3: unknown op 'process.strat', did you mean 'process.start'?");
	refuses("limits: {process.start: {max_process: 1}}",
		"p.yaml:1:26: 'process.start' has no limit 'max_process', did you mean 'max_processes'?");
	refuses("limits: {system.info: {max: 1}}", "p.yaml:1:24: 'system.info' has no limit 'max'");
	refuses("tokens: [{name: a, scopes: [file:read]}]",
		"p.yaml:1:29: unknown scope 'file:read', did you mean 'files:read'?");
	refuses("tokens: [{name: a, sha256: " HASH ", scopes: [\"file:*\"]}]", "p.yaml:1:103: unknown scope 'file:*'");
}

static void wrong_types(void **state)
{
	(void)state;
	refuses("[]", "p.yaml:1:1: a map of keys is wanted here, not a list");
	refuses("text", "p.yaml:1:1: a map of keys is wanted here, not a plain value");
	refuses("tokens:\n", "p.yaml:1:8: a list of tokens is wanted here, and there is nothing");
	refuses("paths: []", "p.yaml:1:8: a map of keys is wanted here, not a list");
	refuses("groups: [core]", "p.yaml:1:9: a map of names to true and false is wanted here, not a list");
	refuses("groups:\n  file_ops: yes\n", "p.yaml:2:13: true or false is wanted here, not 'yes'");
	refuses("groups: {file_ops: \"true\"}", "p.yaml:1:20: true or false is wanted here, not 'true'");
	refuses("files: {fsync: 1}", "p.yaml:1:16: true or false is wanted here, not '1'");
	refuses("limits: {max_watchers: many}", "p.yaml:1:24: a whole number is wanted here, not 'many'");
	refuses("limits: {max_watchers: 1.5}", "p.yaml:1:24: a whole number is wanted here, not '1.5'");
	refuses("limits: {max_watchers: -1}", "p.yaml:1:24: a whole number is wanted here, not '-1'");
	refuses("limits: {max_watchers: \"1\"}", "p.yaml:1:24: a whole number is wanted here, not '1'");
	refuses("limits: {max_watchers: 99999999999999999999}",
		"p.yaml:1:24: a whole number is wanted here, not '99999999999999999999'");
	refuses("limits: {rate: {per_second: fast}}", "p.yaml:1:29: a number is wanted here, not 'fast'");
	refuses("limits: {rate: {per_second: 1e9}}", "p.yaml:1:29: a number is wanted here, not '1e9'");
	refuses("limits: {rate: 5}", "p.yaml:1:16: a map of keys is wanted here, not a plain value");
	refuses("paths: {roots: /a}", "p.yaml:1:16: a list is wanted here, not a plain value");
	refuses("paths: {deny: [[a]]}", "p.yaml:1:16: a text is wanted here, not a list");
	refuses("paths: {deny: [\"\"]}", "p.yaml:1:16: a text is wanted here, and there is nothing");
	refuses("process: {signals: [TERM]}", "p.yaml:1:21: a whole number is wanted here, not 'TERM'");
	refuses("process: {env: {set: {A: [b]}}}", "p.yaml:1:26: a text is wanted here, not a list");
	refuses("tokens: [x]", "p.yaml:1:10: a map of keys is wanted here, not a plain value");
}

static void wrong_values(void **state)
{
	(void)state;
	refuses("version: 2", "p.yaml:1:10: this build knows version 1 of the policy file, not 2");
	refuses("profile: open",
		"p.yaml:1:10: one of default, read_only, full_access, locked is wanted here, not 'open'");
	refuses("groups: {core: false}", "p.yaml:1:10: the group 'core' cannot be switched off");
	refuses("ops: {core.health: false}",
		"p.yaml:1:7: 'core.health' is of the group 'core', which cannot be switched off");
	refuses("ops: {files.list: true, files_list: false}",
		"p.yaml:1:25: 'files.list' and 'files_list' are the same op");
	refuses("paths: {base: home}", "p.yaml:1:15: an absolute path is wanted here, not 'home'");
	refuses("paths: {roots: [/a, b]}", "p.yaml:1:21: an absolute path is wanted here, not 'b'");
	refuses("paths: {roots: []}", "p.yaml:1:16: at least one path is wanted here");
	refuses("server: {listen: [a, b, c, d, e, f, g, h, i]}", "p.yaml:1:18: at most 8 are taken here");
	refuses("server: {shutdown_grace: 3601}", "p.yaml:1:26: a number from 0 to 3600 is wanted here, not 3601");
	refuses("limits: {max_body_bytes: 0}", "p.yaml:1:26: a number from 1024 to 1073741824 is wanted here, not 0");
	refuses("limits: {process.start: {max_processes: 1001}}",
		"p.yaml:1:41: 'max_processes' of 'process.start' can be at most 1000");
	refuses("limits: {process.start: {retain: 1}, process_start: {retain: 2}}",
		"p.yaml:1:38: limits of 'process.start' stand here already under its other name");
	refuses("process: {umask: 22}", "p.yaml:1:18: three or four octal digits are wanted here, not '22'");
	refuses("process: {umask: \"088\"}", "p.yaml:1:18: three or four octal digits are wanted here, not '088'");
	refuses("process: {umask: \"4022\"}", "p.yaml:1:18: a mode up to 0777 is wanted here, not '4022'");
	refuses("process: {signals: [0]}", "p.yaml:1:21: a number from 1 to 63 is wanted here, not 0");
	refuses("process: {env: {set: {ABX_SERVER_TOKEN: x}}}",
		"p.yaml:1:23: variables of the server itself, ABX_*, are never given to programs");
	refuses("process: {env: {inherit: [ABX_TOKEN]}}",
		"p.yaml:1:27: variables of the server itself, ABX_*, are never given to programs");
	refuses("process: {env: {inherit: [\"*_X\"]}}", "p.yaml:1:27: '*' can only stand at the end, not as in '*_X'");
	refuses("process: {env: {set: {\"A=B\": x}}}", "p.yaml:1:23: 'A=B' is not a variable's name");
	refuses("cors: {origins: [\"*\"]}",
		"p.yaml:1:18: an origin like https://app.example.com is wanted here, not '*'");
	refuses("cors: {origins: [\"https://a.example/\"]}",
		"p.yaml:1:18: an origin like https://app.example.com is wanted here, not 'https://a.example/'");
	refuses("cors: {origins: [null]}",
		"p.yaml:1:18: an origin like https://app.example.com is wanted here, not 'null'");
}

static void tokens(void **state)
{
	(void)state;
	takes("tokens: []");
	takes("tokens: [{name: a, sha256: " HASH ", scopes: []}]");
	refuses("tokens: [{sha256: " HASH ", scopes: []}]", "p.yaml:1:10: a token without a name");
	refuses("tokens: [{name: a, scopes: []}]", "p.yaml:1:10: the token 'a' has no sha256");
	refuses("tokens: [{name: a, sha256: " HASH "}]",
		"p.yaml:1:10: the token 'a' has no scopes; '[\"*\"]' is all of them");
	refuses("tokens: [{name: a, sha256: secret}]",
		"p.yaml:1:28: 64 hexadecimal digits are wanted here: the SHA-256 of the token");
	refuses("tokens: [{name: a b}]",
		"p.yaml:1:17: a name of letters, digits, '-' and '_' is wanted here, not 'a b'");
	refuses("tokens: [{name: \"\"}]", "p.yaml:1:17: a name of 1 to 64 characters is wanted here");
	refuses("tokens: [{name: local}]", "p.yaml:1:17: 'local' is the caller of a server without tokens");
	refuses("tokens: [{name: a, expires: tomorrow}]",
		"p.yaml:1:29: a time like 2027-01-01T00:00:00Z is wanted here, not 'tomorrow'");
	refuses("tokens: [{name: a, limits: {max_connections: 1}}]",
		"p.yaml:1:29: 'max_connections' is a limit of the whole server, not of a token");
	refuses("tokens:\n- {name: a, sha256: " HASH ", scopes: []}\n- {name: a, sha256: " OTHER ", scopes: []}\n",
		"p.yaml:3:3: two tokens are called 'a'");
	refuses("tokens:\n- {name: a, sha256: " HASH ", scopes: []}\n- {name: b, sha256: " HASH ", scopes: []}\n",
		"p.yaml:3:3: 'a' and 'b' are the same token");
	takes("tokens: [{name: a, sha256: " HASH ", scopes: [], ops: {core.reload: false}}]");
}

/* Keys whose values have a form of their own. */
static void other_values(void **state)
{
	(void)state;
	takes("process: {cgroup: {memory_max: 1, cpu_max: 0.5, pids_max: 9}}");
	refuses("process: {cgroup: {cpu_max: -1}}", "p.yaml:1:29: a number is wanted here, not '-1'");
	refuses("audit: {file: log}", "p.yaml:1:15: an absolute path is wanted here, not 'log'");
	refuses("audit: {ops: some}", "p.yaml:1:14: all, writes or a list of ops is wanted here");
	refuses("audit: {ops: [files.raed]}", "p.yaml:1:15: unknown op 'files.raed', did you mean 'files.read'?");
	takes("audit: {file: /var/log/abx, ops: writes}");
	takes("audit: {ops: [files_list, custom.x]}");
	refuses("browser: {allow_hosts: [a.example, \"b.example:0\"]}",
		"p.yaml:1:36: a host like example.com, *.example.com, 127.0.0.1:8000 or * is wanted here, not "
		"'b.example:0'");
	refuses("browser: {allow_hosts: [b\xc3\xbc"
		"cher.example]}",
		"p.yaml:1:25: 'b\xc3\xbc"
		"cher.example' must stand here as browsers send it, in its 'xn--' form");
	takes("process: {confine: paths, network: none, read: [/opt/tools]}");
	takes("process: {confine: best_effort}");
	/* Their types count all the same. */
	refuses("process: {confine: strict}",
		"p.yaml:1:20: one of off, paths, best_effort is wanted here, not 'strict'");
	refuses("devtools: {languages: {r: []}}", "p.yaml:1:27: a program is wanted here");
}

static void bad_yaml(void **state)
{
	char deep[256] = "process: ";
	struct err err;

	(void)state;
	refuses("version: 1\nversion: 1\n", "p.yaml:2:1: the key 'version' stands on line 1 already");
	refuses("paths:\n  base: /a\n  deny: []\n  base: /b\n", "p.yaml:4:3: the key 'base' stands on line 2 already");
	refuses("version: &a 1\n", "p.yaml:1:10: anchors, aliases and tags are not allowed");
	refuses("version: *a\n", "p.yaml:1:10: anchors, aliases and tags are not allowed");
	refuses("version: !!int 1\n", "p.yaml:1:10: anchors, aliases and tags are not allowed");
	refuses("paths: &p {base: /a}\n", "p.yaml:1:8: anchors, aliases and tags are not allowed");
	refuses("&k version: 1\n", "p.yaml:1:1: anchors, aliases and tags are not allowed");
	refuses("version: 1\n---\nversion: 1\n", "p.yaml:2:1: a second document has no place here");
	refuses("? [a]\n: 1\n", "p.yaml:1:3: a key must be a plain word");
	refuses("paths: {base: \"/a\\0b\"}", "p.yaml:1:15: a NUL has no place here");
	refuses("paths: [1\n", "p.yaml:2:1: did not find expected ',' or ']'");
	refuses("a: b: c\n", "p.yaml:1:5: mapping values are not allowed in this context");
	refuses("version: 1\nprofile: \xff\n", "p.yaml:2:10: invalid leading UTF-8 octet");
	for (int i = 0; i < 30; i++)
		memcpy(deep + strlen(deep), "[", 2);
	assert_null(parse(deep, &err));
	assert_non_null(strstr(err.text, "nested too deeply"));
}

static void limits_of_size(void **state)
{
	static char text[YAML_TREE_BYTES + 2];
	size_t len = 0;
	struct err err;

	(void)state;
	memset(text, '#', YAML_TREE_BYTES + 1);
	assert_null(parse(text, &err));
	assert_non_null(strstr(err.text, "larger than"));
	text[YAML_TREE_BYTES] = '\0';
	takes(text);
	len = (size_t)snprintf(text, sizeof text, "process: {env: {set: {");
	for (int i = 0; i <= YAML_TREE_KEYS; i++)
		len += (size_t)snprintf(text + len, sizeof text - len, "A%d: x,", i);
	snprintf(text + len, sizeof text - len, "}}}");
	assert_null(parse(text, &err));
	assert_non_null(strstr(err.text, "too many keys"));
}

static void files(void **state)
{
	struct err err;
	struct config *config = policy_file_load(NULL, &err);

	(void)state;
	assert_non_null(config);
	assert_null(config->file);
	policy_file_free(config);
	assert_null(policy_file_load("/nonexistent/policy.yaml", &err));
	assert_string_equal(
		err.text, "the policy file '/nonexistent/policy.yaml' cannot be read: no such file or folder");
	assert_null(policy_file_load("/tmp", &err));
	assert_string_equal(err.text, "the policy file '/tmp' is not a regular file");
	assert_null(policy_file_load("/dev/zero", &err));
	assert_string_equal(err.text, "the policy file '/dev/zero' is not a regular file");
	assert_null(policy_file_load("/dev/null", &err));
}

static void lines_of_rules(void **state)
{
	struct err err = { 0 };
	struct config *config = parse(whole, &err);

	(void)state;
	assert_non_null(config);
	assert_int_equal(policy_file_line(config, "policy:profile"), 7);
	assert_int_equal(policy_file_line(config, "policy:groups.dev_tools"), 9);
	assert_int_equal(policy_file_line(config, "policy:ops.files.delete"), 11);
	assert_int_equal(policy_file_line(config, "policy:paths.deny[1]"), 18);
	assert_int_equal(policy_file_line(config, "policy:paths.deny[2]"), 0);
	assert_int_equal(policy_file_line(config, "policy:tokens.ci.scopes"), 22);
	assert_int_equal(policy_file_line(config, "policy:tokens.ci.ops.files.delete"), 24);
	assert_int_equal(policy_file_line(config, "policy:tokens.ci.paths.deny[0]"), 25);
	assert_int_equal(policy_file_line(config, "policy:tokens.other.scopes"), 0);
	assert_int_equal(policy_file_line(config, "policy:limits.rate.per_second"), 34);
	assert_int_equal(policy_file_line(config, "tokens"), 19);
	assert_int_equal(policy_file_line(config, "policy:process.env"), 49);
	assert_int_equal(policy_file_line(config, "policy:"), 0);
	assert_int_equal(policy_file_line(config, ""), 0);
	assert_int_equal(policy_file_line(config, "policy:["), 0);
	policy_file_free(config);
}

static void examples(void **state)
{
	static const char *const names[] = { "default", "read-only", "ci", "agent", "confined" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char path[128];
		struct err err;
		struct config *config;

		snprintf(path, sizeof path, "deploy/policies/%s.yaml", names[i]);
		config = policy_file_load(path, &err);
		if (!config)
			fail_msg("%s", err.text);
		policy_file_free(config);
	}
}

static char *read_docs(void)
{
	char *text = mem_alloc(1 << 20);
	FILE *file = fopen("docs/policy.md", "r");

	assert_non_null(file);
	assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
	fclose(file);
	return text;
}

/* The page is written by hand; each row must stand in it as it is here. */
static void docs(void **state)
{
	AUTOFREE char *text = read_docs();
	const struct row *const tables[] = { row_file, row_token };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
		for (const struct row *row = tables[i]; row->key; row++) {
			char line[512];
			const char *tick = row->def[0] ? "`" : "";

			snprintf(
				line, sizeof line, "| `%s` | %s%s%s | %s |", row->key, tick, row->def, tick, row->text);
			if (!strstr(text, line))
				fail_msg("docs/policy.md lacks the line\n%s", line);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(every_key),
		cmocka_unit_test(every_row_is_in_the_whole_file),
		cmocka_unit_test(unknown_keys),
		cmocka_unit_test(wrong_types),
		cmocka_unit_test(wrong_values),
		cmocka_unit_test(tokens),
		cmocka_unit_test(other_values),
		cmocka_unit_test(bad_yaml),
		cmocka_unit_test(limits_of_size),
		cmocka_unit_test(files),
		cmocka_unit_test(lines_of_rules),
		cmocka_unit_test(examples),
		cmocka_unit_test(docs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
