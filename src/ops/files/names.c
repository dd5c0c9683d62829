/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/names.h"

#include "base/budget.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

enum { TEXT_MAX = 1 << 30, AT_FIRST = 64 };

/* How sorting reaches the text: qsort_r's argument. */
static int compare(const void *a, const void *b, void *text)
{
	return strcmp((const char *)text + *(const size_t *)a + 1, (const char *)text + *(const size_t *)b + 1);
}

static void sort(struct names *n)
{
	if (n->count)
		qsort_r(n->at, n->count, sizeof *n->at, compare, n->text.data);
}

static int grow(struct names *n)
{
	size_t cap = n->cap ? n->cap * 2 : AT_FIRST;
	size_t *grown;

	if (!budget_take((cap - n->cap) * sizeof *n->at))
		return -ENOMEM;
	grown = realloc(n->at, cap * sizeof *n->at);
	if (!grown) {
		budget_give((cap - n->cap) * sizeof *n->at);
		return -ENOMEM;
	}
	n->at = grown;
	n->cap = cap;
	return 0;
}

/* Keeps the first `most` by order, and their text only. */
static int keep_first(struct names *n, size_t most)
{
	struct buf kept;

	sort(n);
	if (n->count <= most)
		return 0;
	n->more = true;
	n->count = most;
	buf_init_budgeted(&kept, TEXT_MAX);
	for (size_t i = 0; i < most; i++) {
		const char *from = n->text.data + n->at[i];

		n->at[i] = kept.len;
		buf_add(&kept, from, strlen(from + 1) + 2);
	}
	buf_free(&n->text);
	n->text = kept;
	return buf_failed(&n->text) ? -ENOMEM : 0;
}

static int add(struct names *n, const struct dirent *entry, bool sorted)
{
	if (sorted) {
		if (n->count == n->cap && grow(n) < 0)
			return -ENOMEM;
		n->at[n->count] = n->text.len;
	}
	n->count++;
	buf_addc(&n->text, (char)entry->d_type);
	buf_add(&n->text, entry->d_name, strlen(entry->d_name) + 1);
	return buf_failed(&n->text) ? -ENOMEM : 0;
}

static bool is_dots(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static int read_all(struct names *n, DIR *dir, size_t most, bool hidden)
{
	bool sorted = most != SIZE_MAX;
	const struct dirent *entry;

	for (errno = 0; (entry = readdir(dir)); errno = 0) {
		if (is_dots(entry->d_name) || (!hidden && entry->d_name[0] == '.'))
			continue;
		if (add(n, entry, sorted) < 0)
			return -ENOMEM;
		if (sorted && n->count / 2 > most && keep_first(n, most) < 0)
			return -ENOMEM;
	}
	if (errno)
		return -errno;
	return sorted ? keep_first(n, most) : 0;
}

static int start(struct names *n, int dir_fd, size_t most, bool hidden)
{
	int fd = fcntl(dir_fd, F_DUPFD_CLOEXEC, 3), status;
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;

	*n = (struct names){ 0 };
	buf_init_budgeted(&n->text, TEXT_MAX);
	if (!dir) {
		status = -errno;
		close_fd(fd);
		return status;
	}
	rewinddir(dir); /* the position is shared with dir_fd */
	status = read_all(n, dir, most, hidden);
	closedir(dir);
	if (status < 0)
		names_free(n);
	return status;
}

int names_read(struct names *n, int dir_fd)
{
	return start(n, dir_fd, SIZE_MAX, true);
}

int names_read_sorted(struct names *n, int dir_fd, size_t most, bool hidden)
{
	return start(n, dir_fd, most, hidden);
}

void names_free(struct names *n)
{
	buf_free(&n->text);
	budget_give(n->cap * sizeof *n->at);
	free(n->at);
	*n = (struct names){ 0 };
}

const char *names_next(const struct names *n, size_t *offset, unsigned char *ret_type)
{
	const char *from;

	if (*offset >= n->text.len)
		return NULL;
	from = n->text.data + *offset;
	*ret_type = (unsigned char)from[0];
	*offset += strlen(from + 1) + 2;
	return from + 1;
}
