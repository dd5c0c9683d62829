/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tar (not compressed here) or a zip made of files and trees, a piece at a time: each step goes on until
 * so much is there, so that no worker waits for a reader.  A step blocks: only in workers, not always the same one.
 * A step may outlive its call, whose caller has gone: what it needs is its own.
 */
#pragma once

#include "ops/files/files.h"
#include "ops/files/pack_links.h"
#include "ops/files/walk.h"

#include <locale.h>

enum pack_format { PACK_TAR, PACK_TAR_GZ, PACK_TAR_ZST, PACK_ZIP };
extern const char *const pack_formats[];

struct archive;
struct archive_entry;

struct pack_skipped {
	struct str path, path_b64;
	const char *reason;
};

struct pack {
	const struct job *job; /* asked whether to stop */
	const struct principal *who;
	struct policy *policy;
	enum pack_format format;
	int64_t max_files; /* 0: no limit */
	bool too_many;     /* that is why a step failed */
	struct buf made;   /* the piece; taken away between two steps */
	bool finished;
	struct pack_skipped *skipped; /* the first of them */
	size_t skipped_count;
	int64_t skipped_total, files;
	/* its own */
	struct arena arena;
	struct place *places;
	size_t place_count;
	struct archive *archive;
	struct archive_entry *entry;
	bool dead; /* what is still written goes nowhere */
	size_t next_path;
	struct walk walk;
	bool walking;
	size_t name_at; /* where an entry's name begins in its path */
	int fd;         /* of the file that is being read; -1 none */
	struct stat st; /* as its header says */
	int64_t left;
	bool is_short;
	const char *path; /* of the current entry */
	char *chunk;
	struct pack_links links;
	locale_t charset; /* the thread's own, during a step */
};

/* The places stay the caller's.  -1 with err; pack_done() is needed in any case. */
int pack_init(struct pack *p, struct call *call, const struct list *paths, struct err *err) MUST_CHECK;
int pack_step(struct pack *p, size_t piece, struct err *err) MUST_CHECK; /* until `made` has so many bytes */
void pack_done(struct pack *p);
