/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries placed beneath one open folder, never by path: each part of a name is opened from the
 * one before it, and a part that is a link is not followed.  Files appear whole under their names.
 * Blocks: only in workers.
 *
 * Functions return NULL, or why the entry was left out (a text that lives for ever); then
 * plant->failed says whether that is an error of the system, with *err, after which nothing goes on.
 */
#pragma once

#include "ops/files/files.h"

struct plant {
	int root_fd;      /* the folder; borrowed */
	const char *path; /* where it will be in the end: for rules and messages */
	const struct principal *who;
	bool overwrite;
	bool failed;
	struct err err;
	/* the folder of the last entry, which is mostly that of the next one */
	int dir_fd;
	char dir[4096];
	struct buf folders; /* struct plant_folder: set at the end, innermost first */
};

struct plant_facts {
	mode_t mode; /* permissions only */
	bool has_time;
	struct timespec modified;
};

void plant_init(struct plant *p, int root_fd, const char *path, const struct principal *who, bool overwrite);
void plant_done(struct plant *p);

const char *plant_folder(struct plant *p, const char *path, const struct plant_facts *facts);
const char *plant_symlink(struct plant *p, const char *path, const char *target);
const char *plant_link(struct plant *p, const char *path, const char *target);

/* A file is begun, written through fd, and then kept or dropped. */
struct plant_file {
	int fd, dir_fd;
	char name[256], temp[FILES_TEMP_SIZE];
};
const char *plant_begin(struct plant *p, const char *path, struct plant_file *f);
void plant_keep(struct plant *p, struct plant_file *f, const struct plant_facts *facts);
void plant_drop(struct plant_file *f);

/* Modes and times of the folders, when nothing more is placed in them. */
void plant_finish(struct plant *p);
