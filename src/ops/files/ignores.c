/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/ignores.h"

#include "ops/files/gitignore.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { FILE_MAX = 1 << 20 };

struct ignores_level {
	struct gitignore rules;
	struct buf text;
	size_t depth;    /* of the walk in the folder */
	size_t path_len; /* of the folder, with the slash behind it */
};

/* A file that cannot be read, or is no regular one, says nothing; of a very large one the beginning counts. */
static void read_text(struct buf *text, int dir_fd)
{
	AUTOCLOSE int fd = openat(dir_fd, ".gitignore", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	char *to;
	ssize_t len;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size <= 0)
		return;
	while (text->len < FILE_MAX) {
		to = buf_reserve(text, (size_t)MIN(st.st_size + 1, (off_t)(FILE_MAX - text->len)));
		len = to ? read(fd, to, (size_t)MIN(st.st_size + 1, (off_t)(FILE_MAX - text->len))) : 0;
		if (len <= 0)
			return;
		buf_commit(text, (size_t)len);
	}
}

static int grow(struct ignores *i)
{
	size_t cap = i->cap ? i->cap * 2 : 8;
	struct ignores_level *grown = reallocarray(i->levels, cap, sizeof *grown);

	if (!grown)
		return -ENOMEM;
	i->levels = grown;
	i->cap = cap;
	return 0;
}

int ignores_enter(struct ignores *i, const struct walk *w)
{
	struct ignores_level level = { .depth = w->depth };
	int status;

	buf_init_budgeted(&level.text, FILE_MAX);
	read_text(&level.text, walk_fd(w));
	if (!level.text.len) {
		buf_free(&level.text);
		return 0;
	}
	level.path_len = w->path.len + (w->path.len > 1);
	status = gitignore_parse(&level.rules, buf_str(&level.text));
	if (status == 0 && i->count == i->cap)
		status = grow(i);
	if (status < 0) {
		gitignore_free(&level.rules);
		buf_free(&level.text);
		return status;
	}
	i->levels[i->count++] = level;
	return 0;
}

static void drop_last(struct ignores *i)
{
	struct ignores_level *last = &i->levels[--i->count];

	gitignore_free(&last->rules);
	buf_free(&last->text);
}

void ignores_leave(struct ignores *i, const struct walk *w)
{
	if (i->count && i->levels[i->count - 1].depth == w->depth)
		drop_last(i);
}

void ignores_done(struct ignores *i)
{
	while (i->count)
		drop_last(i);
	free(i->levels);
	*i = (struct ignores){ 0 };
}

bool ignores_has(const struct ignores *i, const struct walk *w, bool is_folder)
{
	for (size_t at = i->count; at > 0; at--) {
		const struct ignores_level *level = &i->levels[at - 1];
		struct str path = { w->path.data + level->path_len, w->path.len - level->path_len };
		enum gitignore_says says = gitignore_ask(&level->rules, path, is_folder);

		if (says != GITIGNORE_NOTHING)
			return says == GITIGNORE_IGNORE;
	}
	return false;
}
