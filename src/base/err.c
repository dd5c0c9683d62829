/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include "base/utf8.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static const struct err_info infos[ERR_COUNT] = {
	[ERR_NONE] = { .wire_code = "",
		.code = "",
		.type = "",
		.exception = "",
		.ecode = "",
		.meaning = "",
		.status = 200 },
#define ERROR(name, wire, http, flat, kind, class, number, text) \
	[ERR_##name] = { .wire_code = wire, \
		.code = flat, \
		.type = kind, \
		.exception = class, \
		.ecode = number, \
		.meaning = text, \
		.status = http },
#include "base/errors.def"
#undef ERROR
};

static const struct {
	int number;
	enum err_code code;
	const char *reason;
} of_errno[] = {
	{ ENOENT, ERR_FILES_NOT_FOUND, "no such file or folder" },
	{ EEXIST, ERR_FILES_EXISTS, "it exists already" },
	{ ENOTDIR, ERR_FILES_NOT_DIR, "it, or a part of its path, is not a folder" },
	{ EISDIR, ERR_FILES_IS_DIR, "it is a folder" },
	{ ENOTEMPTY, ERR_FILES_NOT_EMPTY, "the folder is not empty" },
	{ EBUSY, ERR_FILES_BUSY, "it is a mount point or in use" },
	{ ETXTBSY, ERR_FILES_BUSY, "the program is running" },
	{ ENXIO, ERR_FILES_NOT_REGULAR, "it is not a regular file" },
	{ ENODEV, ERR_FILES_NOT_REGULAR, "it is not a regular file" },
	{ EACCES, ERR_FILES_PERMISSION, "permission denied" },
	{ EPERM, ERR_FILES_PERMISSION, "operation not permitted" },
	{ EROFS, ERR_FILES_PERMISSION, "the file system is read-only" },
	{ ENOSPC, ERR_FILES_NO_SPACE, "no space left" },
	{ EDQUOT, ERR_FILES_NO_SPACE, "the disk quota is used up" },
	{ EFBIG, ERR_LIMIT_FILE, "the file would be larger than the process may write" },
	{ ENAMETOOLONG, ERR_ARGS_INVALID, "the name is too long" },
	{ EINVAL, ERR_ARGS_INVALID, "not possible with these arguments" },
	{ ELOOP, ERR_ARGS_INVALID, "too many symbolic links" },
	{ EMFILE, ERR_BUSY, "descriptors are used up" },
	{ ENFILE, ERR_BUSY, "descriptors are used up" },
	{ EAGAIN, ERR_BUSY, "processes or another resource are used up" },
	{ ENOMEM, ERR_BUSY, "memory is used up" },
};

const struct err_info *err_info(enum err_code code)
{
	assert((size_t)code < ERR_COUNT);
	return &infos[code];
}

static void PRINTF_LIKE(3, 0) fill(struct err *err, enum err_code code, const char *fmt, va_list args)
{
	char text[ERR_TEXT_MAX];

	/* Apart, because a message may be made from the one that stands there. */
	vsnprintf(text, sizeof text, fmt, args);
	*err = (struct err){ .code = code };
	memcpy(err->text, text, strlen(text) + 1);
}

int err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fill(err, code, fmt, args);
	va_end(args);
	return -1;
}

int err_deny(struct err *err, enum err_code code, const char *rule, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fill(err, code, fmt, args);
	va_end(args);
	snprintf(err->rule, sizeof err->rule, "policy:%s", rule);
	return -1;
}

/* Behind the message, which is cut where both do not fit. */
static void add_reason(struct err *err, const char *reason)
{
	size_t room = sizeof err->text - 1 - MIN(strlen(reason) + 2, sizeof err->text / 2);
	size_t len = utf8_cut(str_of(err->text), room);

	snprintf(err->text + len, sizeof err->text - len, ": %s", reason);
}

int err_system(struct err *err, int sys_errno, const char *fmt, ...)
{
	enum err_code code = ERR_FILES_IO;
	const char *reason = strerror(sys_errno);
	va_list args;

	for (size_t i = 0; i < ARRAY_LEN(of_errno); i++) {
		if (of_errno[i].number == sys_errno) {
			code = of_errno[i].code;
			reason = of_errno[i].reason;
		}
	}
	va_start(args, fmt);
	fill(err, code, fmt, args);
	va_end(args);
	err->sys_errno = sys_errno;
	add_reason(err, reason);
	return -1;
}
