/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Temporary names that a killed server leaves behind, and their end when the next one starts (R87).
 *
 * While such a name stands, its path is in a slot of a small file of this process, below a folder of the user's own in
 * TMPDIR (or /tmp).  The file is locked: one whose lock is free has lost its server.  What it names is then
 * removed, if it is called as only files_temp_name() does, and then the file.  Where there can be no such
 * folder, nothing is noted.
 */
#pragma once

#include "loop/loop.h"

struct leftover {
	unsigned slot; /* 0: not noted; else one more than its number */
};

/* Makes the file, and looks in a worker for what others left behind. */
void leftover_start(struct loop *loop);
void leftover_stop(void); /* the file goes */

/* Before the name is made, and when it is gone.  From any thread; without leftover_start() they do nothing. */
struct leftover leftover_note(int dir_fd, const char *name);
void leftover_forget(struct leftover *left);
#define AUTOLEFT CLEANUP(leftover_forget)

/* Removes what those whose server has gone have left: how much. */
unsigned leftover_sweep(void);
