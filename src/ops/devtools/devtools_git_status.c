/* SPDX-License-Identifier: Apache-2.0 */
/*
 * devtools.git.status: which files of a repository differ, and where its branch stands.
 */
#include "ops/devtools/git_run.h"
#include "ops/devtools/git_status_text.h"
#include "policy/place.h"

#include <errno.h>

enum { OUTPUT_MAX = 16 * 1024 * 1024, FILES_MAX = 20000 };

struct in {
	struct path_arg path;
};

struct file {
	struct str path, path_b64, old_path, old_path_b64;
	int status;
	bool staged;
};

struct out {
	struct str root, root_b64;
	const char *branch, *upstream, *commit;
	int64_t ahead, behind;
	bool clean, truncated;
	struct list files;
};

static const char *const statuses[] = { [GIT_MODIFIED] = "modified",
	[GIT_ADDED] = "added",
	[GIT_DELETED] = "deleted",
	[GIT_RENAMED] = "renamed",
	[GIT_COPIED] = "copied",
	[GIT_UNTRACKED] = "untracked",
	[GIT_UNMERGED] = "unmerged",
	NULL };

static const struct field params[] = {
	P_PATH(struct in, path, 0, "A folder of the repository.", .def_text = "."),
	FIELDS_END,
};

static const struct field file_rows[] = {
	R_TEXT(struct file, path, "The file, relative to the repository's root."),
	R_OPT_BYTES(struct file, path_b64, "The exact path where it is not UTF-8."),
	R_CHOICE(struct file, status, statuses, "What happened to it."),
	R_BOOL(struct file, staged, "Whether this is in the index, and not only in the folder."),
	R_OPT_TEXT(struct file, old_path, "Where it was, of one renamed or copied."),
	R_OPT_BYTES(struct file, old_path_b64, "The exact old path where it is not UTF-8."),
	FIELDS_END,
};

static const struct field result[] = {
	R_TEXT(struct out, root, "The repository's root: what paths are relative to."),
	R_OPT_BYTES(struct out, root_b64, "The exact root where it is not UTF-8."),
	R_NULL_STRING(struct out, branch, "The branch; null when HEAD is detached."),
	R_NULL_STRING(struct out, upstream, "The branch that it follows; null where there is none."),
	R_NULL_STRING(struct out, commit, "The commit of HEAD; null when there is none yet."),
	R_INT(struct out, ahead, "Commits that the upstream does not have."),
	R_INT(struct out, behind, "Commits that only the upstream has."),
	R_BOOL(struct out, clean, "Whether nothing differs."),
	R_OBJECTS(struct out, files, struct file, "GitFile", file_rows,
		"What differs; a file that differs in the index and in the folder stands there twice."),
	R_BOOL(struct out, truncated, "Whether more files differ than are listed."),
	FIELDS_END,
};

static int plan(struct git_run *run)
{
	git_arg(run, "status");
	git_arg(run, "--porcelain=v2");
	git_arg(run, "-z");
	git_arg(run, "--branch");
	git_arg(run, "--untracked-files=all");
	git_arg(run, "--ignore-submodules=dirty"); /* git would ask inside of them, by their configuration */
	return 0;
}

static bool is_visible(struct git_run *run, struct str path)
{
	const char *full = arena_printf(
		&run->call->arena, "%s/" STR_FMT, strcmp(run->repo.top, "/") == 0 ? "" : run->repo.top, STR_ARG(path));

	return full && place_visible(run->call->caller, full);
}

static void add(struct out *out, const struct git_entry *entry, enum git_change status, bool staged)
{
	struct file *files = out->files.items;
	struct str old = status == GIT_RENAMED || status == GIT_COPIED ? entry->old_path : (struct str){ NULL, 0 };

	if (out->files.count == FILES_MAX) {
		out->truncated = true;
		return;
	}
	files[out->files.count++] = (struct file){ entry->path, git_exact(entry->path), old, git_exact(old),
		(int)status, staged };
}

static const char *keep(struct git_run *run, struct str text)
{
	return text.p ? arena_strndup(&run->call->arena, text.p, text.len) : NULL;
}

static int read_output(struct git_run *run)
{
	struct out *out = run->out;
	struct str rest = program_output(&run->program, PIPES_OUT);
	struct git_branch branch = { .name = { NULL, 0 } };
	struct git_entry entry;
	int status;

	out->files.items = call_alloc(run->call, FILES_MAX * sizeof(struct file));
	if (!out->files.items)
		return -1;
	out->truncated = program_truncated(&run->program, PIPES_OUT);
	/* What was cut off in its middle is left out. */
	while (out->truncated && rest.len && rest.p[rest.len - 1] != '\0')
		rest.len--;
	while ((status = git_status_next(&rest, &branch, &entry)) > 0) {
		if (!is_visible(run, entry.path))
			continue;
		if (entry.has_staged)
			add(out, &entry, entry.staged, true);
		if (entry.has_unstaged)
			add(out, &entry, entry.unstaged, false);
	}
	if (status < 0)
		return err_set(&run->call->err, ERR_GIT_FAILED, "git status printed something unknown");
	out->root = str_of(run->repo.top);
	out->root_b64 = git_exact(out->root);
	out->branch = keep(run, branch.name);
	out->upstream = keep(run, branch.upstream);
	out->commit = keep(run, branch.commit);
	out->ahead = branch.ahead;
	out->behind = branch.behind;
	out->clean = out->files.count == 0 && !out->truncated;
	return 0;
}

static const struct git_kind kind = { .name = "status", .max_bytes = OUTPUT_MAX, .plan = plan, .read = read_output };

static void start(struct call *call)
{
	git_start(call, &kind, &call_in(call, struct in)->path);
}

static const enum err_code errors[] = { GIT_ERRORS, ERR_NONE };

const struct op op_devtools_git_status = {
	.id = "devtools.git.status",
	.endpoint = "git_status",
	.group = "dev_tools",
	.scope = "git:read",
	.kind = OP_JSON,
	.method = "GET",
	.path = "/git/status",
	.since = "0.1.0",
	.summary = "Tell which files of a git repository differ, and where its branch stands.",
	.description =
		"The repository is looked for upwards from 'path', inside the roots. Nothing of its configuration is used that could "
		"run a program: no hooks, filters, monitors or external diffs. What changed inside submodules is not looked at.",
	.example = { .args = JSON_TEXT({ "path" : "demo/repo" }), .abx = "git status demo/repo" },
	.effects = OP_RUNS | OP_READS | OP_IDEMPOTENT,
	.params = params,
	.params_size = sizeof(struct in),
	.result = result,
	.result_size = sizeof(struct out),
	.errors = errors,
	.limits = git_limits,
	.start = start,
};
