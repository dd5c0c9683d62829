/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/copy.h"

#include "ops/files/tree.h"
#include "ops/files/walk.h"
#include "ops/files/xattrs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { CHUNK = 1 << 20, KERNEL_CHUNK = 16 << 20, BUCKETS = 1024, OPEN_MAX_DEPTH = 24, TO_PATH_MAX = 1 << 21 };

/* A file with several names that was copied: the next one is linked to it. */
struct seen {
	struct seen *next;
	dev_t dev;
	ino_t ino;
	char path[]; /* relative to the top of the copy, "" is the top itself */
};

/* A folder of the copy that is being filled, as in walk.c. */
struct level {
	int fd;
	dev_t dev;
	ino_t ino;
	struct stat from; /* what it gets at the end */
};

struct copy {
	struct call *call;
	struct err *err;
	struct copy_rules *rules; /* or NULL */
	bool has_rules;           /* the policy has patterns that reach here */
	struct walk walk;
	int top_fd; /* the folder in which the copy is made */
	const char *top_name;
	size_t path_skip; /* of walk.path: what stands before the part relative to the top */
	struct level *levels;
	size_t depth, cap;
	char *buffer;
	struct seen *seen[BUCKETS];
};

/* As many bytes as there are; 0 or a negative errno. */
static int copy_by_hand(struct copy *c, int from, int to)
{
	for (;;) {
		ssize_t len = read(from, c->buffer, CHUNK);

		if (len <= 0)
			return len == 0 ? 0 : -errno;
		for (ssize_t done = 0; done < len;) {
			ssize_t put = write(to, c->buffer + done, (size_t)(len - done));

			if (put < 0)
				return -errno;
			done += put;
		}
		if (call_stopped(c->call))
			return -ECANCELED;
	}
}

/* By the kernel, which may share the blocks; how far it came, or a negative errno. */
static off_t copy_in_kernel(struct copy *c, int from, int to, off_t at, off_t end)
{
	while (at < end) {
		loff_t from_at = at, to_at = at;
		ssize_t len = copy_file_range(
			from, &from_at, to, &to_at, (size_t)MIN(end - at, (off_t)KERNEL_CHUNK), 0);

		if (len <= 0)
			return len < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EIO) ? -errno : at;
		at += len;
		if (call_stopped(c->call))
			return -ECANCELED;
	}
	return at;
}

/* One stretch of data between holes. */
static int copy_stretch(struct copy *c, int from, int to, off_t at, off_t end)
{
	at = copy_in_kernel(c, from, to, at, end);
	if (at < 0)
		return (int)at;
	while (at < end) {
		ssize_t len = pread(from, c->buffer, (size_t)MIN(end - at, (off_t)CHUNK), at);

		if (len <= 0)
			return len == 0 ? 0 : -errno;
		for (ssize_t done = 0; done < len;) {
			ssize_t put = pwrite(to, c->buffer + done, (size_t)(len - done), at + done);

			if (put < 0)
				return -errno;
			done += put;
		}
		at += len;
		if (call_stopped(c->call))
			return -ECANCELED;
	}
	return 0;
}

static int copy_data(struct copy *c, int from, int to, off_t size)
{
	off_t at, end;

	if (size > 0 && ioctl(to, FICLONE, from) == 0)
		return 0;
	at = lseek(from, 0, SEEK_DATA);
	if (at < 0 && errno != ENXIO)
		return lseek(from, 0, SEEK_SET) < 0 ? -errno : copy_by_hand(c, from, to);
	while (at >= 0 && at < size) {
		int status;

		end = lseek(from, at, SEEK_HOLE);
		if (end < 0)
			return -errno;
		status = copy_stretch(c, from, to, at, end);
		if (status < 0)
			return status;
		at = lseek(from, end, SEEK_DATA);
	}
	return ftruncate(to, size) < 0 ? -errno : 0;
}

/* Owner before mode, because a change of the owner takes setuid away; attributes while it may be written; times last. */
static int keep_facts(const struct copy *c, int from_fd, int fd, const struct stat *st)
{
	const struct timespec times[] = { st->st_atim, st->st_mtim };
	/* A copy that a caller asks for is not one more program with another's rights. */
	mode_t kept = c->rules ? S_ISVTX | 0777 : 07777;

	if (fchown(fd, st->st_uid, st->st_gid) < 0 && errno != EPERM)
		return -errno;
	xattrs_copy(from_fd, fd);
	if (fchmod(fd, st->st_mode & kept) < 0 || futimens(fd, times) < 0)
		return -errno;
	return 0;
}

static int copy_file(struct copy *c, int from_fd, const char *from, int to_fd, const char *to, const struct stat *st)
{
	AUTOCLOSE int in = openat(from_fd, from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	AUTOCLOSE int out = -1;
	int status;

	if (in < 0)
		return -errno;
	out = openat(to_fd, to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (out < 0)
		return -errno;
	status = copy_data(c, in, out, st->st_size);
	return status < 0 ? status : keep_facts(c, in, out, st);
}

static int copy_link(int from_fd, const char *from, int to_fd, const char *to, const struct stat *st)
{
	const struct timespec times[] = { st->st_atim, st->st_mtim };
	char target[PATH_MAX];
	ssize_t len = readlinkat(from_fd, from, target, sizeof target - 1);

	if (len < 0)
		return -errno;
	target[len] = '\0';
	if (symlinkat(target, to_fd, to) < 0)
		return -errno;
	if (fchownat(to_fd, to, st->st_uid, st->st_gid, AT_SYMLINK_NOFOLLOW) < 0 && errno != EPERM)
		return -errno;
	return utimensat(to_fd, to, times, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}

static int copy_special(int to_fd, const char *to, const struct stat *st)
{
	const struct timespec times[] = { st->st_atim, st->st_mtim };

	if (mknodat(to_fd, to, st->st_mode & (S_IFMT | 0777), st->st_rdev) < 0)
		return -errno;
	if (fchownat(to_fd, to, st->st_uid, st->st_gid, AT_SYMLINK_NOFOLLOW) < 0 && errno != EPERM)
		return -errno;
	/* Not a link: this very name was made a moment ago, and fchmodat() follows none here. */
	if (fchmodat(to_fd, to, st->st_mode & 07777, 0) < 0)
		return -errno;
	return utimensat(to_fd, to, times, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}

static struct seen **bucket(struct copy *c, const struct stat *st)
{
	return &c->seen[(st->st_ino * 31 + st->st_dev) % BUCKETS];
}

static const char *relative(const struct copy *c)
{
	return c->walk.path.len > c->path_skip ? c->walk.path.data + c->path_skip : "";
}

static int remember(struct copy *c, const struct stat *st)
{
	const char *path = relative(c);
	struct seen **at = bucket(c, st), *seen = call_alloc(c->call, sizeof *seen + strlen(path) + 1);

	if (!seen)
		return -ENOMEM;
	*seen = (struct seen){ .next = *at, .dev = st->st_dev, .ino = st->st_ino };
	memcpy(seen->path, path, strlen(path) + 1);
	*at = seen;
	return 0;
}

/* A further name of a file that was copied: 1 when linked, 0 when it has to be copied. */
static int link_again(struct copy *c, const struct stat *st, int to_fd, const char *to)
{
	for (const struct seen *seen = *bucket(c, st); seen; seen = seen->next) {
		if (seen->dev != st->st_dev || seen->ino != st->st_ino)
			continue;
		if (strlen(seen->path) >= PATH_MAX)
			return 0;
		return linkat(c->levels[0].fd, seen->path, to_fd, to, 0) < 0 ? -errno : 1;
	}
	return 0;
}

/* Whether the copy of the current entry may be written where it will appear. */
static int check_destination(struct copy *c)
{
	AUTOBUF struct buf to;
	struct err why = { .code = ERR_POLICY_READONLY };

	buf_init(&to, TO_PATH_MAX);
	buf_addf(&to, "%s/%s", c->rules->to_path, relative(c));
	if (!buf_failed(&to) && place_check_write(c->call->caller, to.data, &why) == 0)
		return 0;
	err_set(c->err, why.code, "the policy protects a place below '%s'", c->rules->to_path);
	memcpy(c->err->rule, why.rule, sizeof why.rule);
	return -1;
}

/* What the rules say of the current entry of the walk: 1 to copy it, 0 to leave it out, -1 with err. */
static int ask_rules(struct copy *c, const struct stat *st)
{
	if (!c->rules)
		return 1;
	if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode) && !S_ISLNK(st->st_mode)) {
		c->rules->skipped++;
		return 0;
	}
	if (!c->has_rules)
		return 1;
	if (!place_visible(c->call->caller, c->walk.path.data))
		return 0;
	return check_destination(c) < 0 ? -1 : 1;
}

static int copy_entry(struct copy *c, int from_fd, const char *from, int to_fd, const char *to, const struct stat *st)
{
	int status = 0;

	if (S_ISLNK(st->st_mode))
		return copy_link(from_fd, from, to_fd, to, st);
	if (st->st_nlink > 1 && c->depth > 0)
		status = link_again(c, st, to_fd, to);
	if (status != 0)
		return status < 0 ? status : 0;
	status = S_ISREG(st->st_mode) ? copy_file(c, from_fd, from, to_fd, to, st) : copy_special(to_fd, to, st);
	return status == 0 && st->st_nlink > 1 && c->depth > 0 ? remember(c, st) : status;
}

static int push(struct copy *c, int to_fd, const char *to, const struct stat *from)
{
	struct level *level;
	struct stat st;

	if (mkdirat(to_fd, to, 0700) < 0)
		return -errno;
	if (c->depth == c->cap) {
		size_t cap = c->cap ? c->cap * 2 : 16;
		struct level *grown = reallocarray(c->levels, cap, sizeof *grown);

		if (!grown)
			return -ENOMEM;
		c->levels = grown;
		c->cap = cap;
	}
	level = &c->levels[c->depth];
	*level = (struct level){ .from = *from,
		.fd = openat(to_fd, to, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) };
	if (level->fd < 0)
		return -errno;
	c->depth++;
	if (fstat(level->fd, &st) < 0)
		return -errno;
	level->dev = st.st_dev;
	level->ino = st.st_ino;
	if (c->depth > OPEN_MAX_DEPTH + 1) { /* the outermost stays open: links start there */
		struct level *outer = &c->levels[c->depth - 1 - OPEN_MAX_DEPTH];

		close_fd(outer->fd);
		outer->fd = -1;
	}
	return 0;
}

/* The innermost folder is complete: it gets its facts, and the one above is open again. */
static int pop(struct copy *c)
{
	struct level *level = &c->levels[c->depth - 1];
	int status = keep_facts(c, walk_fd(&c->walk), level->fd, &level->from);
	struct stat st;

	if (status == 0 && c->depth > 1 && level[-1].fd < 0) {
		level[-1].fd = openat(level->fd, "..", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (level[-1].fd < 0 || fstat(level[-1].fd, &st) < 0)
			status = -errno;
		else if (st.st_dev != level[-1].dev || st.st_ino != level[-1].ino)
			status = -EBUSY;
	}
	close_fd(level->fd);
	c->depth--;
	return status;
}

static int walk_entry(struct copy *c)
{
	int to_fd = c->levels[c->depth - 1].fd;
	struct stat st;
	int status;

	if (fstatat(c->walk.dir_fd, c->walk.name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	status = ask_rules(c, &st);
	if (status <= 0)
		return status < 0 ? -EPERM : 0;
	if (c->rules) {
		c->rules->entries++;
		c->rules->bytes += S_ISREG(st.st_mode) ? st.st_size : 0;
	}
	if (!S_ISDIR(st.st_mode))
		return copy_entry(c, c->walk.dir_fd, c->walk.name, to_fd, c->walk.name, &st);
	status = push(c, to_fd, c->walk.name, &st);
	return status < 0 ? status : walk_enter(&c->walk);
}

static int copy_folder(struct copy *c, const struct copy_from *from, const struct stat *st)
{
	int fd = openat(from->dir_fd, from->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), event;
	int status = fd < 0 ? -errno : walk_start(&c->walk, fd, from->path);

	if (status == 0)
		status = push(c, c->top_fd, c->top_name, st);
	while (status == 0 && (event = walk_next(&c->walk)) != WALK_END) {
		if (event < 0 || call_stopped(c->call))
			status = event < 0 ? event : -ECANCELED;
		else
			status = event == WALK_ENTRY ? walk_entry(c) : pop(c);
	}
	return status;
}

static void done(struct copy *c)
{
	while (c->depth > 0)
		close_fd(c->levels[--c->depth].fd);
	free(c->levels);
	free(c->buffer);
	walk_done(&c->walk);
}

/* What is there of a copy that failed. */
static void take_back(struct copy *c)
{
	struct err unused;

	if (unlinkat(c->top_fd, c->top_name, 0) < 0 && (errno == EISDIR || errno == EPERM))
		(void)!tree_remove(NULL, c->top_fd, c->top_name, c->top_name, &unused);
}

static int copy_top(struct copy *c, const struct copy_from *from)
{
	struct stat st;

	if (fstatat(from->dir_fd, from->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (c->rules) {
		c->rules->entries++;
		c->rules->bytes += S_ISREG(st.st_mode) ? st.st_size : 0;
	}
	return S_ISDIR(st.st_mode) ? copy_folder(c, from, &st)
				   : copy_entry(c, from->dir_fd, from->name, c->top_fd, c->top_name, &st);
}

int copy_tree(struct call *call, const struct copy_from *from, int to_fd, const char *to_name, struct copy_rules *rules,
	struct err *err)
{
	struct copy c = { .call = call, .err = err, .rules = rules, .top_fd = to_fd, .top_name = to_name };
	int status;

	c.walk = (struct walk){ .dir_fd = -1 };
	c.buffer = mem_alloc(CHUNK);
	c.path_skip = strlen(from->path) + (from->path[1] ? 1 : 0);
	c.has_rules = rules && (place_may_hold_rule(call->caller, from->path) ||
				       place_may_hold_rule(call->caller, rules->to_path));
	err->code = ERR_NONE;
	status = copy_top(&c, from);
	if (status < 0) {
		if (!err->code)
			err_system(err, -status, "cannot copy '%s'", c.walk.path.len ? c.walk.path.data : from->path);
		take_back(&c);
	}
	done(&c);
	return status < 0 ? -1 : 0;
}
