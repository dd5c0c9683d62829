/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our terminal, attached to one on the server: keys go there raw, its size follows ours, and
 * its exit code is ours.  "~." at the start of a line detaches; the session lives on.
 */
#pragma once

#include "cli/commands.h"

/* A new session for a line, the words of args, or (where there are none) the login shell. */
int attach_new(struct cli *cli, const struct args *args, const char *line);
int attach_session(struct cli *cli, struct str id);
