/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/hold.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct hold_piece {
	struct hold_piece *next;
	alignas(max_align_t) char bytes[];
};

void hold_free(struct hold *h)
{
	while (h->pieces) {
		struct hold_piece *next = h->pieces->next;

		free(h->pieces);
		h->pieces = next;
	}
}

void *hold_alloc(struct hold *h, size_t size)
{
	struct hold_piece *piece = mem_alloc(sizeof *piece + size);

	piece->next = h->pieces;
	h->pieces = piece;
	return piece->bytes;
}

char *hold_text(struct hold *h, struct str text)
{
	char *copy = hold_alloc(h, text.len + 1);

	if (text.len)
		memcpy(copy, text.p, text.len);
	return copy;
}

char *hold_printf(struct hold *h, const char *fmt, ...)
{
	va_list args;
	int len;
	char *text;

	va_start(args, fmt);
	len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	text = hold_alloc(h, (size_t)len + 1);
	va_start(args, fmt);
	vsnprintf(text, (size_t)len + 1, fmt, args);
	va_end(args);
	return text;
}
