/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An archive read entry by entry into one folder.  What an entry may not be is left out and listed;
 * what is damaged ends it.  Memory does not grow with the archive.  Blocks: only in workers.
 */
#pragma once

#include "ops/files/plant.h"

enum unpack_format {
	UNPACK_AUTO,
	UNPACK_TAR,
	UNPACK_TAR_GZ,
	UNPACK_TAR_ZST,
	UNPACK_TAR_XZ,
	UNPACK_TAR_BZ2,
	UNPACK_ZIP,
};
extern const char *const unpack_formats[];

struct unpack_skipped {
	struct str name, name_b64;
	const char *reason;
};

struct unpack {
	struct call *call;
	const struct job *job; /* asked whether to stop */
	struct plant plant;    /* the caller's to begin and end */
	int fd;                /* the archive, at its beginning; seekable, borrowed */
	enum unpack_format format;
	int64_t strip, max_files, max_bytes;
	uid_t uid; /* whose the files become */
	/* what came of it */
	int64_t entries, bytes, owners_dropped, skipped_total;
	struct unpack_skipped *skipped; /* the first of them, in the call's arena */
	size_t skipped_count;
};

int unpack_run(struct unpack *u, struct err *err) MUST_CHECK;
