/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <ctype.h>
#include <stdbool.h>

size_t words_count(const char *text)
{
	bool inside = false;
	size_t count = 0;

	for (; *text; text++) {
		bool blank = isspace((unsigned char)*text);

		count += !blank && !inside;
		inside = !blank;
	}
	return count;
}
