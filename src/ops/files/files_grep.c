/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.grep: lines that match in the files below a folder, or in one file.
 *
 * Links are not followed, but for the start itself.  Memory does not grow with files or lines:
 * scan.h holds one block, hits.h what is answered.
 */
#include "base/clock.h"
#include "ops/files/files.h"
#include "ops/files/glob.h"
#include "ops/files/hits.h"
#include "ops/files/ignores.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { RESULTS_MAX = 100000, TIMEOUT_MAX = 3600, PATTERN_MAX = 32768, GIVEN_UP_MAX = 100 };

struct in {
	struct path_arg path;
	const char *pattern, *glob;
	bool ignore_case, literal, no_ignore;
	int64_t context, max_results;
	double timeout;
};

struct given_up {
	struct str path, path_b64;
	bool timed_out;
};

struct out {
	struct str path, path_b64;
	struct list matches;
	int64_t files_searched, files_skipped;
	struct list files_given_up;
	bool truncated, timed_out;
};

static const struct field in_fields[] = { P_PATH(struct in, path, F_REQUIRED, "Folder to search, or one file."),
	P_STRING(struct in, pattern, F_REQUIRED, "Regular expression (PCRE2), looked for in each line."),
	P_STRING(struct in, glob, 0,
		"Only files that this fits: without a slash by their name, else by the path below the folder."),
	P_BOOL(struct in, ignore_case, false, "Letters match without regard to case."),
	P_BOOL(struct in, literal, false, "The pattern is a text and not an expression."),
	P_INT(struct in, context, 0, 0, HITS_CONTEXT_MAX, "How many lines before and after each match to answer."),
	P_INT(struct in, max_results, 1000, 1, RESULTS_MAX, "Most matches to answer, one of each line."),
	P_BOOL(struct in, no_ignore, false, "Search what .gitignore files name, and .git folders, too."),
	P_NUM(struct in, timeout, 10, 0, TIMEOUT_MAX,
		"Seconds after which the answer is what was found so far; 0 none."),
	FIELDS_END };

static const struct field match_fields[] = { R_TEXT(struct hit, path, "The absolute path."),
	R_OPT_BYTES(struct hit, path_b64, "The exact path where it is not UTF-8."),
	R_INT(struct hit, line, "The line, from 1."),
	R_INT(struct hit, column, "Where in the line the match begins, in bytes from 1."),
	R_TEXT(struct hit, text, "The line without its newline; of a long one 4096 bytes around the match."),
	R_FLAG(struct hit, cut, "There when the text is not the whole line."),
	R_FLAG(struct hit, lossy,
		"There when bytes of it or its context had to be replaced; files.read gives them exactly."),
	R_OPT_STRINGS(struct hit, before, "The lines before it; only with context."),
	R_OPT_STRINGS(struct hit, after, "The lines behind it; only with context."), FIELDS_END };

static const struct field given_up_fields[] = { R_TEXT(struct given_up, path, "The absolute path."),
	R_OPT_BYTES(struct given_up, path_b64, "The exact path where it is not UTF-8."),
	R_BOOL(struct given_up, timed_out, "True: the expression needed too many steps."), FIELDS_END };

static const struct field out_fields[] = { R_TEXT(struct out, path, "The start, behind its links."),
	R_OPT_BYTES(struct out, path_b64, "The exact path where it is not UTF-8."),
	R_OBJECTS(struct out, matches, struct hit, "GrepMatch", match_fields, "The matches, sorted by path and line."),
	R_INT(struct out, files_searched, "How many files were searched."),
	R_INT(struct out, files_skipped, "How many were not: binary, unreadable, or no regular files."),
	R_OPT_OBJECTS(struct out, files_given_up, struct given_up, "GrepGivenUp", given_up_fields,
		"Files whose search ended early; at most 100 of them are named."),
	R_BOOL(struct out, truncated, "Whether there are more matches: of max_results, or of 8 MiB of answer."),
	R_BOOL(struct out, timed_out, "Whether the timeout ended the search, or a file was given up."), FIELDS_END };

struct grep {
	struct call *call;
	const struct in *in;
	struct out *out;
	struct matcher *matcher;
	struct scan scan;
	struct hits hits;
	struct walk walk;
	struct ignores ignores;
	size_t prefix; /* of a path: up to the part below the folder */
	bool has_rules;
	int64_t deadline_ns;
};

static bool on_match(void *user, const struct scan_match *match)
{
	struct grep *g = user;

	return hits_match(&g->hits, match);
}

static bool on_line(void *user, uint64_t line, struct str text)
{
	struct grep *g = user;

	return hits_line(&g->hits, line, text);
}

static bool is_late(const struct grep *g)
{
	return g->deadline_ns && clock_now_ns() >= g->deadline_ns;
}

static bool is_stopped(void *user)
{
	const struct grep *g = user;

	return call_stopped(g->call) || is_late(g);
}

static const struct scan_events plain_events = { on_match, NULL, is_stopped };
static const struct scan_events context_events = { on_match, on_line, is_stopped };

static int give_up(struct grep *g, struct str path)
{
	struct list *list = &g->out->files_given_up;
	struct given_up *item;

	g->out->timed_out = true;
	if (!list->items)
		list->items = arena_array(&g->call->arena, struct given_up, GIVEN_UP_MAX);
	if (!list->items)
		return err_set(&g->call->err, ERR_BUSY, "the call needs more memory than is left");
	if (list->count == GIVEN_UP_MAX)
		return 0;
	item = &((struct given_up *)list->items)[list->count];
	item->path = (struct str){ arena_strndup(&g->call->arena, path.p, path.len), path.len };
	if (!item->path.p)
		return err_set(&g->call->err, ERR_BUSY, "the call needs more memory than is left");
	item->path_b64 = files_exact(item->path);
	item->timed_out = true;
	list->count++;
	return 0;
}

static int search_file(struct grep *g, int fd, struct str path)
{
	size_t before = g->hits.count;
	int status;

	hits_file(&g->hits, path);
	status = scan_file(&g->scan, fd);
	if (g->hits.failed)
		return -1;
	if (status < 0 || (status == SCAN_BINARY && g->hits.count == before))
		g->out->files_skipped++;
	else
		g->out->files_searched++;
	if (status == SCAN_STOPPED && is_late(g))
		g->out->timed_out = true;
	return status == SCAN_LIMIT ? give_up(g, path) : 0;
}

static int open_entry(const struct walk *w)
{
	int fd = openat(w->dir_fd, w->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close_fd(fd);
	return -EINVAL;
}

static int look_at_file(struct grep *g)
{
	struct walk *w = &g->walk;
	struct str below = { w->path.data + g->prefix, w->path.len - g->prefix };
	AUTOCLOSE int fd = -1;

	if (w->type == DT_LNK || (g->in->glob && !glob_finds(str_of(g->in->glob), below)))
		return 0;
	/* Opening a device could do things. */
	fd = w->type == DT_REG || w->type == DT_UNKNOWN ? open_entry(w) : -EINVAL;
	if (fd == -EMFILE || fd == -ENFILE)
		return err_system(&g->call->err, -fd, "'%s'", w->path.data);
	if (fd < 0) {
		g->out->files_skipped += fd != -ENOENT && fd != -ELOOP;
		return 0;
	}
	return search_file(g, fd, buf_str(&w->path));
}

static bool is_ignored(const struct grep *g, bool is_folder)
{
	const struct walk *w = &g->walk;

	if (g->in->no_ignore)
		return false;
	return (is_folder && strcmp(w->name, ".git") == 0) || ignores_has(&g->ignores, w, is_folder);
}

/* 1: entered; 0: not to be, or not possible. */
static int enter(struct grep *g)
{
	struct walk *w = &g->walk;
	int status = walk_enter(w);

	if (status == 0)
		status = g->in->no_ignore ? 0 : ignores_enter(&g->ignores, w);
	else if (status != -EMFILE && status != -ENFILE && status != -ENOMEM)
		return 0;
	return status < 0 ? err_system(&g->call->err, -status, "'%s'", w->path.data) : 1;
}

static int look_at(struct grep *g)
{
	struct walk *w = &g->walk;
	struct stat st;
	bool is_folder = w->type == DT_DIR;

	if (w->type == DT_UNKNOWN && fstatat(w->dir_fd, w->name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		is_folder = S_ISDIR(st.st_mode);
	if ((g->has_rules && !place_visible(g->call->caller, w->path.data)) || is_ignored(g, is_folder))
		return 0;
	if (!is_folder)
		return look_at_file(g);
	return enter(g) < 0 ? -1 : 0;
}

static int walk_all(struct grep *g)
{
	int event, status = 0;

	while (status == 0 && !g->hits.full && (event = walk_next(&g->walk)) != WALK_END) {
		if (event < 0)
			return err_system(&g->call->err, -event, "'%s'", g->in->path.place->given);
		if (call_stopped(g->call))
			return err_set(&g->call->err, ERR_BUSY, "stopped before the end");
		if (is_late(g)) {
			g->out->timed_out = true;
			return 0;
		}
		if (event == WALK_LEFT)
			ignores_leave(&g->ignores, &g->walk);
		else
			status = look_at(g);
	}
	return status;
}

static int grep_folder(struct grep *g, const struct place *place)
{
	int fd = place_open_dir(place), status;

	if (fd < 0)
		return err_system(&g->call->err, -fd, "'%s'", place->given);
	status = walk_start(&g->walk, fd, place->path);
	if (status == 0 && !g->in->no_ignore)
		status = ignores_enter(&g->ignores, &g->walk);
	if (status < 0)
		err_system(&g->call->err, -status, "'%s'", place->given);
	else
		status = walk_all(g);
	walk_done(&g->walk);
	ignores_done(&g->ignores);
	return status;
}

static int grep_file(struct grep *g, const struct place *place)
{
	struct stat st;
	AUTOCLOSE int fd = files_open(place, &st, &g->call->err);

	if (fd < 0 || search_file(g, fd, str_of(place->path)) < 0)
		return -1;
	if (call_stopped(g->call))
		return err_set(&g->call->err, ERR_BUSY, "stopped before the end");
	return 0;
}

static int grep(struct grep *g)
{
	const struct place *place = g->in->path.place;
	struct stat st;
	int status;

	if (files_lstat(place, &st, &g->call->err) < 0)
		return -1;
	status = S_ISDIR(st.st_mode) ? grep_folder(g, place) : grep_file(g, place);
	if (status < 0 || hits_list(&g->hits, &g->out->matches) < 0)
		return -1;
	g->out->truncated = g->hits.full;
	g->out->path = str_of(place->path);
	g->out->path_b64 = files_exact(g->out->path);
	return 0;
}

static int files_grep(struct call *call)
{
	const struct in *in = call_in(call, struct in);
	struct matcher_how how = { .literal = in->literal, .ignore_case = in->ignore_case };
	struct grep g = { .call = call, .in = in, .out = call_out(call, struct out) };
	int status;

	if (strlen(in->pattern) > PATTERN_MAX)
		return err_set(&call->err, ERR_ARGS_INVALID, "parameter 'pattern' is over %d bytes", PATTERN_MAX);
	g.matcher = matcher_new(str_of(in->pattern), how, &call->err);
	if (!g.matcher)
		return -1;
	g.prefix = strlen(in->path.place->path) + (in->path.place->path[1] ? 1 : 0);
	g.has_rules = place_may_hold_rule(call->caller, in->path.place->path);
	if (in->timeout > 0)
		g.deadline_ns = call->started_ns + (int64_t)(in->timeout * (double)NS_PER_S);
	hits_init(&g.hits, call, (size_t)in->max_results, (size_t)in->context);
	scan_init(&g.scan, g.matcher, in->context ? &context_events : &plain_events, &g);
	status = grep(&g);
	scan_done(&g.scan);
	hits_done(&g.hits);
	matcher_free(g.matcher);
	return status;
}

static const enum err_code errors[] = {
	ERR_POLICY_PATH,
	ERR_FILES_NOT_FOUND,
	ERR_FILES_NOT_DIR,
	ERR_FILES_NOT_REGULAR,
	ERR_FILES_PERMISSION,
	ERR_FILES_IO,
	ERR_NONE,
};

const struct op op_files_grep = {
	.id = "files.grep",
	.group = "file_ops",
	.scope = "files:read",
	.kind = OP_JSON,
	.method = "POST",
	.path = "/files/grep",
	.since = "0.1.0",
	.summary = "Find lines in files.",
	.description =
		"Each line is searched alone. Binary files, which hold a NUL, are passed over, and so is what .gitignore files at and "
		"below the folder name. Of a line over 64 KiB a match of more than 4096 bytes may be missed.",
	.example = { .args = JSON_TEXT({ "path" : "demo", "pattern" : "two|three", "glob" : "*.txt" }) },
	.effects = OP_READS | OP_IDEMPOTENT,
	.params = in_fields,
	.params_size = sizeof(struct in),
	.result = out_fields,
	.result_size = sizeof(struct out),
	.errors = errors,
	.lane = OP_LANE_LONG,
	.waits = true,
	.work = files_grep,
};
