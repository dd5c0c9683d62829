/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/files.h"

#include "base/clock.h"
#include "base/users.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

const char *const files_types[] = { "file", "directory", "symlink", "other", "unknown", NULL };

enum files_type files_type(mode_t mode)
{
	return S_ISREG(mode)   ? FILES_FILE
	       : S_ISDIR(mode) ? FILES_DIRECTORY
	       : S_ISLNK(mode) ? FILES_SYMLINK
			       : FILES_OTHER;
}

static const char *kept(struct call *call, const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = call_alloc(call, size);

	return copy ? memcpy(copy, text, size) : NULL;
}

const char *files_mode(struct call *call, mode_t mode)
{
	char text[8];

	switch (mode & 07777) { /* nearly all of them, so that a long list is small */
	case 0644:
		return "644";
	case 0755:
		return "755";
	case 0777:
		return "777";
	case 0600:
		return "600";
	default:
		snprintf(text, sizeof text, "%03o", (unsigned)mode & 07777);
		return kept(call, text);
	}
}

const char *files_time(struct call *call, struct timespec when)
{
	char text[CLOCK_TEXT_SIZE];

	return kept(call, clock_text(when, text));
}

static const char *name_or_number(struct call *call, const char *name, unsigned number)
{
	char text[16];

	if (name)
		return kept(call, name);
	snprintf(text, sizeof text, "%u", number);
	return kept(call, text);
}

const char *files_owner(struct call *call, const struct users *users, uid_t uid)
{
	const struct user *user = users_by_id(users, uid);

	return name_or_number(call, user ? user->name : NULL, uid);
}

const char *files_group(struct call *call, const struct users *users, gid_t gid)
{
	return name_or_number(call, users_group_name(users, gid), gid);
}

void files_etag(const struct stat *st, char to[static FILES_ETAG_SIZE])
{
	uint64_t facts[] = {
		st->st_dev,
		st->st_ino,
		(uint64_t)st->st_size,
		(uint64_t)st->st_mtim.tv_sec,
		(uint64_t)st->st_mtim.tv_nsec,
		(uint64_t)st->st_ctim.tv_sec,
		(uint64_t)st->st_ctim.tv_nsec,
	};
	const unsigned char *bytes = (const unsigned char *)facts;
	uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	for (size_t i = 0; i < sizeof facts; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	snprintf(to, FILES_ETAG_SIZE, "\"%016llx\"", (unsigned long long)hash);
}

struct str files_exact(struct str text)
{
	return utf8_valid(text) ? (struct str){ 0 } : text;
}

int files_parse_mode(const char *text, mode_t *ret_mode, struct err *err)
{
	size_t len = text ? strlen(text) : 0;
	mode_t mode = 0;

	if (!text)
		return 0;
	if ((len != 3 && len != 4) || strspn(text, "01234567") != len)
		return err_set(err, ERR_ARGS_INVALID, "parameter 'mode' must be 3 or 4 octal digits, like '644'");
	for (size_t i = 0; i < len; i++)
		mode = mode << 3 | (mode_t)(text[i] - '0');
	if (mode & (S_ISUID | S_ISGID) && geteuid() == 0)
		return err_deny(err, ERR_POLICY_PATH, "process.user",
			"setuid and setgid are not given while the server is root");
	*ret_mode = mode;
	return 0;
}

struct str files_link_target(struct call *call, int dir_fd, const char *name, const char *path)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(dir_fd, name, target, sizeof target);
	struct arena arena;
	struct place *place;
	struct err err;
	const char *text;

	if (len <= 0 || len == sizeof target)
		return (struct str){ 0 };
	arena_init(&arena, 64 * 1024);
	place = place_resolve(&arena, call->caller, str_of(path), F_MISSING_OK, &err);
	place_close(place);
	arena_free(&arena);
	if (!place)
		return (struct str){ 0 };
	text = arena_strndup(&call->arena, target, (size_t)len);
	return (struct str){ text, text ? (size_t)len : 0 };
}

int files_lstat(const struct place *place, struct stat *ret_st, struct err *err)
{
	if (place->missing)
		return err_system(err, ENOENT, "'%s'", place->given);
	if (fstatat(place->parent_fd, place->name, ret_st, AT_SYMLINK_NOFOLLOW) < 0)
		return err_system(err, errno, "'%s'", place->given);
	return 0;
}

static int check_kind(const struct stat *st, const struct place *place, struct err *err)
{
	if (S_ISDIR(st->st_mode))
		return err_system(err, EISDIR, "'%s'", place->given);
	if (!S_ISREG(st->st_mode))
		return err_set(err, ERR_FILES_NOT_REGULAR, "'%s' is not a regular file", place->given);
	return 0;
}

int files_open(const struct place *place, struct stat *ret_st, struct err *err)
{
	AUTOCLOSE int fd = -1;

	/* Looked at before it is opened too, because opening a device can do things. */
	if (files_lstat(place, ret_st, err) < 0 || check_kind(ret_st, place, err) < 0)
		return -1;
	fd = place_open(place, O_RDONLY, 0);
	if (fd < 0)
		return err_system(err, -fd, "cannot read '%s'", place->given);
	if (fstat(fd, ret_st) < 0)
		return err_system(err, errno, "cannot read '%s'", place->given);
	return check_kind(ret_st, place, err) < 0 ? -1 : take_fd(&fd);
}

int files_check_no_root(const struct call *call, const struct place *place, struct err *err)
{
	if (!place->is_root && !place_holds_root(call->caller, place->path))
		return 0;
	return err_deny(err, ERR_POLICY_PATH, "paths.roots", "'%s' is a root or holds one", place->given);
}

int files_refuse_slash(const struct place *from, const struct place *to, struct err *err)
{
	return err_set(err, ERR_FILES_NOT_DIR,
		"'%s' is not a folder, and the slash at the end of '%s' says one: give its whole new path", from->given,
		to->given);
}

void files_temp_name(char to[static FILES_TEMP_SIZE])
{
	uint64_t number = 0;

	if (getrandom(&number, sizeof number, 0) != sizeof number)
		number = (uint64_t)clock_now_ns(); /* a clash is met by O_EXCL */
	snprintf(to, FILES_TEMP_SIZE, ".abx-upload-%016llx", (unsigned long long)number);
}
