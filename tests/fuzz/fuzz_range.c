/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaches wire/range.c: Range, entity tags, dates, Accept, each with the whole input.
 * Properties: a part lies inside the file and, written again, is read as the same part; a date
 * written again by the C library is read as the same second; a tag in a list is found there.
 */
#include "wire/range.h"

#include <assert.h>
#include <stdio.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_range(struct str value, uint64_t size)
{
	struct range range = range_parse(value, size), again;
	char text[64];

	if (range.kind != RANGE_PART)
		return;
	assert(range.first <= range.last && range.last < size);
	snprintf(text, sizeof text, "bytes=%ju-%ju", (uintmax_t)range.first, (uintmax_t)range.last);
	again = range_parse(str_of(text), size);
	assert(again.kind == RANGE_PART && again.first == range.first && again.last == range.last);
}

static void check_date(struct str value)
{
	int64_t seconds, again;
	time_t at;
	struct tm tm;
	char text[64];

	if (http_date_parse(value, &seconds) < 0)
		return;
	at = seconds;
	assert(gmtime_r(&at, &tm));
	if (tm.tm_year + 1900 < 1000 || tm.tm_year + 1900 > 9999)
		return;
	strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &tm);
	assert(http_date_parse(str_of(text), &again) == 0 && again == seconds);
}

static void check_tags(struct str list)
{
	struct str tag = STR("\"tag\"");
	char text[4096];
	int len;

	assert(!etag_list_has(list, tag, false) || etag_list_has(list, tag, true));
	len = snprintf(text, sizeof text, "\"tag\", " STR_FMT, STR_ARG(list));
	assert(len < (int)sizeof text);
	assert(etag_list_has(str_of(text), tag, false));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str value = { (const char *)data, MIN(size, (size_t)2048) };
	bool accepted = accept_names(value, "a/b");

	for (unsigned shift = 0; shift < 64; shift += 7)
		check_range(value, UINT64_MAX >> shift);
	check_range(value, 0);
	check_date(value);
	check_tags(value);
	assert(!accepted || memchr(value.p, '/', value.len));
	return 0;
}
