/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>

enum { ARENA_MAX = 16 * 1024 * 1024 }; /* of places: the budget ends it earlier */

struct sink_file {
	struct sink_file *next;
	struct place *place; /* of a form's file: the arena's, to be closed */
	struct target target;
	int64_t bytes;
	bool is_complete;
};

static struct sink_file *last_file(const struct sink *s)
{
	return s->count ? OWNER(s->last, struct sink_file, next) : NULL;
}

/* The place is the sink's when it is one of a form. */
static int add_file(struct sink *s, struct place *place, struct place *owned, struct err *err)
{
	struct sink_file *file = mem_new(struct sink_file);

	file->place = owned;
	file->target.fd = file->target.nearest_fd = -1;
	*s->last = file;
	s->last = &file->next;
	s->count++;
	return target_open(&file->target, place, &s->how, err);
}

/* The folder of a form; like those above it, it may be made with the files at the end. */
static int check_folder(const struct sink *s, struct err *err)
{
	struct stat st;
	int status = -ENOENT;

	if (!s->place->missing)
		status = fstatat(s->place->parent_fd, s->place->name, &st, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
	if (status == -ENOENT && s->makes_parents)
		return 0;
	if (status == 0 && !S_ISDIR(st.st_mode))
		status = -ENOTDIR;
	return status < 0 ? err_system(err, -status, "'%s'", s->place->given) : 0;
}

static int open_form(struct sink *s, struct err *err)
{
	s->is_form = true;
	if (multipart_init(&s->form, s->call->http.content_type) < 0)
		return err_set(err, ERR_ARGS_MEDIA, "the Content-Type is not multipart/form-data with a boundary");
	return check_folder(s, err);
}

int sink_open(struct sink *s, struct call *call, int64_t max_files, struct err *err)
{
	const struct upload_in *in = call_in(call, struct upload_in);

	*s = (struct sink){ .call = call, .place = in->path.place, .max_files = max_files };
	s->last = &s->first;
	arena_init(&s->arena, ARENA_MAX);
	s->how.create_only = in->create_only || str_is(call->http.if_none_match, "*");
	s->how.append = in->append;
	s->how.if_match = call->http.if_match;
	s->how.has_mode = in->mode != NULL;
	s->how.durable = policy_fsync(principal_policy(call->caller));
	if (files_parse_mode(in->mode, &s->how.mode, err) < 0)
		return -1;
	s->makes_parents = in->parents;
	if (s->place->missing && !in->parents)
		return err_system(err, ENOENT, "'%s'", s->place->given);
	return call->http.multipart ? open_form(s, err) : add_file(s, s->place, NULL, err);
}

static bool is_taken(const struct sink *s, const char *path)
{
	for (const struct sink_file *file = s->first; file; file = file->next) {
		if (strcmp(file->target.place->path, path) == 0)
			return true;
	}
	return false;
}

/* A name is one part of a path and nothing that leads elsewhere. */
static int check_name(const char *name, size_t len, struct err *err)
{
	if (len == 0 || len > NAME_MAX || memchr(name, '/', len) || memchr(name, '\0', len) ||
		str_is((struct str){ name, len }, ".") || str_is((struct str){ name, len }, ".."))
		return err_set(err, ERR_ARGS_INVALID, "a part of the form has a file name that is not a name: '%.*s'",
			(int)MIN(len, 80), name);
	return 0;
}

static int begin_part(struct sink *s, struct err *err)
{
	const char *name = s->form.filename, *path;
	size_t len = s->form.filename_len;
	struct place *place;

	if (check_name(name, len, err) < 0)
		return -1;
	if ((int64_t)s->count >= s->max_files)
		return call_over_limit(
			s->call, "max_files", err, "the form has over %lld files", (long long)s->max_files);
	path = arena_printf(&s->arena, "%s/%.*s", s->place->path[1] ? s->place->path : "", (int)len, name);
	if (!path)
		return err_set(err, ERR_BUSY, "memory is used up");
	place = place_resolve(
		&s->arena, s->call->caller, str_of(path), F_WRITE | (s->makes_parents ? F_MISSING_OK : 0), err);
	if (!place)
		return -1;
	if (is_taken(s, place->path)) {
		place_close(place);
		return err_set(err, ERR_ARGS_INVALID, "the form has two files '%.*s'", (int)len, name);
	}
	return add_file(s, place, place, err);
}

static int write_part(struct sink *s, struct str data, bool is_file, struct err *err)
{
	struct sink_file *file = last_file(s);

	if (!is_file || !file)
		return 0; /* a field that is no file */
	file->bytes += (int64_t)data.len;
	return target_write(&file->target, data.p, data.len, err);
}

static int write_form(struct sink *s, struct str bytes, struct err *err)
{
	for (;;) {
		enum multipart_event event;
		struct str data;
		struct sink_file *file = last_file(s);
		int status = 0;

		if (multipart_next(&s->form, &bytes, &event, &data) < 0)
			return err_set(err, ERR_ARGS_INVALID, "the form is malformed");
		if (event == MULTIPART_MORE || event == MULTIPART_DONE)
			return 0;
		if (event == MULTIPART_PART)
			status = begin_part(s, err);
		else if (event == MULTIPART_DATA)
			status = write_part(s, data, file && !file->is_complete, err);
		else if (event == MULTIPART_END && file)
			file->is_complete = true;
		if (status < 0)
			return -1;
	}
}

int sink_write(struct sink *s, const char *bytes, size_t len, struct err *err)
{
	if (s->is_form)
		return write_form(s, (struct str){ bytes, len }, err);
	s->first->bytes += (int64_t)len;
	return target_write(&s->first->target, bytes, len, err);
}

static int check_form(const struct sink *s, struct err *err)
{
	if (!multipart_done(&s->form))
		return err_set(err, ERR_ARGS_INVALID, "the form ends before its final boundary");
	return s->count ? 0 : err_set(err, ERR_ARGS_MISSING, "the form holds no file");
}

static int describe(struct sink *s, const struct sink_file *file, struct upload_file *to)
{
	const char *path = arena_strdup(&s->call->arena, file->target.place->path);

	*to = (struct upload_file){
		.path = { path, path ? strlen(path) : 0 },
		.bytes = file->bytes,
		.etag = arena_strdup(&s->call->arena, file->target.etag),
	};
	to->path_b64 = files_exact(to->path);
	return path && to->etag ? 0 : -1;
}

int sink_commit(struct sink *s, struct err *err)
{
	size_t i = 0;

	if (s->is_form && check_form(s, err) < 0)
		return -1;
	s->files = arena_array(&s->call->arena, struct upload_file, s->count);
	if (!s->files)
		return err_set(err, ERR_BUSY, "memory is used up");
	for (struct sink_file *file = s->first; file; file = file->next, i++) {
		if (target_commit(&file->target, err) < 0)
			return -1;
		if (describe(s, file, &s->files[i]) < 0)
			return err_set(err, ERR_BUSY, "memory is used up");
	}
	return 0;
}

void sink_done(struct sink *s)
{
	for (struct sink_file *file = s->first, *next; file; file = next) {
		next = file->next;
		target_done(&file->target);
		place_close(file->place);
		free(file);
	}
	if (s->is_form)
		multipart_free(&s->form);
	arena_free(&s->arena);
	*s = (struct sink){ 0 };
}
