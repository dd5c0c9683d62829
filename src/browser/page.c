/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/page.h"

#include <stddef.h>

const char *const wait_until_choices[] = { "load", "domcontentloaded", "networkidle", "commit", NULL };
