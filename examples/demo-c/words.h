/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the words of a text: what stands between blanks. */
#pragma once

#include <stddef.h>

size_t words_count(const char *text);
