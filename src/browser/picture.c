/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/picture.h"

#include <errno.h>

static unsigned big_endian(const char *p, size_t len)
{
	unsigned value = 0;

	for (size_t i = 0; i < len; i++)
		value = value << 8 | (unsigned char)p[i];
	return value;
}

static int png_size(struct str image, int64_t *ret_width, int64_t *ret_height)
{
	enum { WIDTH_AT = 16, HEIGHT_AT = 20, NEEDED = 24 };

	if (image.len < NEEDED)
		return -EINVAL;
	*ret_width = big_endian(image.p + WIDTH_AT, 4);
	*ret_height = big_endian(image.p + HEIGHT_AT, 4);
	return 0;
}

/* A frame header (SOF) is the marker C0 to CF but C4, C8 and CC. */
static bool is_frame(unsigned marker)
{
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

static int jpeg_size(struct str image, int64_t *ret_width, int64_t *ret_height)
{
	enum { HEADER = 4, FRAME = 9 };
	size_t at = 2;

	while (at + FRAME <= image.len && (unsigned char)image.p[at] == 0xff) {
		if (is_frame((unsigned char)image.p[at + 1])) {
			*ret_height = big_endian(image.p + at + 5, 2);
			*ret_width = big_endian(image.p + at + 7, 2);
			return 0;
		}
		at += 2 + big_endian(image.p + at + 2, 2);
	}
	return -EINVAL;
}

int picture_size(struct str image, int64_t *ret_width, int64_t *ret_height)
{
	if (str_starts(image, "\x89PNG\r\n\x1a\n"))
		return png_size(image, ret_width, ret_height);
	if (str_starts(image, "\xff\xd8"))
		return jpeg_size(image, ret_width, ret_height);
	return -EINVAL;
}

int64_t picture_pages(struct str pdf)
{
	static const char tree[] = "/Type /Pages", count[] = "/Count ";
	int64_t most = 0;

	/* The root of the tree of pages counts all of them, its branches fewer. */
	while (pdf.len) {
		const char *found = memmem(pdf.p, pdf.len, tree, sizeof tree - 1), *end;
		struct str part;
		uint64_t pages;

		if (!found)
			break;
		pdf.len -= (size_t)(found + 1 - pdf.p);
		pdf.p = found + 1;
		end = memmem(pdf.p, pdf.len, "endobj", strlen("endobj"));
		part = (struct str){ pdf.p, end ? (size_t)(end - pdf.p) : pdf.len };
		found = memmem(part.p, part.len, count, sizeof count - 1);
		if (!found)
			continue;
		part.len -= (size_t)(found + sizeof count - 1 - part.p);
		part.p = found + sizeof count - 1;
		part.len = strspn(part.p, "0123456789");
		if (str_to_u64(part, &pages) == 0 && (int64_t)pages > most)
			most = (int64_t)pages;
	}
	return most;
}
