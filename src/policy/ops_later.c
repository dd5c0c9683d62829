/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/ops_later.h"

#include "policy/policy.h"

#include <ctype.h>

enum { NAMES_MAX = 256 };

/* In the order of the manual; those that the catalog has are found there first. */
static const struct {
	const char *id, *endpoint;
} later[] = {
	{ "custom.list", "list_commands" },
	{ POLICY_EVERY_COMMAND, "run_command" },
	{ "files.list", "files_list" },
	{ "files.stat", "files_stat" },
	{ "files.mkdir", "files_mkdir" },
	{ "files.delete", "files_delete" },
	{ "files.move", "files_move" },
	{ "files.search", "files_search" },
	{ "files.upload_stream", "files_upload_stream" },
	{ "files.download_stream", "files_download_stream" },
	{ "files.archive", "files_archive" },
	{ "files.watch", "files_watch" },
	{ "files.upload", "upload" },
	{ "files.download", "download" },
	{ "files.read", NULL },
	{ "files.write", NULL },
	{ "files.edit", NULL },
	{ "files.grep", NULL },
	{ "files.copy", NULL },
	{ "files.extract", NULL },
	{ "files.chmod", NULL },
	{ "commands.run", "shell" },
	{ "commands.stream", "shell_stream" },
	{ "process.start", "process_start" },
	{ "process.list", "process_list" },
	{ "process.get", "process_detail" },
	{ "process.signal", "process_signal" },
	{ "process.stdin", "process_stdin" },
	{ "process.output", "process_output" },
	{ "process.follow", NULL },
	{ "terminal.create", "pty_create_session" },
	{ "terminal.list", "pty_list_sessions" },
	{ "terminal.get", "pty_detail" },
	{ "terminal.resize", "pty_resize" },
	{ "terminal.delete", "pty_delete_session" },
	{ "terminal.connect", "pty_connect" },
	{ "system.info", "system_info" },
	{ "system.metrics", "system_metrics" },
	{ "system.env.get", "env_get" },
	{ "system.env.set", "env_set" },
	{ "system.ports", "ports" },
	{ "system.packages", "packages" },
	{ "system.prometheus", NULL },
	{ "devtools.code.run", "code_run" },
	{ "devtools.git.status", "git_status" },
	{ "devtools.git.diff", "git_diff" },
	{ "browser.navigate", "browser_navigate" },
	{ "browser.screenshot", "browser_screenshot" },
	{ "browser.content", "browser_content" },
	{ "browser.click", "browser_click" },
	{ "browser.type", "browser_type" },
	{ "browser.evaluate", "browser_evaluate" },
	{ "browser.pdf", "browser_pdf" },
	{ "browser.console", "browser_console" },
};

/* "custom.NAME": the template author's commands are not known before they are read. */
static bool is_custom(const char *name)
{
	static const char prefix[] = "custom.";

	if (strncmp(name, prefix, sizeof prefix - 1) != 0 || !name[sizeof prefix - 1])
		return false;
	for (const char *c = name + sizeof prefix - 1; *c; c++) {
		if (!isalnum((unsigned char)*c) && !strchr("_-.", *c))
			return false;
	}
	return true;
}

static const char *nearest(const char *name)
{
	const char *names[NAMES_MAX];
	size_t count = 0;

	for (const struct op *const *op = ops_all; *op && count < NAMES_MAX / 2; op++)
		names[count++] = (*op)->id;
	for (size_t i = 0; i < ARRAY_LEN(later) && count < NAMES_MAX - 1; i++)
		names[count++] = later[i].id;
	names[count] = NULL;
	return str_nearest(str_of(name), names);
}

const char *ops_later_id(const char *name, const char **ret_nearest)
{
	const struct op *op = op_find(str_of(name));

	if (op)
		return op->id;
	for (size_t i = 0; i < ARRAY_LEN(later); i++) {
		if (strcmp(name, later[i].id) == 0 || (later[i].endpoint && strcmp(name, later[i].endpoint) == 0))
			return later[i].id;
	}
	if (is_custom(name))
		return name;
	*ret_nearest = nearest(name);
	return NULL;
}
