/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/range.h"

#include "wire/head.h"

#include <errno.h>
#include <strings.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Takes digits, at least one; a number too large for 64 bits is the largest one. */
static bool take_number(struct str *text, uint64_t *ret_value)
{
	uint64_t value = 0;
	bool too_large = false;
	size_t len = 0;

	for (; len < text->len && is_digit(text->p[len]); len++)
		too_large |= __builtin_mul_overflow(value, 10, &value) ||
			     __builtin_add_overflow(value, (uint64_t)(text->p[len] - '0'), &value);
	text->p += len;
	text->len -= len;
	*ret_value = too_large ? UINT64_MAX : value;
	return len > 0;
}

static bool take_char(struct str *text, char c)
{
	if (text->len == 0 || text->p[0] != c)
		return false;
	text->p++;
	text->len--;
	return true;
}

/* Of an empty file the last bytes are the whole of it; there is no part to name. */
static struct range last_bytes(struct str text, uint64_t size)
{
	uint64_t count;

	if (!take_number(&text, &count) || text.len || (count && !size))
		return (struct range){ .kind = RANGE_WHOLE };
	if (count == 0)
		return (struct range){ .kind = RANGE_UNSATISFIABLE };
	return (struct range){ RANGE_PART, size - MIN(count, size), size - 1 };
}

struct range range_parse(struct str value, uint64_t size)
{
	const struct range whole = { .kind = RANGE_WHOLE };
	struct str unit = str_cut(&value, '=');
	uint64_t first, last = UINT64_MAX;

	if (!str_is_nocase(unit, "bytes"))
		return whole;
	value = str_trim(value);
	if (take_char(&value, '-'))
		return last_bytes(value, size);
	if (!take_number(&value, &first) || !take_char(&value, '-'))
		return whole;
	if (value.len && (!take_number(&value, &last) || value.len || last < first))
		return whole;
	if (first >= size)
		return (struct range){ .kind = RANGE_UNSATISFIABLE };
	return (struct range){ RANGE_PART, first, MIN(last, size - 1) };
}

/* The entity-tag at the front with its W/, or an empty str. Within it a backslash is plain. */
static struct str take_tag(struct str *list)
{
	struct str tag = { list->p, 0 };
	size_t at = str_starts(*list, "W/") ? 2 : 0;
	const char *end;

	if (at >= list->len || list->p[at] != '"')
		return tag;
	end = memchr(list->p + at + 1, '"', list->len - at - 1);
	if (!end)
		return tag;
	tag.len = (size_t)(end + 1 - list->p);
	list->p += tag.len;
	list->len -= tag.len;
	return tag;
}

static struct str without_weakness(struct str tag)
{
	return str_starts(tag, "W/") ? (struct str){ tag.p + 2, tag.len - 2 } : tag;
}

bool etag_list_has(struct str list, struct str tag, bool weak)
{
	list = str_trim(list);
	if (str_is(list, "*"))
		return true;
	while (list.len) {
		struct str entry;

		if (take_char(&list, ',') || take_char(&list, ' ') || take_char(&list, '\t'))
			continue;
		entry = take_tag(&list);
		if (entry.len == 0)
			return false;
		if (weak ? str_eq(without_weakness(entry), without_weakness(tag))
			 : str_eq(entry, tag) && entry.p[0] != 'W')
			return true;
	}
	return false;
}

struct date {
	unsigned year, month, day, hour, minute, second; /* month from 1 */
};

static const char *const month_names[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov",
	"Dec", NULL };
static const char *const day_names[] = { "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", NULL };
static const char *const long_day_names[] = { "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
	"Sunday", NULL };

/* The place, from 1, of the name at the front, which is taken; 0 when there is none. */
static unsigned take_name(struct str *text, const char *const *names)
{
	for (unsigned i = 0; names[i]; i++) {
		size_t len = strlen(names[i]);

		if (!str_starts(*text, names[i]))
			continue;
		text->p += len;
		text->len -= len;
		return i + 1;
	}
	return 0;
}

static bool take_digits(struct str *text, size_t count, unsigned *ret_value)
{
	unsigned value = 0;

	if (text->len < count)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!is_digit(text->p[i]))
			return false;
		value = value * 10 + (unsigned)(text->p[i] - '0');
	}
	text->p += count;
	text->len -= count;
	*ret_value = value;
	return true;
}

/*
 * One letter of a pattern: d h i s day, hour, minute, second of two digits; _ a day whose first digit
 * may be a blank; m the name of a month; Y y years of four and two digits; w W names of days.
 */
static bool take_part(struct str *text, char what, struct date *date)
{
	switch (what) {
	case 'w':
		return take_name(text, day_names) > 0;
	case 'W':
		return take_name(text, long_day_names) > 0;
	case 'm':
		date->month = take_name(text, month_names);
		return date->month > 0;
	case '_':
		return take_digits(text, take_char(text, ' ') ? 1 : 2, &date->day);
	case 'd':
		return take_digits(text, 2, &date->day);
	case 'h':
		return take_digits(text, 2, &date->hour);
	case 'i':
		return take_digits(text, 2, &date->minute);
	case 's':
		return take_digits(text, 2, &date->second);
	case 'Y':
		return take_digits(text, 4, &date->year);
	case 'y':
		if (!take_digits(text, 2, &date->year))
			return false;
		/* A codec has no clock to ask for "not more than 50 years from now". */
		date->year += date->year < 70 ? 2000 : 1900;
		return true;
	default:
		return take_char(text, what);
	}
}

static bool take_date(struct str text, const char *pattern, struct date *ret_date)
{
	for (; *pattern; pattern++)
		if (!take_part(&text, *pattern, ret_date))
			return false;
	return text.len == 0;
}

static bool is_leap(unsigned year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static unsigned days_in_month(unsigned year, unsigned month)
{
	static const uint8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

	return days[month - 1] + (month == 2 && is_leap(year));
}

static int64_t seconds_of(const struct date *date)
{
	int64_t before = (int64_t)date->year - 1, days;

	days = before * 365 + before / 4 - before / 100 + before / 400 - 719162; /* of the years before 1970 */
	for (unsigned month = 1; month < date->month; month++)
		days += days_in_month(date->year, month);
	days += date->day - 1;
	return ((days * 24 + date->hour) * 60 + date->minute) * 60 + date->second;
}

int http_date_parse(struct str value, int64_t *ret_seconds)
{
	/* RFC 9110, 5.6.7: the one to write, and the two of old. G, M and T stand for themselves. */
	static const char *const patterns[] = { "w, d m Y h:i:s GMT", "W, d-m-y h:i:s GMT", "w m _ h:i:s Y" };

	for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
		struct date date = { 0 };

		if (!take_date(value, patterns[i], &date))
			continue;
		if (date.year == 0 || date.day == 0 || date.day > days_in_month(date.year, date.month) ||
			date.hour > 23 || date.minute > 59 || date.second > 60)
			return -EINVAL;
		*ret_seconds = seconds_of(&date);
		return 0;
	}
	return -EINVAL;
}

/* The weight of RFC 9110, 12.4.2: 0 to 1 with at most three decimals. */
static bool is_positive_weight(struct str text)
{
	bool positive = false;

	if (text.len == 0 || text.len > 5 || (text.p[0] != '0' && text.p[0] != '1') ||
		(text.len > 1 && text.p[1] != '.'))
		return false;
	for (size_t i = 2; i < text.len; i++) {
		if (!is_digit(text.p[i]) || (text.p[0] == '1' && text.p[i] != '0'))
			return false;
		positive |= text.p[i] != '0';
	}
	return positive || text.p[0] == '1';
}

static bool is_wanted(struct str params)
{
	while (params.len) {
		struct str value = str_cut(&params, ';'), name;

		name = str_cut(&value, '=');
		if (str_is_nocase(str_trim(name), "q"))
			return is_positive_weight(str_trim(value));
	}
	return true;
}

/* Whether a name of a caller means what we have: the same, or of our "image/" any. */
static bool is_same_type(struct str name, const char *media_type)
{
	size_t family = strcspn(media_type, "*");

	if (media_type[family] == '\0')
		return str_is_nocase(name, media_type);
	return name.len > family && strncasecmp(name.p, media_type, family) == 0;
}

bool accept_names(struct str accept, const char *media_type)
{
	struct str item;

	while (head_list_next(&accept, &item)) {
		struct str name = str_cut(&item, ';');

		if (is_same_type(str_trim(name), media_type) && is_wanted(item))
			return true;
	}
	return false;
}
