/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every key of a policy file and of a token in it.
 */
#include "policy/row.h"

#include <signal.h>

static const char *const profiles[] = { "default", "read_only", "full_access", "locked", NULL };
static const char *const confines[] = { "off", "paths", "best_effort", NULL };
static const char *const networks[] = { "inherit", "none", NULL };

enum { HOUR = 3600, DAY = 24 * HOUR };

/* The type of the member is checked as in catalog/field.h. */
#define ROW(name, reader, m, T, ...) \
	{ \
		.key = name, .read = reader, .offset = FIELD_AT(struct config, m, T), ##__VA_ARGS__ \
	}
#define TOKEN(name, reader, m, T, ...) \
	{ \
		.key = name, .read = reader, .offset = FIELD_AT(struct token_config, m, T), ##__VA_ARGS__ \
	}
#define RANGE(lo, hi) .minimum = (lo), .maximum = (hi)
#define DOC(default_, why) .def = default_, .text = why

const struct row row_file[] = {
	ROW("version", row_version, version, int64_t, DOC("1", "The version of this format.")),
	ROW("server.listen", row_texts, server.listen, texts, RANGE(0, 8),
		DOC("", "Addresses: HOST:PORT, [V6]:PORT or unix:/path.")),
	ROW("server.shutdown_grace", row_int, server.shutdown_grace, int64_t, RANGE(0, HOUR),
		DOC("10", "Seconds that running requests get when the server ends.")),
	ROW("server.commands", row_path, server.commands, const char *,
		DOC("/etc/agent-sandbox/commands.d", "Where the template author's commands are.")),
	ROW("server.trust_forwarded", row_bool, server.trust_forwarded, bool,
		DOC("false", "Whether X-Forwarded-* of a proxy is believed.")),
	ROW("profile", row_choice, profile, int, .choices = profiles,
		DOC("default", "Where everything else starts from.")),
	ROW("groups", row_groups, groups, struct list, DOC("{}", "Groups of ops that are switched on or off.")),
	ROW("ops", row_ops, ops, struct list,
		DOC("{}", "Single ops that are switched on or off; they win over groups.")),
	ROW("paths.base", row_path, paths.base, const char *, DOC("", "Where relative paths start.")),
	ROW("paths.roots", row_paths, paths.roots, texts, RANGE(1, 0),
		DOC("", "The folders that can be reached; the base when not given.")),
	ROW("paths.readonly", row_texts, paths.readonly, texts,
		DOC("[]", "Paths and patterns that can only be read, with all below.")),
	ROW("paths.deny", row_texts, paths.deny, texts,
		DOC("[]", "Paths and patterns that cannot be reached, with all below.")),
	ROW("tokens", row_tokens, tokens, struct list, DOC("[]", "Who may call, and with what.")),
	ROW("limits.max_body_bytes", row_int, limits.max_body_bytes, int64_t, RANGE(1024, 1 << 30),
		DOC("10485760", "Bytes of a JSON body.")),
	ROW("limits.max_memory_bytes", row_int, limits.max_memory_bytes, int64_t, RANGE(1 << 20, INT64_C(1) << 40),
		DOC("67108864", "Bytes that bodies, captures, journals and queues hold together.")),
	ROW("limits.max_connections", row_int, limits.max_connections, int64_t, RANGE(1, 1000000),
		DOC("1024", "Connections at once.")),
	ROW("limits.max_watchers", row_int, limits.max_watchers, int64_t, RANGE(0, 100000),
		DOC("64", "Watches of files at once.")),
	ROW("limits.rate.per_second", row_number, limits.per_second, double, RANGE(0, 1000000),
		DOC("0", "Calls of one token in a second; 0 is no limit.")),
	ROW("limits.*", row_limits, limits.ops, struct list, DOC("", "Limits of one op, by its id or endpoint id.")),
	ROW("files.fsync", row_bool, files.fsync, bool,
		DOC("false", "Whether a written file is on the disk before the answer.")),
	ROW("process.user", row_text, process.user, const char *,
		DOC("", "Whom programs run as, when the server is root.")),
	ROW("process.users", row_texts, process.users, texts, DOC("[]", "Whom a call may name besides.")),
	ROW("process.umask", row_mode, process.umask, int64_t, DOC("022", "The umask of programs and of new files.")),
	ROW("process.signals", row_signals, process.signals, uint64_t, RANGE(1, 63),
		DOC("[1, 2, 3, 9, 10, 12, 15, 18, 19, 20]", "Signals that may be sent.")),
	ROW("process.confine", row_choice, process.confine, int, .choices = confines,
		DOC("off", "Whether programs are held to the paths by the kernel.")),
	ROW("process.read", row_paths, process.read, texts,
		DOC("[]", "Further paths that confined programs may read.")),
	ROW("process.network", row_choice, process.network, int, .choices = networks,
		DOC("inherit", "Whether programs have a network.")),
	ROW("process.rlimits.nofile", row_int, process.nofile, int64_t, RANGE(0, 1 << 30),
		DOC("0", "Descriptors of a program; 0 as the server.")),
	ROW("process.rlimits.nproc", row_int, process.nproc, int64_t, RANGE(0, 1 << 30),
		DOC("0", "Processes of the uid, which does not bind root; 0 as the server.")),
	ROW("process.rlimits.fsize", row_int, process.fsize, int64_t, RANGE(0, INT64_MAX),
		DOC("0", "Bytes of a file that a program writes; 0 as the server.")),
	ROW("process.rlimits.cpu", row_int, process.cpu, int64_t, RANGE(0, INT32_MAX),
		DOC("0", "Seconds of CPU of a process; 0 as the server.")),
	ROW("process.rlimits.as", row_int, process.as, int64_t, RANGE(0, INT64_MAX),
		DOC("0", "Bytes of address space of a process; 0 as the server.")),
	ROW("process.cgroup.memory_max", row_int, process.memory_max, int64_t, RANGE(0, INT64_MAX),
		DOC("0", "Bytes of memory of a program and all that it starts; 0 is no limit.")),
	ROW("process.cgroup.pids_max", row_int, process.pids_max, int64_t, RANGE(0, 1 << 22),
		DOC("0", "Processes of a program and all that it starts; 0 is no limit.")),
	ROW("process.cgroup.cpu_max", row_number, process.cpu_max, double, RANGE(0, 4096),
		DOC("0", "CPUs of a program and all that it starts; 0 is no limit.")),
	ROW("process.env.inherit", row_env_names, process.inherit, texts,
		DOC("[PATH, HOME, USER, SHELL, LANG, \"LC_*\", TERM, TZ]",
			"Variables that programs get from the server's environment.")),
	ROW("process.env.set", row_env_set, process.set, struct list,
		DOC("{}", "Variables that programs get besides.")),
	ROW("devtools.languages", row_languages, devtools.languages, struct list,
		DOC("{}", "Further languages of code runs: a program and its arguments, with {file} for the code.")),
	ROW("browser.path", row_text, browser.path, const char *,
		DOC("\"\"", "The browser, a path or a name in PATH; empty looks for one.")),
	ROW("browser.idle_timeout", row_int, browser.idle_timeout, int64_t, RANGE(0, DAY),
		DOC("300", "Seconds without use after which the browser is ended; 0 is never.")),
	ROW("browser.allow_hosts", row_hosts, browser.allow_hosts, texts,
		DOC("[\"*\"]",
			"Hosts that the browser may reach: a name, *.name, an address, *; each with or without :port.")),
	ROW("cors.origins", row_origins, cors.origins, texts,
		DOC("[]", "Origins of other sites' pages that may call.")),
	ROW("audit.file", row_path_or_none, audit.file, const char *,
		DOC("\"\"", "Where a line for each call goes; empty is off.")),
	ROW("audit.ops", row_audit_ops, audit.ops, struct audit_ops,
		DOC("all",
			"Whose calls are written there: all, writes (what changes or runs something), or a list of ops.")),
	{ .key = NULL },
};

const struct row row_token[] = {
	TOKEN("name", row_name, name, const char *, DOC("", "What rules and logs call it: letters, digits, - and _.")),
	TOKEN("sha256", row_digest, sha256, const char *, DOC("", "The SHA-256 of the token, 64 hexadecimal digits.")),
	TOKEN("scopes", row_scopes, scopes, texts, DOC("", "Scopes, and patterns over them.")),
	TOKEN("expires", row_time, expires, int64_t, DOC("", "The moment from which it is refused.")),
	TOKEN("ops", row_ops, ops, struct list, RANGE(1, 0), DOC("{}", "Ops that it may not call (false).")),
	TOKEN("paths.base", row_path, paths.base, const char *, DOC("", "Where its relative paths start.")),
	TOKEN("paths.roots", row_paths, paths.roots, texts, RANGE(1, 0), DOC("", "Folders below the server's roots.")),
	TOKEN("paths.readonly", row_texts, paths.readonly, texts, DOC("[]", "Read-only for it, besides the server's.")),
	TOKEN("paths.deny", row_texts, paths.deny, texts, DOC("[]", "Denied to it, besides the server's.")),
	TOKEN("limits.rate.per_second", row_number, per_second, double, RANGE(0, 1000000),
		DOC("0", "Its calls in a second, when fewer than the server's.")),
	TOKEN("limits.*", row_limits_of_token, limits, struct list,
		DOC("", "Its limits of one op, when lower than the server's.")),
	{ .key = NULL },
};
