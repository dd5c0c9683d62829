/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/system/host_files.h"

#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 8192, PIECE = 16 * 1024, NUMBER_MAX = 64 };

char *host_read(const char *root, const char *path, size_t max)
{
	char full[PATH_SIZE];
	AUTOCLOSE int fd = -1;
	AUTOBUF struct buf text;
	struct stat st;

	buf_init(&text, max + PIECE);
	if ((size_t)snprintf(full, sizeof full, "%s%s", root, path) >= sizeof full)
		return NULL;
	fd = open(full, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	for (;;) {
		char *to = buf_reserve(&text, PIECE);
		ssize_t got = to ? read(fd, to, PIECE) : -1;

		if (got < 0 && to && errno == EINTR)
			continue;
		if (got < 0 || text.len + (size_t)got > max)
			return NULL;
		if (got == 0)
			break;
		buf_commit(&text, (size_t)got);
	}
	buf_addc(&text, '\0');
	return buf_take(&text, &(size_t){ 0 });
}

int host_read_number(const char *root, const char *path, uint64_t *ret_value)
{
	AUTOFREE char *text = host_read(root, path, NUMBER_MAX);
	char *end;

	if (!text)
		return -ENOENT;
	if (text[0] < '0' || text[0] > '9')
		return -EINVAL;
	errno = 0;
	*ret_value = strtoull(text, &end, 10);
	return errno || (*end && *end != '\n') ? -EINVAL : 0;
}

bool host_find_number(const char *text, const char *name, uint64_t *ret_value)
{
	struct str rest = str_of(text);
	size_t len = strlen(name);

	while (rest.len) {
		struct str line = str_cut(&rest, '\n');
		struct str number;

		if (line.len <= len || memcmp(line.p, name, len) != 0)
			continue;
		number = (struct str){ line.p + len, line.len - len };
		if (number.p[0] == ':') {
			number.p++;
			number.len--;
		} else if (number.p[0] != ' ' && number.p[0] != '\t') {
			continue;
		}
		number = str_trim(number);
		return str_to_u64(str_cut(&number, ' '), ret_value) == 0;
	}
	return false;
}
