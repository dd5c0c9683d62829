/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What keeps a program from starting, as an error for callers (R08).
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

/* ERR_COMMANDS_START with details {"step","errno","path"}; step: "cwd", "exec", "user", "limits", "setup". -1. */
int failure_set(
	struct err *err, struct arena *arena, const char *step, int number, struct str path, const char *reason);
