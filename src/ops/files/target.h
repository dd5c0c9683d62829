/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that is written out of sight and appears whole, or never (R103).
 *
 * The bytes go to an unnamed file in the target's folder, which gets a name at the end and is
 * renamed over the target; missing folders above are made then, and until then the bytes are in the
 * nearest one that is there.  Where the file system or a missing /proc does not allow that, to a
 * named temporary file beside it.  Mode and owner of a file that is replaced are kept.  Conditions
 * hold against all others that come through here.  Blocks: only in workers.
 */
#pragma once

#include "ops/files/files.h"
#include "ops/files/leftover.h"

struct target_how {
	bool create_only;    /* nothing may be there, decided atomically at the end */
	struct str if_match; /* p NULL: no condition */
	bool append;         /* what is there stays in front; the bytes come behind it at the end, all or none */
	bool has_mode;
	mode_t mode;  /* exactly this one */
	bool durable; /* on the disk, with its name, before the commit ends (files.fsync) */
};

struct target {
	struct place *place; /* borrowed */
	struct target_how how;
	int fd;         /* to write to */
	int nearest_fd; /* the folder for it until the end, where the place's own is missing; or -1 */
	bool replaces;  /* old was there at the start */
	struct stat old;
	char temp[FILES_TEMP_SIZE]; /* empty while the file has no name */
	struct leftover left;
	bool committed;
	char etag[FILES_ETAG_SIZE]; /* after the commit */
};

/* After a failure target_done() is still fine. */
int target_open(struct target *t, struct place *place, const struct target_how *how, struct err *err) MUST_CHECK;
int target_write(struct target *t, const char *bytes, size_t len, struct err *err) MUST_CHECK;
int target_commit(struct target *t, struct err *err) MUST_CHECK;
void target_done(struct target *t); /* without a commit nothing is left */

/* For tests: false writes named temporary files even where unnamed ones work. */
void target_use_unnamed(bool use);
