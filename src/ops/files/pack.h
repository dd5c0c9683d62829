/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An archive made of files and trees, a piece at a time: each step goes on until a piece is full,
 * so that no worker waits for a reader.  A step blocks: only in workers, not always the same one.
 */
#pragma once

#include "ops/files/files.h"
#include "ops/files/pack_links.h"
#include "ops/files/walk.h"

enum pack_format { PACK_TAR, PACK_TAR_GZ, PACK_TAR_ZST, PACK_ZIP };
extern const char *const pack_formats[];

struct archive;
struct archive_entry;

struct pack_skipped {
	struct str path, path_b64;
	const char *reason;
};

struct pack {
	struct call *call;
	const struct job *job;    /* asked whether to stop */
	const struct list *paths; /* of struct path_arg, with places */
	enum pack_format format;
	int64_t max_files; /* 0: no limit */
	struct buf made;   /* the piece; taken away between two steps */
	bool finished;
	struct pack_skipped *skipped; /* the first of them, in the call's arena */
	size_t skipped_count;
	int64_t skipped_total, files;
	/* its own */
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
};

void pack_init(struct pack *p);
int pack_step(struct pack *p, size_t piece, struct err *err) MUST_CHECK;
void pack_done(struct pack *p);
