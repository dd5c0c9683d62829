/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/token.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/memops.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void token_digest(struct str secret, uint8_t ret_hash[static TOKEN_HASH_SIZE])
{
	struct sha256_ctx sha;

	sha256_init(&sha);
	sha256_update(&sha, secret.len, (const uint8_t *)secret.p);
	sha256_digest(&sha, TOKEN_HASH_SIZE, ret_hash);
	explicit_bzero(&sha, sizeof sha);
}

int token_parse_digest(struct str hex, uint8_t ret_hash[static TOKEN_HASH_SIZE])
{
	uint8_t hash[TOKEN_HASH_SIZE];

	if (hex.len != 2 * sizeof hash)
		return -EINVAL;
	for (size_t i = 0; i < sizeof hash; i++) {
		int high = str_hex_digit(hex.p[2 * i]), low = str_hex_digit(hex.p[2 * i + 1]);

		if (high < 0 || low < 0)
			return -EINVAL;
		hash[i] = (uint8_t)(high << 4 | low);
	}
	memcpy(ret_hash, hash, sizeof hash);
	return 0;
}

ptrdiff_t token_find(const uint8_t (*hashes)[TOKEN_HASH_SIZE], size_t count, const uint8_t hash[static TOKEN_HASH_SIZE])
{
	size_t found = 0; /* index + 1 */

	/* Hashes are unique, so the sum is the one that matched: no branch on the secret. */
	for (size_t i = 0; i < count; i++)
		found += (size_t)(memeql_sec(hashes[i], hash, TOKEN_HASH_SIZE) != 0) * (i + 1);
	return (ptrdiff_t)found - 1;
}

bool token_equal(struct str a, struct str b)
{
	uint8_t hash_a[TOKEN_HASH_SIZE], hash_b[TOKEN_HASH_SIZE];

	token_digest(a, hash_a);
	token_digest(b, hash_b);
	return memeql_sec(hash_a, hash_b, TOKEN_HASH_SIZE);
}

/* Takes `digits` digits from the front. */
static int take_number(struct str *text, size_t digits, int *ret_value)
{
	uint64_t value;

	if (text->len < digits || str_to_u64((struct str){ text->p, digits }, &value) < 0)
		return -EINVAL;
	text->p += digits;
	text->len -= digits;
	*ret_value = (int)value;
	return 0;
}

static int take_char(struct str *text, const char *set)
{
	if (text->len == 0 || !strchr(set, text->p[0]) || text->p[0] == '\0')
		return -EINVAL;
	text->p++;
	text->len--;
	return 0;
}

static int take_date(struct str *text, struct tm *when)
{
	if (take_number(text, 4, &when->tm_year) < 0 || take_char(text, "-") < 0 ||
		take_number(text, 2, &when->tm_mon) < 0 || take_char(text, "-") < 0 ||
		take_number(text, 2, &when->tm_mday) < 0)
		return -EINVAL;
	when->tm_year -= 1900;
	when->tm_mon--;
	return 0;
}

static int take_time(struct str *text, struct tm *when)
{
	if (take_char(text, "Tt ") < 0 || take_number(text, 2, &when->tm_hour) < 0 || take_char(text, ":") < 0 ||
		take_number(text, 2, &when->tm_min) < 0 || take_char(text, ":") < 0 ||
		take_number(text, 2, &when->tm_sec) < 0)
		return -EINVAL;
	if (take_char(text, ".") < 0)
		return 0;
	if (take_char(text, "0123456789") < 0)
		return -EINVAL;
	while (take_char(text, "0123456789") == 0)
		continue;
	return 0;
}

/* "Z" or "+01:00": seconds east of UTC. */
static int take_offset(struct str *text, int *ret_seconds)
{
	int sign = text->len && text->p[0] == '-' ? -1 : 1;
	int hours, minutes;

	if (take_char(text, "Zz") == 0) {
		*ret_seconds = 0;
		return 0;
	}
	if (take_char(text, "+-") < 0 || take_number(text, 2, &hours) < 0 || take_char(text, ":") < 0 ||
		take_number(text, 2, &minutes) < 0 || hours > 23 || minutes > 59)
		return -EINVAL;
	*ret_seconds = sign * (hours * 3600 + minutes * 60);
	return 0;
}

int token_parse_time(struct str text, int64_t *ret_seconds)
{
	struct tm when = { 0 }, same;
	int offset = 0;
	time_t seconds;

	if (take_date(&text, &when) < 0)
		return -EINVAL;
	if (text.len && (take_time(&text, &when) < 0 || take_offset(&text, &offset) < 0 || text.len))
		return -EINVAL;
	/* timegm() makes something of the 31st of February; what comes back must be what went in. */
	same = when;
	seconds = timegm(&same);
	if (same.tm_year != when.tm_year || same.tm_mon != when.tm_mon || same.tm_mday != when.tm_mday ||
		same.tm_hour != when.tm_hour || same.tm_min != when.tm_min || same.tm_sec != when.tm_sec)
		return -EINVAL;
	*ret_seconds = (int64_t)seconds - offset;
	return 0;
}

int token_check(struct str secret, const char *what, struct err *err)
{
	struct str trimmed = str_trim(secret);

	if (trimmed.len == 0)
		return err_set(err, ERR_ARGS_INVALID, "%s is empty", what);
	if (secret.len > TOKEN_BYTES_MAX)
		return err_set(err, ERR_ARGS_INVALID, "%s is longer than %d bytes", what, TOKEN_BYTES_MAX);
	if (trimmed.len != secret.len)
		return err_set(
			err, ERR_ARGS_INVALID, "%s begins or ends with a blank, which no header can carry", what);
	for (size_t i = 0; i < secret.len; i++) {
		if ((unsigned char)secret.p[i] < ' ' || secret.p[i] == 0x7f)
			return err_set(err, ERR_ARGS_INVALID, "%s holds a control character", what);
	}
	return 0;
}

static ssize_t read_all(int fd, char *to, size_t size)
{
	size_t len = 0;

	while (len < size) {
		ssize_t got = read(fd, to + len, size - len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		len += (size_t)got;
	}
	return (ssize_t)len;
}

static size_t without_newline(const char *text, size_t len)
{
	if (len && text[len - 1] == '\n')
		len--;
	if (len && text[len - 1] == '\r')
		len--;
	return len;
}

char *token_read_file(const char *path, struct err *err)
{
	AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	char text[TOKEN_BYTES_MAX + 3] = { 0 };
	char *secret = NULL;
	AUTOFREE char *what = NULL;
	ssize_t len;

	if (fd < 0) {
		err_system(err, errno, "the token file '%s' cannot be read", path);
		return NULL;
	}
	len = read_all(fd, text, sizeof text - 1);
	if (len < 0) {
		err_system(err, (int)-len, "the token file '%s' cannot be read", path);
		return NULL;
	}
	if (asprintf(&what, "the token file '%s'", path) < 0)
		abort();
	len = (ssize_t)without_newline(text, (size_t)len);
	if (token_check((struct str){ text, (size_t)len }, what, err) == 0) {
		text[len] = '\0';
		secret = mem_strdup(text);
	}
	explicit_bzero(text, sizeof text);
	return secret;
}
