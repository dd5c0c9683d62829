/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/charset.h"

#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t utf8; /* 0 where the C library has none: then names that are not ASCII stay bytes or are left out */

static void find(void)
{
	utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

locale_t charset_enter(void)
{
	pthread_once(&once, find);
	return utf8 ? uselocale(utf8) : (locale_t)0;
}

void charset_leave(locale_t before)
{
	if (before)
		uselocale(before);
}
