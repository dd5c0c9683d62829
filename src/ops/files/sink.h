/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the bytes of an upload go: into one file, or through the parts of a form into several
 * files in one folder.  Blocks: only in workers.  Nothing appears before sink_commit().
 */
#pragma once

#include "ops/files/target.h"
#include "ops/files/upload.h"
#include "wire/multipart.h"

struct sink_file;

struct sink {
	struct call *call;
	struct place *place; /* the file; of a form the folder */
	struct target_how how;
	struct arena arena; /* of the places of a form's files */
	int64_t max_files;
	bool is_form, makes_parents;
	struct multipart form;
	struct sink_file *first, **last; /* in the order in which they came; heap */
	size_t count;
	struct upload_file *files; /* after the commit, in the call's arena */
};

/* The place's missing parents are made with the files, where the arguments say so. */
int sink_open(struct sink *s, struct call *call, int64_t max_files, struct err *err) MUST_CHECK;
int sink_write(struct sink *s, const char *bytes, size_t len, struct err *err) MUST_CHECK;
int sink_commit(struct sink *s, struct err *err) MUST_CHECK;
void sink_done(struct sink *s); /* without a commit nothing is left; zeroed ones are fine */
