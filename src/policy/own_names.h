/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names under which the server finds a file of its own: who may move one of them away can put another file in its place.
 */
#pragma once

#include "base/base.h"

enum { OWN_NAMES_MAX = 8 };

/*
 * That of the path, of each link that it leads over, and of the file, all without links in their folders; the file need not
 * be there yet.  The texts are the caller's; the number of them, at least 1.
 */
size_t own_names(const char *path, char *ret_names[static OWN_NAMES_MAX]);
