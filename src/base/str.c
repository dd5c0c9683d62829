/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include <errno.h>

enum { NEAREST_WORD_MAX = 64, BEGUN_MIN = 3, NUMBER_DIGITS_MAX = 18 };

/* Not tolower(), which asks the locale. */
static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

bool str_is_nocase(struct str a, const char *text)
{
	if (a.len != strlen(text))
		return false;
	for (size_t i = 0; i < a.len; i++) {
		if (lower(a.p[i]) != lower(text[i]))
			return false;
	}
	return true;
}

bool str_starts(struct str a, const char *prefix)
{
	size_t len = strlen(prefix);

	return a.len >= len && (len == 0 || memcmp(a.p, prefix, len) == 0);
}

bool str_has(struct str a, char c)
{
	return a.len > 0 && memchr(a.p, c, a.len) != NULL;
}

struct str str_cut(struct str *rest, char sep)
{
	const char *at = rest->len ? memchr(rest->p, sep, rest->len) : NULL;
	struct str head = *rest;

	if (!at) {
		*rest = (struct str){ rest->len ? rest->p + rest->len : rest->p, 0 };
		return head;
	}
	head.len = (size_t)(at - rest->p);
	rest->len -= head.len + 1;
	rest->p = at + 1;
	return head;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

struct str str_trim(struct str a)
{
	while (a.len && is_blank(a.p[0])) {
		a.p++;
		a.len--;
	}
	while (a.len && is_blank(a.p[a.len - 1]))
		a.len--;
	return a;
}

int str_to_u64(struct str a, uint64_t *ret_value)
{
	uint64_t value = 0;

	if (a.len == 0 || a.len > NUMBER_DIGITS_MAX)
		return -EINVAL;
	for (size_t i = 0; i < a.len; i++) {
		if (a.p[i] < '0' || a.p[i] > '9')
			return -EINVAL;
		value = value * 10 + (uint64_t)(a.p[i] - '0');
	}
	*ret_value = value;
	return 0;
}

int str_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

size_t str_distance(struct str a, struct str b)
{
	size_t row[NEAREST_WORD_MAX + 1];

	if (a.len > NEAREST_WORD_MAX || b.len > NEAREST_WORD_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= b.len; j++)
		row[j] = j;
	for (size_t i = 1; i <= a.len; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b.len; j++) {
			size_t above = row[j];
			size_t change = diagonal + (a.p[i - 1] != b.p[j - 1]);

			row[j] = MIN(MIN(above, row[j - 1]) + 1, change);
			diagonal = above;
		}
	}
	return row[b.len];
}

const char *str_nearest(struct str word, const char *const *list)
{
	const char *best = NULL;
	size_t best_distance = SIZE_MAX;

	for (; *list; list++) {
		/* Who begins a word and leaves it means that word. */
		bool is_begun = word.len >= BEGUN_MIN && strncmp(*list, word.p, word.len) == 0;
		size_t distance = is_begun ? 1 : str_distance(word, str_of(*list));

		if (distance < best_distance) {
			best = *list;
			best_distance = distance;
		}
	}
	/* A third of the word may be wrong, and something must be right; beyond that a guess only confuses. */
	if (best) {
		size_t longer = MAX(word.len, strlen(best));

		if (best_distance > longer / 3 + 1 || best_distance >= longer)
			best = NULL;
	}
	return best;
}
