/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names are UTF-8 for libarchive, which asks the locale of its thread.  The program has none set:
 * the locale built into the C library is used, for this thread and between the two calls alone.
 */
#pragma once

#include <locale.h>

locale_t charset_enter(void);
void charset_leave(locale_t before);
