/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Failures that a caller of the API may see.
 *
 * A function with a `struct err *err` returns 0, or -1 with *err filled in.  err_set()
 * and err_system() return -1, so that a failure is one line.  Messages: lower case, no
 * full stop, the thing in single quotes.  The codes are those of errors.def.
 */
#pragma once

#include "base/str.h"

enum err_code {
	ERR_NONE,
#define ERROR(name, wire, status, flat, type, exception, ecode, meaning) ERR_##name,
#include "base/errors.def"
#undef ERROR
	ERR_COUNT
};

struct err_info {
	const char *wire_code, *code, *type, *exception, *ecode, *meaning;
	int status; /* HTTP */
};

enum { ERR_TEXT_MAX = 512, ERR_RULE_MAX = 128 };

struct err {
	enum err_code code;
	int sys_errno;           /* of err_system(), else 0 */
	char text[ERR_TEXT_MAX]; /* valid UTF-8 or not: the writer of the reply cleans it */
	char rule[ERR_RULE_MAX]; /* "policy:…", or empty */
	const char *type;    /* instead of the code's own: a failed command's; memory as that of details; NULL none */
	const char *details; /* a JSON object as text, owned by the call's arena; NULL is {} */
};

int err_set(struct err *err, enum err_code code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* The same with the policy's line that decided, "policy:paths.roots". */
int err_deny(struct err *err, enum err_code code, const char *rule, const char *fmt, ...) PRINTF_LIKE(4, 5);

/* What a system call's errno means for a file: the only table of that mapping.  The message ends with the reason. */
int err_system(struct err *err, int sys_errno, const char *fmt, ...) PRINTF_LIKE(3, 4);

const struct err_info *err_info(enum err_code code);
