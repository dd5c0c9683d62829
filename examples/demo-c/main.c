/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <stdio.h>

int main(int argc, char **argv)
{
	size_t count = 0;

	for (int i = 1; i < argc; i++)
		count += words_count(argv[i]);
	printf("%zu\n", count);
	return 0;
}
