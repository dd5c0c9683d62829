/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of a YAML file that decides over others: a regular file, never longer than what
 * yaml_tree.h takes.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"

void yaml_file_buf(struct buf *text); /* one of the right size, to be freed */

/* -1 with err: it cannot be read. */
int yaml_file_fail(struct err *err, int sys_errno, const char *what, const char *path);

/* 0, or -1 with err; what: "policy file". */
int yaml_file_read(const char *path, const char *what, struct buf *text, struct err *err) MUST_CHECK;
