/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.search: entries below a folder by a glob on their name or path.
 *
 * Links are not followed, but for the folder itself.  Denied entries and all below them are
 * passed over, and so are folders that may not be read.
 */
#include "base/clock.h"
#include "ops/files/files.h"
#include "ops/files/glob.h"
#include "ops/files/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

enum { DEPTH_MAX = 100000, RESULTS_MAX = 100000, TIMEOUT_MAX = 3600, PATTERN_MAX = 4096 };

static const char *const types[] = { "any", "file", "directory", "symlink", "other", NULL };

struct in {
	struct path_arg path;
	const char *pattern;
	int64_t max_depth, max_results;
	int type;
	bool hidden;
	double timeout;
};

struct found {
	struct str name, name_b64, path, path_b64;
	int type;
	struct found *next;
};

struct out {
	struct str path, path_b64;
	struct list results;
	bool timed_out, truncated;
};

static const struct field in_fields[] = { P_PATH(struct in, path, F_REQUIRED, "Folder to search."),
	P_STRING(struct in, pattern, F_REQUIRED,
		"Glob: without a slash for the name, else for the path below the folder; '**' crosses folders."),
	P_INT(struct in, max_depth, 5, 1, DEPTH_MAX, "How many levels to search; 1 is the folder alone."),
	P_INT(struct in, max_results, 100, 1, RESULTS_MAX, "Most entries to answer."),
	P_CHOICE(struct in, type, 0, types, "Only entries of this kind."),
	P_BOOL(struct in, hidden, true, "Search names that begin with a dot too."),
	P_NUM(struct in, timeout, 10, 0, TIMEOUT_MAX,
		"Seconds after which the answer is what was found so far; 0 none."),
	FIELDS_END };

static const struct field found_fields[] = { R_TEXT(struct found, name, "The name."),
	R_OPT_BYTES(struct found, name_b64, "The exact name where it is not UTF-8."),
	R_TEXT(struct found, path, "The absolute path."),
	R_OPT_BYTES(struct found, path_b64, "The exact path where it is not UTF-8."),
	R_CHOICE(struct found, type, files_types, "What kind of entry it is; links are not followed."), FIELDS_END };

static const struct field out_fields[] = { R_TEXT(struct out, path, "The folder, behind its links."),
	R_OPT_BYTES(struct out, path_b64, "The exact path where it is not UTF-8."),
	R_OBJECTS(struct out, results, struct found, "FoundEntry", found_fields, "What was found, sorted by path."),
	R_BOOL(struct out, timed_out, "Whether the timeout ended the search."),
	R_BOOL(struct out, truncated, "Whether there may be more: of max_results, or of the timeout."), FIELDS_END };

struct search {
	struct call *call;
	const struct in *in;
	struct out *out;
	struct walk walk;
	struct str pattern;
	size_t prefix; /* of a path: up to the part below the folder */
	bool has_rules;
	int64_t deadline_ns;
	struct found *first; /* the last one found */
	size_t count;
};

static enum files_type type_of(const struct walk *w)
{
	struct stat st;

	switch (w->type) {
	case DT_REG:
		return FILES_FILE;
	case DT_DIR:
		return FILES_DIRECTORY;
	case DT_LNK:
		return FILES_SYMLINK;
	case DT_UNKNOWN:
		return fstatat(w->dir_fd, w->name, &st, AT_SYMLINK_NOFOLLOW) < 0 ? FILES_OTHER : files_type(st.st_mode);
	default:
		return FILES_OTHER;
	}
}

static int add(struct search *s, enum files_type type)
{
	struct found *found = call_new(s->call, struct found);
	char *path = found ? call_alloc(s->call, s->walk.path.len + 1) : NULL;

	if (!path)
		return -1;
	memcpy(path, s->walk.path.data, s->walk.path.len);
	found->path = (struct str){ path, s->walk.path.len };
	found->name = str_of(path + s->walk.path.len - strlen(s->walk.name));
	found->path_b64 = files_exact(found->path);
	found->name_b64 = files_exact(found->name);
	found->type = (int)type;
	found->next = s->first;
	s->first = found;
	s->count++;
	return 0;
}

static bool is_wanted(const struct search *s, enum files_type type)
{
	const struct buf *path = &s->walk.path;

	if (s->in->type && s->in->type - 1 != (int)type)
		return false;
	return glob_finds(s->pattern, (struct str){ path->data + s->prefix, path->len - s->prefix });
}

/* 1: as many as wanted are found. */
static int look_at(struct search *s)
{
	struct walk *w = &s->walk;
	bool goes_on = (int64_t)w->depth < s->in->max_depth;
	enum files_type type;
	int status;

	if ((!s->in->hidden && w->name[0] == '.') || (s->has_rules && !place_visible(s->call->caller, w->path.data)))
		return 0;
	type = type_of(w);
	if (is_wanted(s, type)) {
		if ((int64_t)s->count >= s->in->max_results) {
			s->out->truncated = true;
			return 1;
		}
		if (add(s, type) < 0)
			return -1;
	}
	status = type == FILES_DIRECTORY && goes_on ? walk_enter(w) : 0;
	if (status == -EMFILE || status == -ENFILE || status == -ENOMEM)
		return err_system(&s->call->err, -status, "'%s'", w->path.data);
	return 0;
}

static bool is_late(const struct search *s)
{
	return s->deadline_ns && clock_now_ns() >= s->deadline_ns;
}

static int walk_all(struct search *s)
{
	int event, status = 0;

	while (status == 0 && (event = walk_next(&s->walk)) != WALK_END) {
		if (event < 0)
			return err_system(&s->call->err, -event, "'%s'", s->in->path.place->given);
		if (call_stopped(s->call))
			return err_set(&s->call->err, ERR_BUSY, "stopped before the end");
		if (is_late(s)) {
			s->out->timed_out = s->out->truncated = true;
			return 0;
		}
		if (event == WALK_ENTRY)
			status = look_at(s);
	}
	return status < 0 ? -1 : 0;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct found *)a)->path.p, ((const struct found *)b)->path.p);
}

static int list_found(struct search *s)
{
	struct found *items = arena_array(&s->call->arena, struct found, s->count);
	size_t i = 0;

	if (!items)
		return err_set(&s->call->err, ERR_BUSY, "the call needs more memory than is left");
	for (const struct found *found = s->first; found; found = found->next)
		items[i++] = *found;
	qsort(items, s->count, sizeof *items, by_path);
	s->out->results = (struct list){ items, s->count };
	return 0;
}

static int search(struct search *s, const struct place *place)
{
	int fd = place_open_dir(place), status;

	if (fd < 0)
		return err_system(&s->call->err, -fd, "'%s'", place->given);
	status = walk_start(&s->walk, fd, place->path);
	if (status < 0)
		status = err_system(&s->call->err, -status, "'%s'", place->given);
	else
		status = walk_all(s);
	walk_done(&s->walk);
	return status < 0 ? -1 : list_found(s);
}

static int files_search(struct call *call)
{
	const struct in *in = call_in(call, struct in);
	const struct place *place = in->path.place;
	struct search s = { .call = call, .in = in, .out = call_out(call, struct out), .pattern = str_of(in->pattern) };

	if (s.pattern.len > PATTERN_MAX)
		return err_set(&call->err, ERR_ARGS_INVALID, "parameter 'pattern' is over %d bytes", PATTERN_MAX);
	s.prefix = strlen(place->path) + (place->path[1] ? 1 : 0);
	s.has_rules = place_may_hold_rule(call->caller, place->path);
	if (in->timeout > 0)
		s.deadline_ns = call->started_ns + (int64_t)(in->timeout * (double)NS_PER_S);
	s.out->path = str_of(place->path);
	s.out->path_b64 = files_exact(s.out->path);
	return search(&s, place);
}

static const enum err_code errors[] = {
	ERR_POLICY_PATH,
	ERR_FILES_NOT_FOUND,
	ERR_FILES_NOT_DIR,
	ERR_FILES_PERMISSION,
	ERR_FILES_IO,
	ERR_NONE,
};

const struct op op_files_search = {
	.id = "files.search",
	.endpoint = "files_search",
	.group = "file_ops",
	.scope = "files:read",
	.kind = OP_JSON,
	.method = "POST",
	.path = "/files/search",
	.since = "0.1.0",
	.summary = "Find files by name.",
	.description =
		"Globs know '*', '?', '[a-z]', '[!a-z]' and a backslash before a sign that stands for itself. Links are not followed, "
		"but for the folder itself.",
	.example = { .args = JSON_TEXT({ "path" : "demo", "pattern" : "*.py" }), .abx = "find '*.py' demo" },
	.effects = OP_READS | OP_IDEMPOTENT,
	.params = in_fields,
	.params_size = sizeof(struct in),
	.result = out_fields,
	.result_size = sizeof(struct out),
	.errors = errors,
	.lane = OP_LANE_LONG,
	.waits = true,
	.work = files_search,
};
