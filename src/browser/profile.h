/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder in which one run of the browser keeps what it keeps.
 *
 * Each run has a new one, so a lock that a dead browser left behind is nobody's business.  It is
 * locked (flock) while the server lives; those that nobody locks were left by a server that was
 * killed, and go when the next one is made.  All of this touches the disk: for workers.
 */
#pragma once

#include "base/err.h"

enum { PROFILE_PATH_SIZE = 512 };

struct profile_folder {
	char path[PROFILE_PATH_SIZE]; /* empty: there is none */
	int fd;                       /* of the folder, locked */
};

/* For a user: -1 keeps the server's own.  last: where to make it when no folder for temporary files will do. */
int profile_make(struct profile_folder *p, uid_t uid, gid_t gid, const char *last, struct err *err) MUST_CHECK;
void profile_remove(struct profile_folder *p);
