/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of a repository's configuration git is shown: a list of plain facts (how files are
 * compared, which branch follows which).  All else, above all whatever names a program or
 * another file, is left out, so that nothing of it can run.
 *
 * Pure: text in, text out, by the rules of git-config(1).
 */
#pragma once

#include "base/buf.h"

/* Reads `text`, appends a configuration with the allowed keys to `to`.  0, or -EINVAL: it is not a configuration. */
int git_config_filter(struct str text, struct buf *to) MUST_CHECK;
