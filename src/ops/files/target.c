/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/target.h"

#include "wire/range.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { ATTEMPTS = 16 /* at a free temporary name */, CHUNK = 256 * 1024 };

/* From a condition to what is done under it. */
static pthread_mutex_t condition_lock = PTHREAD_MUTEX_INITIALIZER;

static atomic_bool uses_unnamed = true;

void target_use_unnamed(bool use)
{
	atomic_store(&uses_unnamed, use);
}

static int fail(const struct target *t, int number, struct err *err)
{
	return err_system(err, number, "cannot write '%s'", t->place->given);
}

/* Where the file is before it appears. */
static int temp_dir(const struct target *t)
{
	return t->nearest_fd >= 0 ? t->nearest_fd : t->place->parent_fd;
}

static int check_old(struct target *t, struct err *err)
{
	const struct place *place = t->place;

	if (S_ISDIR(t->old.st_mode))
		return fail(t, EISDIR, err);
	if (!S_ISREG(t->old.st_mode))
		return err_set(err, ERR_FILES_NOT_REGULAR, "'%s' is not a regular file", place->given);
	if (t->how.create_only)
		return fail(t, EEXIST, err);
	/* A rename would not ask, but who may not write the file may not replace it either. */
	if (faccessat(place->parent_fd, place->name, W_OK, AT_EACCESS) < 0)
		return fail(t, errno, err);
	return 0;
}

static int check_match(const struct target *t, bool exists, const struct stat *st, struct err *err)
{
	char tag[FILES_ETAG_SIZE];

	if (!t->how.if_match.p)
		return 0;
	if (exists) {
		files_etag(st, tag);
		if (etag_list_has(t->how.if_match, str_of(tag), false))
			return 0;
	}
	return err_set(err, ERR_FILES_CHANGED, "'%s' is not what If-Match says", t->place->given);
}

static int look(struct target *t, struct err *err)
{
	const struct place *place = t->place;

	if (place->wants_folder || place->is_root)
		return fail(t, EISDIR, err);
	if (place->missing) {
		t->nearest_fd = place_open_nearest(place);
		if (t->nearest_fd < 0)
			return fail(t, -t->nearest_fd, err);
	} else if (fstatat(place->parent_fd, place->name, &t->old, AT_SYMLINK_NOFOLLOW) == 0) {
		t->replaces = true;
		if (check_old(t, err) < 0)
			return -1;
	} else if (errno != ENOENT) {
		return fail(t, errno, err);
	}
	return check_match(t, t->replaces, &t->old, err);
}

/* The umask applies to a new file; what has a mode already gets it exactly, at the end. */
static mode_t first_mode(const struct target *t)
{
	return t->how.has_mode ? t->how.mode & 0600 : t->replaces ? 0600 : 0666;
}

static int open_named(struct target *t)
{
	int number = EEXIST;

	for (int i = 0; i < ATTEMPTS; i++) {
		files_temp_name(t->temp);
		t->left = leftover_note(temp_dir(t), t->temp);
		t->fd = openat(temp_dir(t), t->temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, first_mode(t));
		if (t->fd >= 0)
			return 0;
		number = errno;
		leftover_forget(&t->left);
		if (number != EEXIST)
			break;
	}
	t->temp[0] = '\0';
	return -number;
}

int target_open(struct target *t, struct place *place, const struct target_how *how, struct err *err)
{
	int status;

	*t = (struct target){ .place = place, .how = *how, .fd = -1, .nearest_fd = -1 };
	if (look(t, err) < 0)
		return -1;
	/* An unnamed file gets its name through /proc: without it, not even tried. */
	if (atomic_load(&uses_unnamed) && access("/proc/self/fd", X_OK) == 0)
		t->fd = openat(temp_dir(t), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, first_mode(t));
	if (t->fd >= 0)
		return 0;
	status = open_named(t);
	return status < 0 ? fail(t, -status, err) : 0;
}

int target_write(struct target *t, const char *bytes, size_t len, struct err *err)
{
	while (len > 0) {
		ssize_t put = write(t->fd, bytes, len);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return fail(t, errno, err);
		bytes += put;
		len -= (size_t)put;
	}
	return 0;
}

/* Owner before mode, because a change of the owner takes setuid away. */
static int set_facts(const struct target *t)
{
	if (t->replaces && fchown(t->fd, t->old.st_uid, t->old.st_gid) < 0 && errno != EPERM)
		return -errno;
	if (t->how.has_mode)
		return fchmod(t->fd, t->how.mode) < 0 ? -errno : 0;
	if (t->replaces)
		return fchmod(t->fd, t->old.st_mode & 07777) < 0 ? -errno : 0;
	return 0;
}

static int link_unnamed(const struct target *t, int dir_fd, const char *name)
{
	char self[32];

	snprintf(self, sizeof self, "/proc/self/fd/%d", t->fd);
	return linkat(AT_FDCWD, self, dir_fd, name, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
}

static int name_unnamed(struct target *t)
{
	int status = -EEXIST;

	for (int i = 0; i < ATTEMPTS && status == -EEXIST; i++) {
		files_temp_name(t->temp);
		status = link_unnamed(t, temp_dir(t), t->temp);
	}
	if (status < 0)
		t->temp[0] = '\0';
	return status;
}

static int rename_over(struct target *t)
{
	if (renameat(temp_dir(t), t->temp, t->place->parent_fd, t->place->name) < 0)
		return -errno;
	t->temp[0] = '\0';
	return 0;
}

static int appear_new(struct target *t)
{
	int dir_fd = t->place->parent_fd;

	if (!t->temp[0])
		return link_unnamed(t, dir_fd, t->place->name);
	if (linkat(temp_dir(t), t->temp, dir_fd, t->place->name, 0) == 0)
		return 0; /* the temporary name goes with target_done() */
	if (errno != EPERM && errno != EOPNOTSUPP)
		return -errno;
	/* No hard links here. */
	if (renameat2(temp_dir(t), t->temp, dir_fd, t->place->name, RENAME_NOREPLACE) < 0)
		return -errno;
	t->temp[0] = '\0';
	return 0;
}

static int appear(struct target *t)
{
	int status;

	if (t->how.create_only || t->how.append)
		return appear_new(t);
	if (!t->temp[0] && !t->replaces) {
		status = link_unnamed(t, t->place->parent_fd, t->place->name);
		if (status != -EEXIST)
			return status;
	}
	status = t->temp[0] ? 0 : name_unnamed(t);
	return status < 0 ? status : rename_over(t);
}

static int check_again(const struct target *t, struct err *err)
{
	struct stat now;
	bool exists = fstatat(t->place->parent_fd, t->place->name, &now, AT_SYMLINK_NOFOLLOW) == 0;

	return check_match(t, exists, &now, err);
}

static int sync_folder(const struct target *t)
{
	AUTOCLOSE int fd = openat(t->place->parent_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	/* Folders that may be written and not read are rare, and cannot be told to the disk. */
	return fd < 0 || fsync(fd) == 0 || errno == EINVAL ? 0 : -errno;
}

static int append_bytes(const struct target *t, int fd, off_t *written)
{
	AUTOFREE char *chunk = mem_alloc(CHUNK);

	for (;;) {
		ssize_t len = pread(t->fd, chunk, CHUNK, *written);

		if (len <= 0)
			return len == 0 ? 0 : -errno;
		for (ssize_t done = 0; done < len;) {
			ssize_t put = write(fd, chunk + done, (size_t)(len - done));

			if (put < 0)
				return -errno;
			done += put;
			*written += put;
		}
	}
}

/* Behind what is there; what cannot be written whole is taken away again, unless others wrote behind it. */
static int append(struct target *t)
{
	AUTOCLOSE int fd = openat(
		t->place->parent_fd, t->place->name, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	off_t written = 0;
	struct stat st, now;
	int status;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	status = append_bytes(t, fd, &written);
	if (status == 0 && t->how.has_mode && fchmod(fd, t->how.mode) < 0)
		status = -errno;
	if (status == 0 && t->how.durable && fsync(fd) < 0)
		status = -errno;
	if (fstat(fd, &now) < 0)
		return status < 0 ? status : -errno;
	if (status < 0 && now.st_size == st.st_size + written && ftruncate(fd, st.st_size) < 0)
		return status;
	files_etag(&now, t->etag);
	return status;
}

static int come_in(struct target *t)
{
	struct stat st;
	int status = t->how.append && t->replaces ? -EEXIST : appear(t);

	if (status == -EEXIST && t->how.append && !t->how.create_only) {
		status = append(t);
	} else if (status == 0) {
		status = t->how.durable ? sync_folder(t) : 0;
		if (fstat(t->fd, &st) == 0)
			files_etag(&st, t->etag);
		t->committed = true;
	}
	return status;
}

int target_commit(struct target *t, struct err *err)
{
	bool locks = t->how.if_match.p || t->how.append;
	int status = set_facts(t);

	if (status == 0 && t->how.durable && fsync(t->fd) < 0)
		status = -errno;
	if (status < 0)
		return fail(t, -status, err);
	if (place_make_parents(t->place, 0777, err) < 0)
		return -1;
	if (locks)
		pthread_mutex_lock(&condition_lock);
	if (t->how.if_match.p && check_again(t, err) < 0)
		status = 1; /* err is filled in */
	else
		status = come_in(t);
	if (locks)
		pthread_mutex_unlock(&condition_lock);
	if (status > 0)
		return -1;
	return status < 0 ? fail(t, -status, err) : 0;
}

void target_done(struct target *t)
{
	if (t->temp[0])
		unlinkat(temp_dir(t), t->temp, 0);
	t->temp[0] = '\0';
	leftover_forget(&t->left);
	close_fd(take_fd(&t->fd));
	close_fd(take_fd(&t->nearest_fd));
}
