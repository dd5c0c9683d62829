/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A local file that is written whole or not at all: a temporary neighbour, renamed at the
 * end.  A symbolic link is followed and stays; a device or FIFO is written as it is.
 *
 * One that may be continued has a neighbour that stays when it is not finished: NAME.TAG.part, where
 * TAG says which state of the source it is a part of.
 */
#pragma once

#include "cli/problem.h"

struct local_file {
	int fd;
	char *target, *temporary; /* temporary NULL: written directly */
	bool stays;               /* the temporary one, also when it is abandoned */
	unsigned mode;
};

enum { LOCAL_TAG_SIZE = 65 };

/* mode: permission bits of a new file, before the umask; an existing one keeps its own. */
int local_file_open(struct local_file *ret_file, const char *path, unsigned mode, struct problem *p) MUST_CHECK;

/*
 * The same, where a part may be there from before: then it is open at its end, and its tag is filled in.  Else fd
 * is -1 (or what is written directly) until local_file_begin_part(), which starts anew; without a tag nothing will stay.
 */
int local_file_open_part(struct local_file *ret_file, const char *path, unsigned mode,
	char ret_tag[static LOCAL_TAG_SIZE], struct problem *p) MUST_CHECK;
int local_file_begin_part(struct local_file *file, const char *tag, struct problem *p) MUST_CHECK;

int local_file_write(struct local_file *file, struct str bytes, struct problem *p) MUST_CHECK;
int local_file_commit(struct local_file *file, struct problem *p) MUST_CHECK;
void local_file_abandon(struct local_file *file); /* nothing after a commit */
#define AUTOLOCAL CLEANUP(local_file_abandon)
