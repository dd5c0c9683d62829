/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the ops on files share: how facts of an entry are told, and a few parameters.
 * Texts live in the call's arena.
 */
#pragma once

#include "call/call.h"
#include "policy/place.h"

#include <sys/stat.h>

struct users;

enum { FILES_ETAG_SIZE = 24, FILES_OWNER_SIZE = 64 };

/* As choices of a row; FILES_UNKNOWN only where an entry need not exist. */
enum files_type { FILES_FILE, FILES_DIRECTORY, FILES_SYMLINK, FILES_OTHER, FILES_UNKNOWN };
extern const char *const files_types[];

enum files_type files_type(mode_t mode);

/* What every result says of an entry: its name and path, and where it leads as a link. */
#define FILES_ENTRY_NAMES struct str name, name_b64, path, path_b64, target
#define FILES_NAME_ROWS(type) \
	R_TEXT(type, name, "The last part of the path."), \
		R_OPT_BYTES(type, name_b64, "The exact name where it is not UTF-8."), \
		R_TEXT(type, path, "The path, absolute and without links."), \
		R_OPT_BYTES(type, path_b64, "The exact path where it is not UTF-8.")
#define FILES_TARGET_ROW(type) R_OPT_TEXT(type, target, "Where a link leads, when that is inside the roots.")

/* Octal, at least three digits: "644", "4755".  NULL with call->err when memory is used up, as below. */
const char *files_mode(struct call *call, mode_t mode);
const char *files_time(struct call *call, struct timespec when);
const char *files_owner(struct call *call, const struct users *users, uid_t uid); /* the name, or the number */
const char *files_group(struct call *call, const struct users *users, gid_t gid);

/* The strong tag, with its quotes (R104). */
void files_etag(const struct stat *st, char to[static FILES_ETAG_SIZE]);

/* The bytes again when they are not UTF-8, for the …_b64 twin; else p NULL. */
struct str files_exact(struct str text);

/* R54: three or four octal digits. *ret_mode stays as it is when text is NULL. */
int files_parse_mode(const char *text, mode_t *ret_mode, struct err *err) MUST_CHECK;

/* The target of a link, when it leads to a place inside the roots; else p NULL. */
struct str files_link_target(struct call *call, int dir_fd, const char *name, const char *path);

/* lstat of a place: 0, or -1 with err (404 also when a folder on the way is missing). */
int files_lstat(const struct place *place, struct stat *ret_st, struct err *err) MUST_CHECK;

/* Opens a regular file to be read: the descriptor, or -1 with err (R46). */
int files_open(const struct place *place, struct stat *ret_st, struct err *err) MUST_CHECK;

/* Refused with 403: a root, or what holds one (R56). */
int files_check_no_root(const struct call *call, const struct place *place, struct err *err) MUST_CHECK;

/* What is no folder cannot get the name of one, with a slash at the end: -1. */
int files_refuse_slash(const struct place *from, const struct place *to, struct err *err);

/* A name for temporary files, which is recognised at the next start (R87). */
enum { FILES_TEMP_SIZE = 40 };
void files_temp_name(char to[static FILES_TEMP_SIZE]);
