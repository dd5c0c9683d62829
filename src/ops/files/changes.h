/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the kernel's events of one watch to what changed, in order (R67, R68).
 *
 * Events are queued as they come, up to a limit, and handled one at a time when there is room
 * for what they tell.  The two halves of a rename find each other in the queue; one alone waits
 * a moment for the other.  On the loop only.
 */
#pragma once

#include "ops/files/ancestors.h"
#include "ops/files/cover.h"

enum change_type { CHANGE_CREATE, CHANGE_WRITE, CHANGE_REMOVE, CHANGE_RENAME, CHANGE_CHMOD };

enum changes_next {
	CHANGES_NONE,    /* the queue is empty */
	CHANGES_MORE,    /* one was handled */
	CHANGES_WAIT,    /* half a rename: ask again after CHANGES_PAIR_MS */
	CHANGES_SCAN,    /* a new folder is to be covered: scan_folder, scan_name */
	CHANGES_LOST,    /* events are gone: all is to be scanned again */
	CHANGES_DELETED, /* the folder itself is no more */
	CHANGES_MOVED,
};

enum { CHANGES_PAIR_MS = 20 };

struct changes {
	struct notify_user user;
	struct notify_mark above; /* of the folder that holds the outermost */
	struct notify_user outer; /* hears of moves of the ancestors; not joined, `user` is */
	struct ancestors ancestors;
	const char *root; /* absolute path of the outermost */
	const char *only; /* the one name that counts, or NULL */
	bool recursive;
	struct cover cover;
	void (*wake)(struct changes *c); /* the queue is no longer empty */
	void (*tell)(struct changes *c, enum change_type type, const char *path, const char *old_path, bool is_dir);
	struct folder *scan_folder; /* held until changes_scanned() */
	char scan_name[256];
	struct list_node queue;
	size_t queued;
	bool lost, closed;
};

void changes_init(struct changes *c);
void changes_done(struct changes *c); /* the queue, and nothing comes into it; the cover is the caller's */
void changes_clear(struct changes *c);

enum changes_next changes_step(struct changes *c);

/* The cover of scan_folder and scan_name, empty when it went meanwhile, and what was found there. */
void changes_scanned(struct changes *c, struct cover *part, const struct buf *found);
