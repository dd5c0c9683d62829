/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.chmod: the permissions of a file, or of a folder and all below it.
 *
 * The rules of the policy are asked for every entry before the first one is changed.
 */
#include "ops/files/files.h"
#include "ops/files/tree.h"
#include "ops/files/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>

struct in {
	struct path_arg path;
	const char *mode;
	bool recursive;
};

struct out {
	struct str path, path_b64;
	const char *mode;
	int64_t changed;
};

static const struct field in_fields[] = {
	P_PATH(struct in, path, F_REQUIRED | F_WRITE, "What to change; a link is followed."),
	P_STRING(struct in, mode, F_REQUIRED, "Three or four octal digits, like '644'."),
	P_BOOL(struct in, recursive, false, "All that is below a folder too; links are left as they are."), FIELDS_END
};

static const struct field out_fields[] = { R_TEXT(struct out, path, "What was changed, behind its links."),
	R_OPT_BYTES(struct out, path_b64, "The exact path where it is not UTF-8."),
	R_STRING(struct out, mode, "The permissions that it has now, as octal digits."),
	R_INT(struct out, changed, "How many entries got the mode."), FIELDS_END };

/* Links have no mode; the C library tells so. */
static int change(int dir_fd, const char *name, mode_t mode, int64_t *changed)
{
	if (fchmodat(dir_fd, name, mode, AT_SYMLINK_NOFOLLOW) == 0) {
		*changed += 1;
		return 0;
	}
	return errno == EOPNOTSUPP || errno == ENOENT ? 0 : -errno;
}

/* A folder gets its mode when all below it has: it might not let us in any more. */
static int change_event(struct call *call, struct walk *w, int event, mode_t mode, int64_t *changed)
{
	int status;

	if (place_check_write(call->caller, w->path.data, &call->err) < 0)
		return -EPERM;
	if (event == WALK_LEFT)
		return w->dir_fd >= 0 ? change(w->dir_fd, w->name, mode, changed) : 0;
	if (w->type != DT_DIR && w->type != DT_UNKNOWN)
		return change(w->dir_fd, w->name, mode, changed);
	status = walk_enter(w);
	return status == -ENOTDIR || status == -ELOOP ? change(w->dir_fd, w->name, mode, changed) : status;
}

static int change_below(struct call *call, const struct place *place, mode_t mode, int64_t *changed)
{
	int fd = place_open_dir(place), event = 0, status = fd < 0 ? fd : 0;
	struct walk w;

	if (fd < 0)
		return err_system(&call->err, -fd, "'%s'", place->given);
	status = walk_start(&w, fd, place->path);
	while (status == 0 && (event = walk_next(&w)) != WALK_END) {
		if (event < 0 || call_stopped(call))
			status = event < 0 ? event : -ECANCELED;
		else
			status = change_event(call, &w, event, mode, changed);
	}
	if (status < 0 && !call->err.code)
		err_system(&call->err, -status, "cannot change '%s'", w.path.data ? w.path.data : place->given);
	walk_done(&w);
	return status < 0 ? -1 : 0;
}

static int permit(struct call *call)
{
	const struct in *in = call_in(call, struct in);
	const struct place *place = in->path.place;
	struct stat st;
	mode_t unused;

	if (files_parse_mode(in->mode, &unused, &call->err) < 0)
		return -1;
	if (!place || files_lstat(place, &st, &call->err) < 0 || !S_ISDIR(st.st_mode))
		return 0;
	return tree_check_rules(call, place, &call->err);
}

static int files_chmod(struct call *call)
{
	const struct in *in = call_in(call, struct in);
	const struct place *place = in->path.place;
	struct out *out = call_out(call, struct out);
	struct stat st;
	mode_t mode;
	int status;

	if (files_parse_mode(in->mode, &mode, &call->err) < 0 || files_lstat(place, &st, &call->err) < 0)
		return -1;
	if (S_ISDIR(st.st_mode) && tree_check_rules(call, place, &call->err) < 0)
		return -1;
	if (in->recursive && S_ISDIR(st.st_mode) && change_below(call, place, mode, &out->changed) < 0)
		return -1;
	status = change(place->parent_fd, place->name, mode, &out->changed);
	if (status == 0)
		status = files_lstat(place, &st, &call->err) < 0 ? -ENOENT : 0;
	if (status < 0)
		return err_system(&call->err, -status, "cannot change '%s'", place->given);
	out->path = str_of(place->path);
	out->path_b64 = files_exact(out->path);
	out->mode = files_mode(call, st.st_mode);
	return out->mode ? 0 : -1;
}

static const enum err_code errors[] = {
	ERR_POLICY_PATH,
	ERR_POLICY_READONLY,
	ERR_FILES_NOT_FOUND,
	ERR_FILES_NOT_DIR,
	ERR_FILES_PERMISSION,
	ERR_FILES_IO,
	ERR_NONE,
};

const struct op op_files_chmod = {
	.id = "files.chmod",
	.group = "file_ops",
	.scope = "files:write",
	.kind = OP_JSON,
	.method = "POST",
	.path = "/files/chmod",
	.since = "0.1.0",
	.summary = "Change permissions.",
	.description =
		"Every entry gets exactly this mode. Nothing is changed when the policy protects one of them; after another failure the "
		"entries before it are changed.",
	.example = { .args = JSON_TEXT({ "path" : "demo/run.sh", "mode" : "755" }) },
	.effects = OP_WRITES | OP_IDEMPOTENT,
	.params = in_fields,
	.params_size = sizeof(struct in),
	.result = out_fields,
	.result_size = sizeof(struct out),
	.errors = errors,
	.lane = OP_LANE_LONG,
	.permit = permit,
	.work = files_chmod,
};
