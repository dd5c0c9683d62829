/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/pack.h"

#include "base/utf8.h"
#include "ops/files/charset.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

enum { CHUNK_SIZE = 64 * 1024, MADE_MAX = 160 << 20, SKIPPED_MAX = 1000, ARENA_MAX = 32 << 20 };

const char *const pack_formats[] = { "tar", "tar.gz", "tar.zst", "zip", NULL };

static const char SHORTER[] = "it got shorter while it was read: filled up with zeros";
static const char CHANGED[] = "it changed while it was read";

static char *keep(struct pack *p, const char *text)
{
	return arena_strdup(&p->arena, text);
}

/* A place that lives as long as this: its folder is opened once more. */
static int keep_place(struct pack *p, const struct place *from)
{
	struct place *to = &p->places[p->place_count];

	*to = (struct place){ .name = keep(p, from->name),
		.path = keep(p, from->path),
		.given = keep(p, from->given),
		.is_root = from->is_root,
		.missing = from->missing };
	to->parent_fd = from->missing ? -1 : fcntl(from->parent_fd, F_DUPFD_CLOEXEC, 0);
	p->place_count++;
	return to->name && to->path && to->given && (from->missing || to->parent_fd >= 0) ? 0 : -1;
}

int pack_init(struct pack *p, struct call *call, const struct list *paths, struct err *err)
{
	const struct path_arg *args = paths->items;
	int status = 0;

	p->fd = -1;
	p->who = call->caller;
	p->policy = policy_ref((struct policy *)principal_policy(call->caller));
	buf_init_budgeted(&p->made, MADE_MAX);
	pack_links_init(&p->links);
	arena_init(&p->arena, ARENA_MAX);
	p->places = arena_array(&p->arena, struct place, paths->count + 1);
	for (size_t i = 0; p->places && status == 0 && i < paths->count; i++)
		status = keep_place(p, args[i].place);
	if (status == 0 && p->places)
		return 0;
	return err_set(err, ERR_BUSY, "memory or descriptors are used up");
}

void pack_done(struct pack *p)
{
	p->dead = true;
	if (p->walking)
		walk_done(&p->walk);
	close_fd(p->fd);
	archive_entry_free(p->entry);
	if (p->archive)
		archive_write_free(p->archive);
	buf_free(&p->made);
	pack_links_done(&p->links);
	for (size_t i = 0; i < p->place_count; i++)
		close_fd(p->places[i].parent_fd);
	arena_free(&p->arena);
	policy_unref(p->policy);
}

static la_ssize_t write_made(struct archive *a, void *user, const void *bytes, size_t len)
{
	struct pack *p = user;

	(void)a;
	if (!p->dead)
		buf_add(&p->made, bytes, len);
	return (la_ssize_t)len;
}

static int broken(struct pack *p, struct err *err)
{
	const char *why = archive_error_string(p->archive);

	if (buf_failed(&p->made))
		return err_set(err, ERR_BUSY, "memory is used up: ask for application/octet-stream");
	return err_set(err, ERR_FILES_IO, "cannot make the archive: %s", why ? why : "out of memory");
}

/* GNU's format is what tar itself writes: quick to make, and any name and size has room in it. */
static int set_writer(struct archive *a, enum pack_format format)
{
	return format == PACK_ZIP ? archive_write_set_format_zip(a) : archive_write_set_format_gnutar(a);
}

static int begin(struct pack *p, struct err *err)
{
	p->chunk = arena_alloc(&p->arena, CHUNK_SIZE);
	p->archive = archive_write_new();
	p->entry = archive_entry_new();
	if (!p->chunk || !p->archive || !p->entry)
		return err_set(err, ERR_BUSY, "memory is used up");
	archive_write_set_bytes_per_block(p->archive, 0); /* ours are blocks already */
	archive_write_set_bytes_in_last_block(p->archive, 1);
	if (set_writer(p->archive, p->format) < ARCHIVE_WARN)
		return broken(p, err);
	return archive_write_open(p->archive, p, NULL, write_made, NULL) < ARCHIVE_WARN ? broken(p, err) : 0;
}

static void skip(struct pack *p, const char *path, const char *reason)
{
	struct pack_skipped *s;
	char *copy;

	p->skipped_total++;
	if (!p->skipped)
		p->skipped = arena_alloc(&p->arena, SKIPPED_MAX * sizeof *p->skipped);
	copy = p->skipped && p->skipped_count < SKIPPED_MAX ? keep(p, path) : NULL;
	if (!copy)
		return;
	s = &p->skipped[p->skipped_count++];
	*s = (struct pack_skipped){ .path = str_of(copy), .reason = reason };
	s->path_b64 = files_exact(s->path);
}

static const char *why_not(int number)
{
	return number == EACCES || number == EPERM ? "the operating system does not let it be read"
	       : number == ENOENT                  ? "it went away meanwhile"
						   : "it cannot be read";
}

/* Readers of a zip take a backslash for a slash of Windows, unless a true slash stands beside it. */
static void set_name(struct pack *p, const char *name)
{
	char dotted[sizeof "./" + NAME_MAX];

	if (p->format == PACK_ZIP && strchr(name, '\\') && !strchr(name, '/')) {
		snprintf(dotted, sizeof dotted, "./%s", name);
		name = dotted;
	}
	archive_entry_set_pathname(p->entry, name);
}

static void describe(struct pack *p, const char *name, const struct stat *st)
{
	struct archive_entry *e = archive_entry_clear(p->entry);

	set_name(p, name);
	archive_entry_set_filetype(e, st->st_mode & S_IFMT);
	archive_entry_set_perm(e, st->st_mode & 07777);
	archive_entry_set_uid(e, st->st_uid);
	archive_entry_set_gid(e, st->st_gid);
	archive_entry_set_mtime(e, st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
	archive_entry_set_size(e, S_ISREG(st->st_mode) ? st->st_size : 0);
}

/*
 * A zip marks names as UTF-8 where the locale is; one that is not goes in as bytes without the mark, or readers that
 * believe it give up.
 */
static int put_header(struct pack *p, struct err *err)
{
	bool is_utf8 = p->format != PACK_ZIP || utf8_valid(str_of(archive_entry_pathname(p->entry)));
	int status;

	if (p->max_files && p->files >= p->max_files) {
		p->too_many = true;
		return -1;
	}
	p->files++;
	if (!is_utf8)
		charset_leave(p->charset);
	status = archive_write_header(p->archive, p->entry);
	if (!is_utf8)
		p->charset = charset_enter();
	return status < ARCHIVE_WARN ? broken(p, err) : 0;
}

static int put_symlink(
	struct pack *p, int dir_fd, const char *name, const char *as, const struct stat *st, struct err *err)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(dir_fd, name, target, sizeof target - 1);

	if (len < 0) {
		skip(p, p->path, why_not(errno));
		return 0;
	}
	target[len] = '\0';
	describe(p, as, st);
	archive_entry_set_symlink(p->entry, target);
	return put_header(p, err);
}

/* Another name of a file that is there already; a zip knows no such thing. */
static bool is_link(struct pack *p, const char *as)
{
	const char *first = p->st.st_nlink > 1 && p->format != PACK_ZIP ? pack_links_name(&p->links, &p->st, as) : NULL;

	if (!first)
		return false;
	archive_entry_set_hardlink(p->entry, first);
	archive_entry_set_size(p->entry, 0);
	return true;
}

/* The file stays open, and its bytes follow step by step. */
static int put_file(struct pack *p, int dir_fd, const char *name, const char *as, struct err *err)
{
	AUTOCLOSE int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &p->st) < 0 || !S_ISREG(p->st.st_mode)) {
		skip(p, p->path, why_not(fd < 0 ? errno : EIO));
		return 0;
	}
	describe(p, as, &p->st);
	if (!is_link(p, as)) {
		p->left = p->st.st_size;
		p->is_short = false;
		p->fd = take_fd(&fd);
	}
	return put_header(p, err);
}

/* Takes chunks as the header announced them, whatever became of the file. */
static int put_chunk(struct pack *p, struct err *err)
{
	size_t want = (size_t)MIN(p->left, (int64_t)CHUNK_SIZE);
	ssize_t len = p->is_short ? 0 : read(p->fd, p->chunk, want);

	if (len <= 0 && !p->is_short) {
		skip(p, p->path, len < 0 ? "it could not be read to its end: filled up with zeros" : SHORTER);
		p->is_short = true;
	}
	if (len <= 0) {
		memset(p->chunk, 0, want);
		len = (ssize_t)want;
	}
	p->left -= len;
	return archive_write_data(p->archive, p->chunk, (size_t)len) < 0 ? broken(p, err) : 0;
}

static void end_file(struct pack *p)
{
	struct stat now;

	if (!p->is_short && fstat(p->fd, &now) == 0 &&
		(now.st_size != p->st.st_size || now.st_mtim.tv_sec != p->st.st_mtim.tv_sec ||
			now.st_mtim.tv_nsec != p->st.st_mtim.tv_nsec))
		skip(p, p->path, CHANGED);
	close_fd(p->fd);
	p->fd = -1;
}

static int put_entry(
	struct pack *p, int dir_fd, const char *name, const char *as, const struct stat *st, struct err *err)
{
	if (S_ISREG(st->st_mode))
		return put_file(p, dir_fd, name, as, err);
	if (S_ISLNK(st->st_mode))
		return put_symlink(p, dir_fd, name, as, st, err);
	if (!S_ISDIR(st->st_mode)) {
		skip(p, p->path, "it is a device, a FIFO or a socket");
		return 0;
	}
	describe(p, as, st);
	return put_header(p, err);
}

static int walk_failed(struct pack *p, int number, struct err *err)
{
	return err_system(err, number, "cannot look into '%s'", p->path);
}

static int enter_folder(struct pack *p, struct err *err)
{
	int status = walk_enter(&p->walk);

	if (status == -ENOMEM || status == -EMFILE || status == -ENFILE)
		return walk_failed(p, -status, err);
	if (status < 0)
		skip(p, p->path, why_not(-status));
	return 0;
}

static int walk_on(struct pack *p, struct err *err)
{
	struct walk *w = &p->walk;
	int event = walk_next(w);
	struct stat st;

	p->path = w->path.data;
	if (event < 0)
		return walk_failed(p, -event, err);
	if (event == WALK_END) {
		p->walking = false;
		walk_done(w);
	}
	if (event != WALK_ENTRY || !place_visible(p->who, p->path))
		return 0;
	if (w->type == DT_REG) /* it is looked at when it is open */
		return put_file(p, w->dir_fd, w->name, p->path + p->name_at, err);
	if (fstatat(w->dir_fd, w->name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		skip(p, p->path, why_not(errno));
		return 0;
	}
	if (put_entry(p, w->dir_fd, w->name, p->path + p->name_at, &st, err) < 0)
		return -1;
	return S_ISDIR(st.st_mode) ? enter_folder(p, err) : 0;
}

static int start_walk(struct pack *p, const struct place *place, struct err *err)
{
	int fd = place_open_dir(place), status;

	if (fd < 0) {
		skip(p, place->path, why_not(-fd));
		return 0;
	}
	status = walk_start(&p->walk, fd, place->path);
	p->walking = true;
	return status < 0 ? walk_failed(p, -status, err) : 0;
}

static const char *last_part(const struct place *place)
{
	return strrchr(place->path, '/') + 1;
}

/* The next one of the paths; entries are named from its last part on. */
static int start_path(struct pack *p, struct err *err)
{
	const struct place *place = &p->places[p->next_path++];
	struct stat st;

	p->path = place->path;
	p->name_at = (size_t)(last_part(place) - place->path);
	if (files_lstat(place, &st, err) < 0)
		return -1;
	if (place->path[1] && put_entry(p, place->parent_fd, place->name, place->path + p->name_at, &st, err) < 0)
		return -1;
	return S_ISDIR(st.st_mode) ? start_walk(p, place, err) : 0;
}

static int finish(struct pack *p, struct err *err)
{
	p->finished = true;
	return archive_write_close(p->archive) < ARCHIVE_WARN ? broken(p, err) : 0;
}

static int step(struct pack *p, struct err *err)
{
	if (p->fd >= 0) {
		if (p->left > 0)
			return put_chunk(p, err);
		end_file(p);
		return 0;
	}
	if (p->walking)
		return walk_on(p, err);
	return p->next_path < p->place_count ? start_path(p, err) : finish(p, err);
}

static int by_last_part(const void *a, const void *b)
{
	return strcmp(last_part(*(const struct place *const *)a), last_part(*(const struct place *const *)b));
}

/* Who unpacks two entries of one name has only the second. */
static int check_names(struct pack *p, struct err *err)
{
	const struct place **sorted = arena_array(&p->arena, const struct place *, p->place_count + 1);

	if (!sorted)
		return err_set(err, ERR_BUSY, "memory is used up");
	for (size_t i = 0; i < p->place_count; i++)
		sorted[i] = &p->places[i];
	qsort(sorted, p->place_count, sizeof *sorted, by_last_part);
	for (size_t i = 1; i < p->place_count; i++) {
		if (by_last_part(&sorted[i - 1], &sorted[i]) == 0)
			return err_set(err, ERR_ARGS_INVALID, "'%s' and '%s' would have the same name in the archive",
				sorted[i - 1]->given, sorted[i]->given);
	}
	return 0;
}

/* All paths are looked at before the first byte, so that what is missing is an error of the whole. */
static int check_paths(struct pack *p, struct err *err)
{
	if (check_names(p, err) < 0)
		return -1;
	for (size_t i = 0; i < p->place_count; i++) {
		struct stat st;

		if (files_lstat(&p->places[i], &st, err) < 0)
			return -1;
	}
	return begin(p, err);
}

int pack_step(struct pack *p, size_t piece, struct err *err)
{
	int status;

	p->charset = charset_enter();
	status = p->archive ? 0 : check_paths(p, err);
	while (status == 0 && !p->finished && p->made.len < piece) {
		if (job_stopped(p->job))
			status = err_set(err, ERR_FILES_BUSY, "stopped before the end");
		else
			status = step(p, err);
		if (status == 0 && buf_failed(&p->made))
			status = broken(p, err);
	}
	charset_leave(p->charset);
	return status;
}
