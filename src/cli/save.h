/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The body of an answer as a file of here, whole or not at all, or on standard output.
 */
#pragma once

#include "cli/cli.h"

/* After api_open().  to: a path, or "-"; mode: permission bits of a new file. */
int save_body(struct cli *cli, const char *to, unsigned mode) MUST_CHECK;
