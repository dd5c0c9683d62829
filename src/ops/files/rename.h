/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An entry gets its place in one step.
 */
#pragma once

#include "policy/place.h"

/* Replaces what is there, as rename() does, or with overwrite false never, decided atomically: 0 or a negative errno. */
int rename_entry(int from_fd, const char *name, const struct place *to, bool overwrite, bool is_folder) MUST_CHECK;
