/* SPDX-License-Identifier: Apache-2.0 */
#include "server/options.h"

#include <stdio.h>
#include <stdlib.h>

enum option_type { OPTION_TEXT, OPTION_LIST, OPTION_INT, OPTION_FLAG, OPTION_SWITCH };

struct option {
	const char *flag, *variable;
	enum option_type type;
	size_t offset;
	int64_t minimum, maximum;
	bool secret;
	const char *value; /* what stands behind the flag, in the help */
	const char *text;
};

#define AT(m) offsetof(struct options, m)

static const struct option rows[] = {
	{ "--listen", "ABX_SERVER_LISTEN", OPTION_LIST, AT(listen), 0, 0, false, "ADDR",
		"HOST:PORT, [V6]:PORT or unix:/path; may be repeated (127.0.0.1:9000, with a token 0.0.0.0:9000)" },
	{ "--pty-listen", "ABX_PTY_PORT", OPTION_TEXT, AT(pty_listen), 0, 0, false, "ADDR",
		"a second address or port for the terminal WebSocket alone, or off (port 9001 where the main one is 9000)" },
	{ "--token", "ABX_SERVER_TOKEN", OPTION_TEXT, AT(token), 0, 0, true, "T", "one token with full access" },
	{ "--token-file", NULL, OPTION_TEXT, AT(token_file), 0, 0, false, "FILE", "read that token from a file" },
	{ "--policy", "ABX_SERVER_POLICY", OPTION_TEXT, AT(policy), 0, 0, false, "FILE",
		"the policy (/etc/agent-sandbox/policy.yaml where it exists)" },
	{ "--base-dir", "ABX_SERVER_BASE_DIR", OPTION_TEXT, AT(base_dir), 0, 0, false, "DIR",
		"where relative paths start, and the default root (/home/user where it exists, else here)" },
	{ "--disabled-groups", "ABX_SERVER_DISABLED_GROUPS", OPTION_TEXT, AT(disabled_groups), 0, 0, false, "LIST",
		"groups to switch off, with commas" },
	{ "--commands", "ABX_SERVER_COMMANDS", OPTION_TEXT, AT(commands), 0, 0, false, "PATH",
		"manifest of a custom command, or a folder of them (/etc/agent-sandbox/commands.d where it exists)" },
	{ "--max-upload-size", "ABX_MAX_UPLOAD_SIZE", OPTION_INT, AT(max_upload_size), 1, INT64_C(1) << 53, false,
		"BYTES", "largest file that files.upload_stream takes (104857600)" },
	{ "--shutdown-grace", "ABX_SERVER_SHUTDOWN_GRACE", OPTION_INT, AT(shutdown_grace), 0, 3600, false, "SECONDS",
		"what running calls get after SIGTERM (10)" },
	{ "--trust-forwarded", "ABX_SERVER_TRUST_FORWARDED", OPTION_SWITCH, AT(trust_forwarded), 0, 0, false, NULL,
		"believe X-Forwarded-* of a proxy; =false does not, whatever the policy says" },
	{ "--log-level", "ABX_SERVER_LOG_LEVEL", OPTION_TEXT, AT(log_level), 0, 0, false, "LEVEL",
		"debug, info, warn or error (warn); info has a line for each call" },
	{ "--insecure-no-auth", NULL, OPTION_FLAG, AT(insecure_no_auth), 0, 0, false, NULL,
		"allow an address that is not loopback without any token, for a forwarded port: the Host must be loopback still" },
	{ "--no-cgroups", NULL, OPTION_FLAG, AT(no_cgroups), 0, 0, false, NULL,
		"do not make a cgroup for each command, also where it is possible" },
	{ "--help", NULL, OPTION_FLAG, AT(help), 0, 0, false, NULL, "this text" },
	{ "--version", NULL, OPTION_FLAG, AT(version), 0, 0, false, NULL, "the version" },
};

static int set_list(struct options *o, const char *value, struct err *err)
{
	if (o->listen_count == OPTIONS_LISTEN_MAX)
		return err_set(err, ERR_ARGS_INVALID, "more than %d addresses", OPTIONS_LISTEN_MAX);
	o->listen[o->listen_count++] = value;
	return 0;
}

static int set_int(const struct option *row, int64_t *to, const char *name, const char *value, struct err *err)
{
	uint64_t number;

	if (str_to_u64(str_of(value), &number) < 0 || (int64_t)number < row->minimum || (int64_t)number > row->maximum)
		return err_set(err, ERR_ARGS_INVALID, "%s must be a whole number from %lld to %lld, not '%s'", name,
			(long long)row->minimum, (long long)row->maximum, value);
	*to = (int64_t)number;
	return 0;
}

static int set_switch(int *to, const char *name, const char *value, struct err *err)
{
	static const char *const words[] = { "false", "true", "no", "yes", "0", "1" };

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (strcmp(value, words[i]) == 0) {
			*to = i % 2;
			return 0;
		}
	}
	return err_set(err, ERR_ARGS_INVALID, "%s must be true or false, not '%s'", name, value);
}

static int set(struct options *o, const struct option *row, const char *name, const char *value, struct err *err)
{
	char *at = (char *)o + row->offset;

	switch (row->type) {
	case OPTION_LIST:
		return set_list(o, value, err);
	case OPTION_INT:
		return set_int(row, (int64_t *)at, name, value, err);
	case OPTION_FLAG:
		*(bool *)at = true;
		return 0;
	case OPTION_SWITCH:
		return set_switch((int *)at, name, value, err);
	default:
		*(const char **)at = value;
		return 0;
	}
}

static const struct option *find(struct str flag)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (str_is(flag, rows[i].flag))
			return &rows[i];
	}
	return NULL;
}

static int unknown(struct str flag, struct err *err)
{
	const char *names[ARRAY_LEN(rows) + 1] = { NULL };
	const char *nearest;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		names[i] = rows[i].flag;
	nearest = str_nearest(flag, names);
	return err_set(err, ERR_ARGS_INVALID, "no option '%.*s'%s%s; try --help", (int)flag.len, flag.p,
		nearest ? ": did you mean " : "", nearest ? nearest : "");
}

static int from_environment(struct options *o, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *value = rows[i].variable ? getenv(rows[i].variable) : NULL;

		if (value && (value[0] || rows[i].secret) && set(o, &rows[i], rows[i].variable, value, err) < 0)
			return -1;
	}
	return 0;
}

int options_parse(struct options *o, char **args, struct err *err)
{
	bool listen_given = false;

	*o = (struct options){ .shutdown_grace = -1, .trust_forwarded = -1 };
	if (from_environment(o, err) < 0)
		return -1;
	for (; *args; args++) {
		struct str value = str_of(*args), flag = str_cut(&value, '=');
		const struct option *row = find(flag);
		bool has_value = strchr(*args, '=') != NULL;

		if (!row)
			return unknown(flag, err);
		if (row->type == OPTION_SWITCH && !has_value) {
			value = STR("true");
			has_value = true;
		}
		if (row->type == OPTION_FLAG ? has_value : !has_value && !args[1])
			return err_set(err, ERR_ARGS_INVALID, "%s %s", row->flag,
				has_value ? "takes no value" : "needs a value");
		if (row->type == OPTION_LIST && !listen_given) {
			o->listen_count = 0; /* the flag replaces the variable's */
			listen_given = true;
		}
		if (set(o, row, row->flag, has_value || row->type == OPTION_FLAG ? value.p : *++args, err) < 0)
			return -1;
	}
	return 0;
}

/* The kernel shows these bytes in /proc/PID/cmdline and environ: they are overwritten where they stand. */
static void blank(char *secret)
{
	memset(secret, 'x', strlen(secret));
}

void options_scrub(char **args)
{
	for (; *args; args++) {
		struct str value = str_of(*args);
		const struct option *row = find(str_cut(&value, '='));

		if (!row || !row->secret)
			continue;
		if (strchr(*args, '='))
			blank((char *)value.p);
		else if (args[1])
			blank(args[1]);
	}
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char *value = rows[i].secret && rows[i].variable ? getenv(rows[i].variable) : NULL;

		if (value) {
			blank(value);
			unsetenv(rows[i].variable);
		}
	}
}

void options_print_help(void)
{
	puts("agent-sandbox-server: the hands inside a sandbox, over HTTP\n\n"
	     "usage: agent-sandbox-server [OPTION…]             serve\n"
	     "       agent-sandbox-server describe [OP] [--json|--markdown|--errors]\n"
	     "       agent-sandbox-server gen-client --lang json|openapi|python|ts [-o FILE]\n"
	     "       agent-sandbox-server policy check FILE\n"
	     "       agent-sandbox-server policy explain FILE --token NAME --op OP [--path PATH]\n\n"
	     "options:");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char head[64];

		snprintf(head, sizeof head, "%s%s%s", rows[i].flag, rows[i].value ? " " : "",
			rows[i].value ? rows[i].value : "");
		printf("  %-26s %s\n", head, rows[i].text);
		if (rows[i].variable)
			printf("  %-26s variable: %s\n", "", rows[i].variable);
	}
}
