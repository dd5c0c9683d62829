/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/plant.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { FOLDERS_MAX = 256 << 20, OPEN_FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

static const char IN_THE_WAY[] = "a link or a file stands where a folder is needed";
static const char EXISTS[] = "something is there already";
static const char REFUSED[] = "the policy does not allow the path";

struct folder_facts {
	struct plant_facts facts;
	unsigned size; /* of the path behind it, with its NUL */
};

void plant_init(struct plant *p, int root_fd, const char *path, const struct principal *who, bool overwrite)
{
	*p = (struct plant){ .root_fd = root_fd, .path = path, .who = who, .overwrite = overwrite, .dir_fd = -1 };
	buf_init_budgeted(&p->folders, FOLDERS_MAX);
}

void plant_done(struct plant *p)
{
	close_fd(p->dir_fd);
	p->dir_fd = -1;
	buf_free(&p->folders);
}

static const char *fail(struct plant *p, int number, const char *path)
{
	p->failed = true;
	err_system(&p->err, number, "cannot write '%s/%s'", p->path, path);
	return "failed";
}

/* What stands in the way is told; that the disk is full, or a folder not to be written, is an error. */
static const char *judge(struct plant *p, int number, const char *path)
{
	if (number == ELOOP || number == ENOTDIR)
		return IN_THE_WAY;
	if (number == EEXIST || number == EISDIR || number == ENOTEMPTY)
		return EXISTS;
	if (number == ENAMETOOLONG || number == EINVAL || number == EILSEQ)
		return "the file system does not take the name";
	return fail(p, number, path);
}

static bool is_allowed(struct plant *p, const char *path)
{
	char full[2 * 4096];
	struct err unused;

	if ((size_t)snprintf(full, sizeof full, "%s/%s", p->path[1] ? p->path : "", path) >= sizeof full)
		return false;
	return place_visible(p->who, full) && place_check_write(p->who, full, &unused) == 0;
}

static int enter(int at, const char *name)
{
	int fd = openat(at, name, OPEN_FOLDER);

	if (fd >= 0 || errno != ENOENT)
		return fd < 0 ? -errno : fd;
	if (mkdirat(at, name, 0777) < 0 && errno != EEXIST)
		return -errno;
	fd = openat(at, name, OPEN_FOLDER);
	return fd < 0 ? -errno : fd;
}

/* The folder that holds the path's last part, made where it is missing: a descriptor that stays the plant's, or negative. */
static int enter_parent(struct plant *p, const char *path, const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	size_t len = slash ? (size_t)(slash - path) : 0;
	AUTOCLOSE int fd = -1;
	struct str rest = { path, len };

	*ret_name = slash ? slash + 1 : path;
	if (p->dir_fd >= 0 && strlen(p->dir) == len && strncmp(p->dir, path, len) == 0)
		return p->dir_fd;
	fd = fcntl(p->root_fd, F_DUPFD_CLOEXEC, 0);
	while (fd >= 0 && rest.len) {
		struct str part = str_cut(&rest, '/');
		char name[256];
		int next;

		snprintf(name, sizeof name, "%.*s", (int)part.len, part.p);
		next = enter(fd, name);
		close_fd(fd);
		fd = next;
	}
	if (fd < 0)
		return fd;
	close_fd(p->dir_fd);
	p->dir_fd = take_fd(&fd);
	snprintf(p->dir, sizeof p->dir, "%.*s", (int)len, path);
	return p->dir_fd;
}

static void note_folder(struct plant *p, const char *path, const struct plant_facts *facts)
{
	struct folder_facts f = { *facts, (unsigned)strlen(path) + 1 };

	buf_add(&p->folders, path, f.size);
	buf_add(&p->folders, &f, sizeof f); /* behind it: read from the end */
	if (buf_failed(&p->folders)) {
		p->failed = true;
		err_set(&p->err, ERR_BUSY, "memory is used up");
	}
}

const char *plant_folder(struct plant *p, const char *path, const struct plant_facts *facts)
{
	AUTOCLOSE int fd = -1;
	const char *name;
	int at;

	if (!is_allowed(p, path))
		return REFUSED;
	at = enter_parent(p, path, &name);
	if (at < 0)
		return judge(p, -at, path);
	fd = enter(at, name);
	if (fd < 0)
		return judge(p, -fd, path);
	note_folder(p, path, facts);
	return NULL;
}

/* Whether a new entry may take the name: NULL, with *ret_there when something is to be replaced. */
static const char *check_free(struct plant *p, int at, const char *name, bool *ret_there)
{
	struct stat st;

	*ret_there = fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
	if (!*ret_there)
		return NULL;
	if (S_ISDIR(st.st_mode))
		return "a folder is there";
	return p->overwrite ? NULL : EXISTS;
}

/* The new entry is made under a temporary name where it replaces something. */
static const char *prepare(struct plant *p, const char *path, int *ret_at, const char **ret_name, bool *ret_there)
{
	if (!is_allowed(p, path))
		return REFUSED;
	*ret_at = enter_parent(p, path, ret_name);
	if (*ret_at < 0)
		return judge(p, -*ret_at, path);
	return check_free(p, *ret_at, *ret_name, ret_there);
}

static const char *settle(struct plant *p, const char *path, int at, const char *temp, const char *name)
{
	int status = temp == name || renameat(at, temp, at, name) == 0 ? 0 : -errno;

	if (status == 0)
		return NULL;
	unlinkat(at, temp, 0);
	return judge(p, -status, path);
}

const char *plant_symlink(struct plant *p, const char *path, const char *target)
{
	char temp[FILES_TEMP_SIZE];
	const char *name, *as, *reason;
	bool there;
	int at;

	reason = prepare(p, path, &at, &name, &there);
	if (reason)
		return reason;
	files_temp_name(temp);
	as = there ? temp : name;
	if (symlinkat(target, at, as) < 0)
		return judge(p, errno, path);
	return settle(p, path, at, as, name);
}

/* The target is a file beneath the same folder, reached as carefully. */
static int open_target(struct plant *p, const char *target, struct stat *ret_st)
{
	const char *name;
	int at = enter_parent(p, target, &name), fd;

	if (at < 0)
		return at;
	fd = openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, ret_st) == 0 && S_ISREG(ret_st->st_mode))
		return fd;
	close_fd(fd);
	return -ENOENT;
}

/* By name, and then looked at: a descriptor can be linked only by root or through /proc. */
static int link_same(int from, const char *from_name, int at, const char *as, const struct stat *wanted)
{
	struct stat st;

	if (linkat(from, from_name, at, as, 0) < 0)
		return -errno;
	if (fstatat(at, as, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_ino == wanted->st_ino &&
		st.st_dev == wanted->st_dev)
		return 0;
	unlinkat(at, as, 0);
	return -EEXIST;
}

const char *plant_link(struct plant *p, const char *path, const char *target)
{
	AUTOCLOSE int file = -1;
	AUTOCLOSE int from = -1;
	char temp[FILES_TEMP_SIZE];
	const char *name, *from_name, *as, *reason;
	struct stat st;
	bool there;
	int at, status;

	if (!is_allowed(p, target))
		return REFUSED;
	file = open_target(p, target, &st);
	if (file < 0)
		return "the file that it links to is not there";
	at = enter_parent(p, target, &from_name);
	from = at < 0 ? -1 : fcntl(at, F_DUPFD_CLOEXEC, 0);
	reason = prepare(p, path, &at, &name, &there);
	if (reason)
		return reason;
	files_temp_name(temp);
	as = there ? temp : name;
	status = link_same(from, from_name, at, as, &st);
	if (status < 0)
		return judge(p, -status, path);
	reason = settle(p, path, at, as, name);
	if (there)
		unlinkat(at, temp, 0); /* a rename onto another name of the same file does nothing */
	return reason;
}

const char *plant_begin(struct plant *p, const char *path, struct plant_file *f)
{
	const char *name, *reason;
	bool there;

	*f = (struct plant_file){ .fd = -1, .dir_fd = -1 };
	reason = prepare(p, path, &f->dir_fd, &name, &there);
	if (reason)
		return reason;
	snprintf(f->name, sizeof f->name, "%s", name);
	files_temp_name(f->temp);
	f->fd = openat(f->dir_fd, f->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return f->fd < 0 ? judge(p, errno, path) : NULL;
}

static void set_facts(int fd, const struct plant_facts *facts)
{
	struct timespec times[] = { { .tv_nsec = UTIME_OMIT }, facts->modified };

	(void)!fchmod(fd, facts->mode & 0777);
	if (facts->has_time)
		(void)!futimens(fd, times);
}

void plant_keep(struct plant *p, struct plant_file *f, const struct plant_facts *facts)
{
	set_facts(f->fd, facts);
	if (renameat(f->dir_fd, f->temp, f->dir_fd, f->name) < 0) {
		fail(p, errno, f->name);
		unlinkat(f->dir_fd, f->temp, 0);
	}
	close_fd(f->fd);
	f->fd = -1;
}

void plant_drop(struct plant_file *f)
{
	if (f->fd >= 0)
		unlinkat(f->dir_fd, f->temp, 0);
	close_fd(f->fd);
	f->fd = -1;
}

void plant_finish(struct plant *p)
{
	size_t end = p->folders.len;

	while (end > 0) {
		struct folder_facts f;
		const char *path, *name;
		int at;

		memcpy(&f, p->folders.data + end - sizeof f, sizeof f);
		path = p->folders.data + end - sizeof f - f.size;
		at = enter_parent(p, path, &name);
		if (at >= 0) {
			AUTOCLOSE int fd = openat(at, name, OPEN_FOLDER);

			if (fd >= 0)
				set_facts(fd, &f.facts);
		}
		end -= sizeof f + f.size;
	}
}
