/* SPDX-License-Identifier: Apache-2.0 */
/*
 * devtools.git.diff: what changed in a repository, as a patch with its figures.
 */
#include "base/utf8.h"
#include "ops/devtools/git_exclude.h"
#include "ops/devtools/git_run.h"
#include "policy/policy.h"

enum { DIFF_MAX = 1024 * 1024, FIGURES_MAX = 256 };

struct in {
	struct path_arg path;
	bool staged;
	struct path_arg file;
};

struct stats {
	int64_t files_changed, insertions, deletions;
};

struct out {
	struct str root, root_b64, diff;
	struct stats stats;
	bool truncated, lossy;
};

static const struct field params[] = {
	P_PATH(struct in, path, 0, "A folder of the repository.", .def_text = "."),
	P_BOOL(struct in, staged, false, "What is in the index and not in HEAD, instead of what is not in the index."),
	P_PATH(struct in, file, F_UNRESOLVED,
		"Only this file or folder, relative to 'path'; it need not be there any more."),
	FIELDS_END,
};

static const struct field stats_rows[] = {
	R_INT(struct stats, files_changed, "How many files changed."),
	R_INT(struct stats, insertions, "Lines that were added."),
	R_INT(struct stats, deletions, "Lines that were taken away."),
	FIELDS_END,
};

static const struct field result[] = {
	R_TEXT(struct out, root, "The repository's root: what paths are relative to."),
	R_OPT_BYTES(struct out, root_b64, "The exact root where it is not UTF-8."),
	R_TEXT(struct out, diff, "The patch, at most 1 MiB of it."),
	R_OBJECT(struct out, stats, struct stats, "GitStats", stats_rows, "The figures of all of it."),
	R_BOOL(struct out, truncated, "Whether the patch goes on."),
	R_FLAG(struct out, lossy, "Bytes of the patch that are not UTF-8 were replaced: it cannot be applied."),
	FIELDS_END,
};

static void add_exclude(void *user, const char *pathspec)
{
	struct git_run *run = user;

	git_arg(run, arena_strdup(&run->call->arena, pathspec));
}

static int plan(struct git_run *run)
{
	const struct in *in = call_in(run->call, struct in);
	struct policy_facts facts;

	git_arg(run, "diff");
	git_arg(run, "--shortstat");
	git_arg(run, "--patch");
	git_arg(run, "--no-color");
	git_arg(run, "--no-ext-diff");
	git_arg(run, "--no-textconv");
	git_arg(run, "--ignore-submodules=dirty");
	git_arg(run, "--submodule=short");
	if (in->staged)
		git_arg(run, "--cached");
	git_arg(run, "--");
	git_arg(run, in->file.given.p ? arena_printf(&run->call->arena, ":(literal)%s", in->file.given.p) : ":/");
	policy_facts(run->call->caller, &facts);
	for (size_t i = 0; i < facts.deny.count; i++)
		git_exclude(((const char *const *)facts.deny.items)[i], run->repo.top, add_exclude, run);
	return 0;
}

/* " 3 files changed, 12 insertions(+), 1 deletion(-)" */
static void read_figures(struct str line, struct stats *stats)
{
	while (line.len) {
		struct str part = str_trim(str_cut(&line, ','));
		struct str number = str_cut(&part, ' ');
		uint64_t value;

		if (str_to_u64(number, &value) < 0)
			continue;
		if (str_starts(part, "file"))
			stats->files_changed = (int64_t)value;
		else if (str_starts(part, "insertion"))
			stats->insertions = (int64_t)value;
		else if (str_starts(part, "deletion"))
			stats->deletions = (int64_t)value;
	}
}

static int read_output(struct git_run *run)
{
	struct out *out = run->out;
	struct str text = program_output(&run->program, PIPES_OUT);
	size_t all;

	out->root = str_of(run->repo.top);
	out->root_b64 = git_exact(out->root);
	if (text.len && text.p[0] == ' ') {
		read_figures(str_cut(&text, '\n'), &out->stats);
		if (text.len && text.p[0] == '\n')
			str_cut(&text, '\n');
	}
	all = text.len;
	text.len = utf8_cut(text, DIFF_MAX);
	out->truncated = text.len < all || program_truncated(&run->program, PIPES_OUT);
	if (out->truncated)
		text.len -= utf8_incomplete_tail(text);
	out->diff = text;
	out->lossy = !utf8_valid(text);
	return 0;
}

static const struct git_kind kind = {
	.name = "diff", .max_bytes = DIFF_MAX + FIGURES_MAX, .plan = plan, .read = read_output
};

static void start(struct call *call)
{
	git_start(call, &kind, &call_in(call, struct in)->path);
}

static const enum err_code errors[] = { GIT_ERRORS, ERR_NONE };

const struct op op_devtools_git_diff = {
	.id = "devtools.git.diff",
	.endpoint = "git_diff",
	.group = "dev_tools",
	.scope = "git:read",
	.kind = OP_JSON,
	.method = "GET",
	.path = "/git/diff",
	.since = "0.1.0",
	.summary = "Show what changed in a git repository.",
	.description = "The repository is found and held as for devtools.git.status. Denied files are left out.",
	.example = { .args = JSON_TEXT({ "path" : "demo/repo" }) },
	.effects = OP_RUNS | OP_READS | OP_IDEMPOTENT,
	.params = params,
	.params_size = sizeof(struct in),
	.result = result,
	.result_size = sizeof(struct out),
	.errors = errors,
	.limits = git_limits,
	.start = start,
};
