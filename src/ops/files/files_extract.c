/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.extract: an archive into a folder.
 *
 * A new destination is filled under a temporary name beside it and renamed when all is well; one that
 * is there is merged into, entry by entry (R103).  An archive that comes as the body is first kept in
 * an unnamed file, because a zip is read from its end.
 */
#include "ops/files/leftover.h"
#include "ops/files/tree.h"
#include "ops/files/unpack.h"

#include "base/budget.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BUFFER_SIZE = 256 * 1024, MAX_FILES_DEFAULT = 200000, MAX_FILES_CAP = 10000000 };

struct in {
	struct path_arg path, destination;
	int format;
	bool overwrite, parents;
	int64_t strip;
};

struct out {
	struct str destination, destination_b64;
	int64_t entries, bytes, owners_dropped, skipped_total;
	bool merged;
	struct list skipped;
};

static const struct field params[] = {
	P_PATH(struct in, path, 0, "The archive, where it is not the body itself."),
	P_PATH(struct in, destination, F_REQUIRED | F_WRITE | F_MISSING_OK,
		"The folder to fill; made when it is not there."),
	P_CHOICE(struct in, format, UNPACK_AUTO, unpack_formats, "What the archive is; auto looks."),
	P_BOOL(struct in, overwrite, true, "Replace files that are there; else they are kept and listed as skipped."),
	P_INT(struct in, strip, 0, 0, 100, "How many parts to leave off the front of each name."),
	P_BOOL(struct in, parents, false, "Make missing folders above the destination."),
	FIELDS_END,
};

static const struct field skipped_rows[] = {
	R_TEXT(struct unpack_skipped, name, "The entry's name in the archive."),
	R_OPT_BYTES(struct unpack_skipped, name_b64, "The exact name where it is not UTF-8."),
	R_STRING(struct unpack_skipped, reason, "Why it, or a part of it, is not there."),
	FIELDS_END,
};

static const struct field result[] = {
	R_TEXT(struct out, destination, "The folder."),
	R_OPT_BYTES(struct out, destination_b64, "The exact path where it is not UTF-8."),
	R_INT(struct out, entries, "How many entries were written."),
	R_INT(struct out, bytes, "How many bytes of files were written; holes do not count."),
	R_BOOL(struct out, merged, "The destination was there already and got the entries one by one."),
	R_INT(struct out, owners_dropped, "How many entries had another owner in the archive than they have now."),
	R_INT(struct out, skipped_total, "How many notes there are in all."),
	R_OBJECTS(struct out, skipped, struct unpack_skipped, "SkippedEntry", skipped_rows,
		"What was left out or changed, the first 1000."),
	FIELDS_END,
};

struct extract {
	struct call *call;
	struct job job;
	struct unpack unpack;
	int archive_fd;
	/* of a body */
	char *buffer;
	size_t filled;
	int64_t total;
	bool ended, busy, failed, gone;
	struct err err;
	/* of a new destination */
	char temp[FILES_TEMP_SIZE];
	struct leftover left;
	int nearest_fd; /* the folder for what has not appeared yet, where the destination's own is missing; or -1 */
	int folder_fd;
	bool merged;
};

static void extract_free(struct extract *x)
{
	leftover_forget(&x->left);
	close_fd(x->archive_fd);
	close_fd(x->nearest_fd);
	if (x->buffer)
		budget_give(BUFFER_SIZE);
	free(x->buffer);
	free(x);
}

static struct place *destination(const struct extract *x)
{
	return call_in(x->call, struct in)->destination.place;
}

static int open_archive(struct extract *x, struct err *err)
{
	const struct place *place = call_in(x->call, struct in)->path.place;
	struct stat st;

	if (x->archive_fd >= 0)
		return 0;
	if (files_lstat(place, &st, err) < 0)
		return -1;
	if (S_ISDIR(st.st_mode))
		return err_system(err, EISDIR, "'%s'", place->given);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_FILES_NOT_REGULAR, "'%s' is not a regular file", place->given);
	x->archive_fd = place_open(place, O_RDONLY, 0);
	return x->archive_fd < 0 ? err_system(err, -x->archive_fd, "cannot read '%s'", place->given) : 0;
}

/* Missing folders above are made when all is well, and not before. */
static int open_stage(struct extract *x, struct err *err)
{
	const struct place *to = destination(x);

	if (!to->missing || x->nearest_fd >= 0)
		return 0;
	if (!call_in(x->call, struct in)->parents)
		return err_system(err, ENOENT, "'%s'", to->given);
	x->nearest_fd = place_open_nearest(to);
	return x->nearest_fd < 0 ? err_system(err, -x->nearest_fd, "'%s'", to->given) : 0;
}

static int stage_fd(const struct extract *x)
{
	return x->nearest_fd >= 0 ? x->nearest_fd : destination(x)->parent_fd;
}

/* The folder to fill: the destination itself, or one beside it (or above) that takes its name at the end. */
static int open_folder(struct extract *x, struct err *err)
{
	struct place *to = destination(x);

	x->folder_fd = place_open_dir(to);
	x->merged = x->folder_fd >= 0;
	if (x->merged)
		return 0;
	if (x->folder_fd != -ENOENT)
		return err_system(err, -x->folder_fd, "'%s'", to->given);
	files_temp_name(x->temp);
	x->left = leftover_note(stage_fd(x), x->temp);
	if (mkdirat(stage_fd(x), x->temp, 0777) < 0) {
		x->temp[0] = '\0';
		return err_system(err, errno, "cannot make '%s'", to->given);
	}
	x->folder_fd = openat(stage_fd(x), x->temp, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return x->folder_fd < 0 ? err_system(err, errno, "cannot make '%s'", to->given) : 0;
}

static int appear(struct extract *x, struct err *err)
{
	struct place *to = destination(x);
	int status;

	if (place_make_parents(to, 0777, err) < 0)
		return -1;
	status = renameat2(stage_fd(x), x->temp, to->parent_fd, to->name, RENAME_NOREPLACE);
	if (status < 0 && (errno == EINVAL || errno == ENOSYS))
		status = renameat(stage_fd(x), x->temp, to->parent_fd, to->name);
	if (status < 0)
		return err_system(err, errno, "cannot make '%s'", to->given);
	x->temp[0] = '\0';
	return 0;
}

static uid_t own_uid(const struct call *call)
{
	const struct as_user *user = policy_file_user(principal_policy(call->caller));

	return user ? user->uid : geteuid();
}

static int fill(struct extract *x, struct err *err)
{
	const struct in *in = call_in(x->call, struct in);
	struct unpack *u = &x->unpack;
	int status;

	*u = (struct unpack){ .call = x->call,
		.job = &x->job,
		.fd = x->archive_fd,
		.format = in->format,
		.strip = in->strip,
		.max_files = call_limit(x->call, "max_files"),
		.max_bytes = call_limit(x->call, "max_bytes"),
		.uid = own_uid(x->call) };
	plant_init(&u->plant, x->folder_fd, destination(x)->path, x->call->caller, in->overwrite);
	status = unpack_run(u, err);
	plant_done(&u->plant);
	return status == 0 && !x->merged ? appear(x, err) : status;
}

/* What a merge has done until it failed. */
static void tell_merged(struct extract *x, struct err *err)
{
	if (x->merged)
		err->details = arena_printf(&x->call->arena, "{\"entries\": %lld, \"bytes\": %lld}",
			(long long)x->unpack.entries, (long long)x->unpack.bytes);
}

/* In a worker. */
static void work_extract(struct job *job)
{
	struct extract *x = OWNER(job, struct extract, job);
	struct err unused;

	x->folder_fd = -1;
	x->failed = open_archive(x, &x->err) < 0 || open_stage(x, &x->err) < 0 || open_folder(x, &x->err) < 0 ||
		    fill(x, &x->err) < 0;
	close_fd(x->folder_fd);
	if (x->failed && x->temp[0])
		(void)!tree_remove(NULL, stage_fd(x), x->temp, x->temp, &unused);
	if (x->failed)
		tell_merged(x, &x->err);
}

static void finish(struct extract *x)
{
	struct call *call = x->call;
	const struct unpack *u = &x->unpack;
	struct out out = { .destination = str_of(destination(x)->path),
		.entries = u->entries,
		.bytes = u->bytes,
		.merged = x->merged,
		.owners_dropped = u->owners_dropped,
		.skipped_total = u->skipped_total,
		.skipped = { u->skipped, u->skipped_count } };
	bool failed = x->failed;

	out.destination_b64 = files_exact(out.destination);
	if (failed && !call->err.code)
		call->err = x->err;
	call->state = NULL;
	extract_free(x);
	if (failed)
		call_fail(call);
	else
		call_reply(call, &out);
}

static void done(struct job *job)
{
	finish(OWNER(job, struct extract, job));
}

static void give_up(struct extract *x)
{
	x->failed = true;
	finish(x);
}

static void start_job(struct extract *x, enum lane lane, job_fn *work, job_fn *then)
{
	if (call_job(x->call, &x->job, lane, work, then) < 0)
		give_up(x);
	else
		x->busy = true;
}

static int open_spool(struct extract *x, struct err *err)
{
	const struct place *to = destination(x);
	char name[FILES_TEMP_SIZE];

	if (open_stage(x, err) < 0)
		return -1;
	x->archive_fd = openat(stage_fd(x), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (x->archive_fd >= 0)
		return 0;
	files_temp_name(name);
	x->archive_fd = openat(stage_fd(x), name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (x->archive_fd < 0)
		return err_system(err, errno, "cannot keep the archive beside '%s'", to->given);
	unlinkat(stage_fd(x), name, 0);
	return 0;
}

/* In a worker. */
static void work_spool(struct job *job)
{
	struct extract *x = OWNER(job, struct extract, job);
	const char *bytes = x->buffer;
	size_t len = x->filled;

	if (x->archive_fd < 0 && open_spool(x, &x->err) < 0)
		x->failed = true;
	while (!x->failed && len > 0) {
		ssize_t put = write(x->archive_fd, bytes, len);

		if (put < 0 && errno != EINTR) {
			err_system(&x->err, errno, "cannot keep the archive beside '%s'", destination(x)->given);
			x->failed = true;
		} else if (put > 0) {
			bytes += put;
			len -= (size_t)put;
		}
	}
	if (!x->failed && x->ended && lseek(x->archive_fd, 0, SEEK_SET) < 0)
		x->failed = err_system(&x->err, errno, "cannot read the archive") < 0;
}

static void spooled(struct job *job);

static void on_body(struct call *call, size_t got, bool end)
{
	struct extract *x = call->state;

	x->filled = got;
	x->ended = end;
	x->total += (int64_t)got;
	if (x->total > x->unpack.max_bytes) {
		call_over_limit(call, "max_bytes", &call->err, "the archive is over %lld bytes",
			(long long)x->unpack.max_bytes);
		give_up(x);
		return;
	}
	start_job(x, LANE_SHORT, work_spool, spooled);
}

static void spooled(struct job *job)
{
	struct extract *x = OWNER(job, struct extract, job);

	x->busy = false;
	if (x->failed || x->gone)
		give_up(x);
	else if (x->ended)
		start_job(x, LANE_LONG, work_extract, done);
	else
		call_body(x->call, x->buffer, BUFFER_SIZE, on_body);
}

static void on_gone(struct call *call)
{
	struct extract *x = call->state;

	x->gone = true;
	if (!call->err.code)
		err_set(&call->err, ERR_HTTP_BAD_REQUEST, "the caller left before the end");
	if (x->busy)
		job_cancel(&x->job);
	else
		give_up(x);
}

static int check_start(struct extract *x)
{
	struct call *call = x->call;
	bool has_path = call_in(call, struct in)->path.place != NULL;

	if (call->http.raw_request == has_path)
		return err_set(&call->err, has_path ? ERR_ARGS_UNKNOWN : ERR_ARGS_MISSING,
			has_path ? "parameter 'path' does not go with a raw body" : "parameter 'path' is missing");
	if (!call->http.raw_request)
		return 0;
	if (budget_take(BUFFER_SIZE)) {
		x->buffer = malloc(BUFFER_SIZE);
		if (x->buffer)
			return 0;
		budget_give(BUFFER_SIZE);
	}
	return err_set(&call->err, ERR_BUSY, "memory is used up: try again");
}

static void start(struct call *call)
{
	struct extract *x = mem_new(struct extract);

	x->call = call;
	x->archive_fd = x->nearest_fd = -1;
	x->unpack.max_bytes = call_limit(call, "max_bytes");
	call->state = x;
	call->on_gone = on_gone;
	if (check_start(x) < 0)
		give_up(x);
	else if (call->http.raw_request)
		call_body(call, x->buffer, BUFFER_SIZE, on_body);
	else
		start_job(x, LANE_LONG, work_extract, done);
}

static const enum err_code errors[] = {
	ERR_POLICY_PATH,
	ERR_POLICY_READONLY,
	ERR_FILES_NOT_FOUND,
	ERR_FILES_NOT_DIR,
	ERR_FILES_IS_DIR,
	ERR_FILES_NOT_REGULAR,
	ERR_FILES_PERMISSION,
	ERR_FILES_NO_SPACE,
	ERR_LIMIT_FILE,
	ERR_NONE,
};

static const struct limit limits[] = {
	{ "max_files", MAX_FILES_DEFAULT, MAX_FILES_CAP, ERR_LIMIT_FILE, "Most entries of an archive." },
	{ "max_bytes", INT64_C(1) << 30, INT64_C(1) << 50, ERR_LIMIT_FILE,
		"Most bytes of an archive that is sent, and of all that is in it; holes do not count." },
	{ .name = NULL },
};

static const struct raw raw = { .request = true };

const struct op op_files_extract = {
	.id = "files.extract",
	.group = "file_ops",
	.scope = "files:write",
	.kind = OP_RAW,
	.method = "POST",
	.path = "/files/extract",
	.since = "0.1.0",
	.summary = "Fill a folder from an archive.",
	.description =
		"tar (plain, gz, zst, xz, bz2) and zip, from a file or as the body. A destination that is new appears whole or not at "
		"all; one that is there gets the entries one by one, and an error then says how many. Names that are absolute or climb, "
		"links that lead out, devices, FIFOs and sockets are left out and listed; owners are not taken over, nor setuid bits.",
	.example = { .args = JSON_TEXT({ "destination" : "demo/unpacked", "parents" : true }), .file = "hello.tar" },
	.effects = OP_WRITES,
	.params = params,
	.params_size = sizeof(struct in),
	.result = result,
	.result_size = sizeof(struct out),
	.raw = &raw,
	.errors = errors,
	.limits = limits,
	.lane = OP_LANE_LONG,
	.start = start,
};
