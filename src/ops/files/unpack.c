/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/unpack.h"

#include "ops/files/charset.h"
#include "ops/files/entry_path.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <unistd.h>

enum { READ_BLOCK = 64 * 1024, SKIPPED_MAX = 1000 };

const char *const unpack_formats[] = { "auto", "tar", "tar.gz", "tar.zst", "tar.xz", "tar.bz2", "zip", NULL };

/* Readers are named one by one: each that is not is code that is not in the program. */
static int set_readers(struct archive *a, enum unpack_format format)
{
	bool any = format == UNPACK_AUTO;
	int status = ARCHIVE_OK;

	if (any || format != UNPACK_ZIP)
		status |= archive_read_support_format_tar(a);
	if (any || format == UNPACK_ZIP)
		status |= archive_read_support_format_zip_seekable(a);
	if (any || format == UNPACK_TAR_GZ)
		status |= archive_read_support_filter_gzip(a);
	if (any || format == UNPACK_TAR_ZST)
		status |= archive_read_support_filter_zstd(a);
	if (any || format == UNPACK_TAR_XZ)
		status |= archive_read_support_filter_xz(a);
	if (any || format == UNPACK_TAR_BZ2)
		status |= archive_read_support_filter_bzip2(a);
	return status == ARCHIVE_OK ? 0 : -1;
}

static int damaged(struct archive *a, struct err *err)
{
	const char *why = archive_error_string(a);

	if (archive_errno(a) == ENOMEM)
		return err_set(err, ERR_BUSY, "the archive needs more memory than is left");
	return err_set(err, ERR_ARGS_INVALID, "the archive is damaged or not of a known format: %s",
		why ? why : "it ends too early");
}

static void skip(struct unpack *u, struct str name, const char *reason)
{
	struct unpack_skipped *s;
	char *copy;

	u->skipped_total++;
	if (!u->skipped)
		u->skipped = call_alloc(u->call, SKIPPED_MAX * sizeof *u->skipped);
	if (!u->skipped || u->skipped_count == SKIPPED_MAX)
		return;
	copy = arena_strndup(&u->call->arena, name.p ? name.p : "", name.len);
	if (!copy)
		return;
	s = &u->skipped[u->skipped_count++];
	*s = (struct unpack_skipped){ .name = { copy, name.len }, .reason = reason };
	s->name_b64 = files_exact(s->name);
}

static int write_all(int fd, const char *bytes, size_t len, int64_t at)
{
	while (len > 0) {
		ssize_t put = pwrite(fd, bytes, len, at);

		if (put < 0 && errno != EINTR)
			return -errno;
		if (put > 0) {
			bytes += put;
			at += put;
			len -= (size_t)put;
		}
	}
	return 0;
}

/* Holes stay holes: only what the archive holds is written, and counted. */
static int copy_data(struct unpack *u, struct archive *a, int fd, struct err *err)
{
	int64_t end = 0;

	for (;;) {
		const void *bytes;
		size_t len;
		la_int64_t at;
		int status = archive_read_data_block(a, &bytes, &len, &at);

		if (status == ARCHIVE_EOF)
			return ftruncate(fd, MAX(end, at)) < 0 ? err_system(err, errno, "cannot write a file") : 0;
		if (status < ARCHIVE_WARN)
			return damaged(a, err);
		if (job_stopped(u->job))
			return err_set(err, ERR_FILES_BUSY, "stopped before the end");
		u->bytes += (int64_t)len;
		if (u->bytes > u->max_bytes)
			return call_over_limit(u->call, "max_bytes", err, "what is in the archive is over %lld bytes",
				(long long)u->max_bytes);
		status = write_all(fd, bytes, len, at);
		if (status < 0)
			return err_system(err, -status, "cannot write a file");
		end = MAX(end, at + (int64_t)len);
	}
}

static struct plant_facts facts_of(struct archive_entry *e)
{
	struct plant_facts facts = { .mode = archive_entry_perm(e) & 0777 };

	facts.has_time = archive_entry_mtime_is_set(e);
	facts.modified = (struct timespec){ archive_entry_mtime(e), archive_entry_mtime_nsec(e) };
	return facts;
}

static const char *put_file(struct unpack *u, struct archive *a, struct archive_entry *e, const char *path)
{
	struct plant_facts facts = facts_of(e);
	struct plant_file file;
	const char *reason = plant_begin(&u->plant, path, &file);

	if (reason)
		return reason;
	if (copy_data(u, a, file.fd, &u->plant.err) < 0) {
		u->plant.failed = true;
		plant_drop(&file);
		return "failed";
	}
	plant_keep(&u->plant, &file, &facts);
	return NULL;
}

/* A name may be there in one form alone. */
static const char *either(const char *bytes, const char *utf8)
{
	return bytes ? bytes : utf8;
}

static const char *put_link(struct unpack *u, const char *target, const char *path)
{
	char real[ENTRY_PATH_MAX];
	const char *reason = entry_path(str_of(target), u->strip, real);

	if (reason || !real[0])
		return "it links to a name outside of the destination";
	return plant_link(&u->plant, path, real);
}

static const char *put_symlink(struct unpack *u, const char *target, const char *path)
{
	if (!target || !entry_link_stays(target, entry_depth(path)))
		return "the link leads out of the destination";
	return plant_symlink(&u->plant, path, target);
}

static const char *put(struct unpack *u, struct archive *a, struct archive_entry *e, const char *path)
{
	const char *link = either(archive_entry_hardlink(e), archive_entry_hardlink_utf8(e));
	struct plant_facts facts = facts_of(e);

	if (link)
		return put_link(u, link, path);
	switch (archive_entry_filetype(e)) {
	case AE_IFREG:
		return put_file(u, a, e, path);
	case AE_IFDIR:
		return plant_folder(&u->plant, path, &facts);
	case AE_IFLNK:
		return put_symlink(u, either(archive_entry_symlink(e), archive_entry_symlink_utf8(e)), path);
	default:
		return "it is a device, a FIFO or a socket";
	}
}

static void tell_dropped(struct unpack *u, struct archive *a, struct archive_entry *e, struct str name)
{
	if (archive_entry_perm(e) & 07000 && archive_entry_filetype(e) == AE_IFREG)
		skip(u, name, "written without its setuid, setgid or sticky bit");
	if ((archive_format(a) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_TAR && archive_entry_uid(e) != u->uid)
		u->owners_dropped++;
}

static int take_entry(struct unpack *u, struct archive *a, struct archive_entry *e, struct err *err)
{
	struct str name = str_of(either(archive_entry_pathname(e), archive_entry_pathname_utf8(e)));
	char path[ENTRY_PATH_MAX];
	const char *reason;

	if (u->entries + u->skipped_total >= u->max_files)
		return call_over_limit(
			u->call, "max_files", err, "the archive holds more than %lld entries", (long long)u->max_files);
	reason = entry_path(name, u->strip, path);
	if (!reason && !path[0])
		return 0;
	if (!reason)
		reason = put(u, a, e, path);
	if (u->plant.failed) {
		*err = u->plant.err;
		return -1;
	}
	if (reason) {
		skip(u, name, reason);
		return 0;
	}
	u->entries++;
	tell_dropped(u, a, e, name);
	return 0;
}

static int read_all(struct unpack *u, struct archive *a, struct err *err)
{
	struct archive_entry *e;
	int status;

	while ((status = archive_read_next_header(a, &e)) != ARCHIVE_EOF) {
		if (status < ARCHIVE_WARN)
			return damaged(a, err);
		if (job_stopped(u->job))
			return err_set(err, ERR_FILES_BUSY, "stopped before the end");
		if (take_entry(u, a, e, err) < 0)
			return -1;
	}
	plant_finish(&u->plant);
	return 0;
}

int unpack_run(struct unpack *u, struct err *err)
{
	struct archive *a = archive_read_new();
	locale_t before;
	int status;

	if (!a)
		return err_set(err, ERR_BUSY, "memory is used up");
	before = charset_enter();
	status = set_readers(a, u->format);
	if (status == 0 && archive_read_open_fd(a, u->fd, READ_BLOCK) < ARCHIVE_WARN)
		status = -1;
	status = status < 0 ? damaged(a, err) : read_all(u, a, err);
	archive_read_free(a);
	charset_leave(before);
	return status;
}
