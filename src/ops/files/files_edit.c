/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.edit: changes parts of a text file, all of them or none.
 *
 * The file is read, changed in memory and replaced whole, on the condition that it is still the
 * one that was read: of two edits at once that meet, the second is refused.
 */
#include "base/utf8.h"
#include "ops/files/diff.h"
#include "ops/files/edits.h"
#include "ops/files/patch.h"
#include "ops/files/target.h"
#include "wire/range.h"

#include <errno.h>
#include <unistd.h>

enum { MAX_DEFAULT = 16777216, MAX_CAP = 104857600, DIFF_MAX = 1 << 20, EDITS_MAX = 1000, SHOWN_MAX = 200 };

struct in {
	struct path_arg path;
	struct list edits;
	struct str patch;
};

struct out {
	struct str path, path_b64;
	int64_t replacements;
	struct str diff;
	bool diff_cut, lossy;
	int64_t bytes;
	const char *etag;
};

static const struct field edit_fields[] = { P_TEXT(struct edit, old, F_REQUIRED,
						    "What is there now, exactly, with its line ends."),
	P_TEXT(struct edit, new, F_REQUIRED, "What is to be there."),
	P_INT(struct edit, count, 1, 0, INT64_MAX,
		"How often old is there; each is replaced. 0: as often as it is, at least once."),
	FIELDS_END };

static const struct field in_fields[] = { P_PATH(struct in, path, F_REQUIRED | F_WRITE, "File to change."),
	P_OBJECTS(struct in, edits, struct edit, "Edit", edit_fields, 0,
		"Exact replacements, one after the other; each sees what those before it made."),
	P_TEXT(struct in, patch, 0, "A unified diff of this file; every line of it has to fit."), FIELDS_END };

static const struct field out_fields[] = { R_TEXT(struct out, path, "The file, behind its links."),
	R_OPT_BYTES(struct out, path_b64, "The exact path where it is not UTF-8."),
	R_INT(struct out, replacements, "How many places were changed; of a patch its hunks."),
	R_TEXT(struct out, diff, "What was changed, as a unified diff; empty when nothing was."),
	R_FLAG(struct out, diff_cut, "There when the diff would be over 1 MiB, and is left out."),
	R_FLAG(struct out, lossy, "There when bytes of the diff had to be replaced."),
	R_INT(struct out, bytes, "The length of the file now."),
	R_STRING(struct out, etag, "The tag of the file now, for If-Match."), FIELDS_END };

struct editing {
	struct call *call;
	const struct in *in;
	struct out *out;
	struct buf before, now, next; /* budgeted */
	struct buf diff;
	struct target target;
	bool has_target;
};

static const char *given(const struct editing *e)
{
	return e->in->path.place->given;
}

static int no_memory(struct editing *e)
{
	return err_set(&e->call->err, ERR_BUSY, "memory is used up: the file cannot be held");
}

static int too_large(struct editing *e, int64_t most)
{
	return call_over_limit(
		e->call, "max_bytes", &e->call->err, "'%s' is over %lld bytes", given(e), (long long)most);
}

static int read_file(struct editing *e, char etag[static FILES_ETAG_SIZE])
{
	int64_t most = call_limit(e->call, "max_bytes");
	struct stat st;
	AUTOCLOSE int fd = files_open(e->in->path.place, &st, &e->call->err);

	if (fd < 0)
		return -1;
	if (st.st_size > most)
		return too_large(e, most);
	files_etag(&st, etag);
	for (;;) {
		size_t want = e->before.len < (size_t)st.st_size ? (size_t)st.st_size - e->before.len : 4096;
		char *to = buf_reserve(&e->before, want);
		ssize_t len = to ? read(fd, to, want) : 0;

		if (!to)
			return no_memory(e);
		if (len < 0)
			return err_system(&e->call->err, errno, "cannot read '%s'", given(e));
		if (len == 0)
			return 0;
		buf_commit(&e->before, (size_t)len);
		if ((int64_t)e->before.len > most)
			return too_large(e, most);
	}
}

static int no_match(struct editing *e, size_t index, const struct edit *edit, size_t found)
{
	struct str text = buf_str(&e->now), line;
	size_t number;

	if (found && edit->count)
		return err_set(&e->call->err, ERR_FILES_NO_MATCH,
			"edits[%zu]: 'old' is there %zu times and not %lld; make it longer, or say 'count'", index,
			found, (long long)edit->count);
	line = str_trim(edit_nearest(text, edit->old, &number));
	if (!number)
		return err_set(&e->call->err, ERR_FILES_NO_MATCH,
			"edits[%zu]: 'old' is there 0 times, and no line is like it", index);
	return err_set(&e->call->err, ERR_FILES_NO_MATCH,
		"edits[%zu]: 'old' is there 0 times; the nearest is line %zu: '%.*s'", index, number,
		(int)MIN(line.len, (size_t)SHOWN_MAX), line.p);
}

static int apply_edit(struct editing *e, size_t index, const struct edit *edit)
{
	struct buf done;
	size_t found;

	if (!edit->old.len)
		return err_set(&e->call->err, ERR_ARGS_INVALID, "parameter 'edits[%zu].old' is empty", index);
	found = edit_count(buf_str(&e->now), edit->old);
	if (edit->count ? found != (size_t)edit->count : !found)
		return no_match(e, index, edit, found);
	edit_replace(&e->next, buf_str(&e->now), edit);
	if (buf_failed(&e->next))
		return no_memory(e);
	done = e->now;
	e->now = e->next;
	e->next = done;
	buf_truncate(&e->next, 0);
	e->out->replacements += (int64_t)found;
	return 0;
}

static int apply_edits(struct editing *e)
{
	const struct list *list = &e->in->edits;

	if (list->count == 0 || list->count > EDITS_MAX)
		return err_set(&e->call->err, ERR_ARGS_INVALID, "parameter 'edits' must have 1 to %d edits", EDITS_MAX);
	buf_add(&e->now, e->before.data, e->before.len);
	if (buf_failed(&e->now))
		return no_memory(e);
	for (size_t i = 0; i < list->count; i++) {
		if (call_stopped(e->call))
			return err_set(&e->call->err, ERR_BUSY, "stopped before the end");
		if (apply_edit(e, i, &((const struct edit *)list->items)[i]) < 0)
			return -1;
	}
	return 0;
}

static int apply_patch(struct editing *e)
{
	struct patch_fault fault;
	size_t hunks;
	int status = patch_apply(&e->now, buf_str(&e->before), e->in->patch, &fault, &hunks);

	if (buf_failed(&e->now))
		return no_memory(e);
	e->out->replacements = (int64_t)hunks;
	if (status == 0)
		return 0;
	if (status == -EINVAL)
		return err_set(&e->call->err, ERR_ARGS_INVALID, "parameter 'patch' is no unified diff: line %zu: %s",
			fault.patch_line, fault.why);
	return err_set(&e->call->err, ERR_FILES_NO_MATCH,
		"hunk %zu of the patch does not fit at line %zu (line %zu of the patch): %s", fault.hunk,
		fault.text_line, fault.patch_line, fault.why);
}

/* Only the file that was read is replaced; what the caller knows was asked before. */
static int write_file(struct editing *e, const char *etag)
{
	struct target_how how = { .if_match = str_of(etag),
		.durable = policy_fsync(principal_policy(e->call->caller)) };

	e->has_target = true;
	if (target_open(&e->target, e->in->path.place, &how, &e->call->err) < 0 ||
		target_write(&e->target, e->now.data, e->now.len, &e->call->err) < 0)
		return -1;
	if (call_stopped(e->call))
		return err_set(&e->call->err, ERR_BUSY, "stopped before the end");
	return target_commit(&e->target, &e->call->err);
}

static int tell_diff(struct editing *e)
{
	const struct place *place = e->in->path.place;

	if (diff_unified(&e->diff, str_of(place->path), buf_str(&e->before), buf_str(&e->now)) < 0)
		return no_memory(e);
	e->out->diff_cut = buf_failed(&e->diff);
	if (e->diff.len) {
		char *text = call_alloc(e->call, e->diff.len);

		if (!text)
			return -1;
		e->out->diff = (struct str){ memcpy(text, e->diff.data, e->diff.len), e->diff.len };
		e->out->lossy = !utf8_valid(e->out->diff);
	}
	return 0;
}

static int edit(struct editing *e)
{
	char etag[FILES_ETAG_SIZE];
	const char *now = etag;

	if (read_file(e, etag) < 0)
		return -1;
	if (e->call->http.if_match.p && !etag_list_has(e->call->http.if_match, str_of(etag), false))
		return err_set(&e->call->err, ERR_FILES_CHANGED, "'%s' is not what If-Match says", given(e));
	if ((e->in->patch.p ? apply_patch(e) : apply_edits(e)) < 0 || tell_diff(e) < 0)
		return -1;
	if (!str_eq(buf_str(&e->before), buf_str(&e->now))) {
		if (write_file(e, etag) < 0)
			return -1;
		now = e->target.etag;
	}
	e->out->bytes = (int64_t)e->now.len;
	e->out->etag = arena_strdup(&e->call->arena, now);
	return e->out->etag ? 0 : err_set(&e->call->err, ERR_BUSY, "the call needs more memory than is left");
}

static int files_edit(struct call *call)
{
	const struct in *in = call_in(call, struct in);
	struct editing e = { .call = call, .in = in, .out = call_out(call, struct out) };
	size_t most = (size_t)call_limit(call, "max_bytes") + 8192;
	int status;

	buf_init_budgeted(&e.before, most);
	buf_init_budgeted(&e.now, most);
	buf_init_budgeted(&e.next, most);
	buf_init_budgeted(&e.diff, DIFF_MAX);
	status = edit(&e);
	if (e.has_target)
		target_done(&e.target);
	buf_free(&e.before);
	buf_free(&e.now);
	buf_free(&e.next);
	buf_free(&e.diff);
	e.out->path = str_of(in->path.place->path);
	e.out->path_b64 = files_exact(e.out->path);
	return status;
}

static const struct one_of one_of[] = { { { "edits", "patch" }, false }, { { NULL }, false } };

static const struct limit limits[] = {
	{ "max_bytes", MAX_DEFAULT, MAX_CAP, ERR_LIMIT_FILE, "Largest file to edit." },
	{ 0 },
};

static const enum err_code errors[] = {
	ERR_POLICY_PATH,
	ERR_POLICY_READONLY,
	ERR_FILES_NOT_FOUND,
	ERR_FILES_NOT_DIR,
	ERR_FILES_IS_DIR,
	ERR_FILES_NOT_REGULAR,
	ERR_FILES_NO_MATCH,
	ERR_FILES_CHANGED,
	ERR_FILES_PERMISSION,
	ERR_FILES_NO_SPACE,
	ERR_FILES_IO,
	ERR_LIMIT_FILE,
	ERR_NONE,
};

const struct op op_files_edit = {
	.id = "files.edit",
	.group = "file_ops",
	.scope = "files:write",
	.kind = OP_JSON,
	.method = "POST",
	.path = "/files/edit",
	.since = "0.1.0",
	.summary = "Change parts of a file.",
	.description =
		"Exact replacements, or a unified diff; nothing is written unless all of them apply. The file keeps its mode and owner. With "
		"If-Match only the content that the caller knows is changed; a file that changes meanwhile is 412 in any case.",
	.example = { .args = JSON_TEXT({
		"path" : "demo/settings.ini",
		"edits" : [ { "old" : "debug = no", "new" : "debug = yes" } ]
	}) },
	.effects = OP_WRITES,
	.params = in_fields,
	.params_size = sizeof(struct in),
	.one_of = one_of,
	.result = out_fields,
	.result_size = sizeof(struct out),
	.errors = errors,
	.limits = limits,
	.lane = OP_LANE_LONG,
	.work = files_edit,
};
