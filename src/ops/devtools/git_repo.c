/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/devtools/git_repo.h"

#include "ops/devtools/git_config.h"
#include "policy/place.h"
#include "program/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT_MAX = 1 << 20, POINTER_MAX = 8192, ALTERNATES_MAX = 64 * 1024 };

/* What the view refers to, in the shared part.  Not there: info/attributes, hooks, config.worktree. */
static const char *const linked[] = { "objects", "refs", "packed-refs", "reftable", "shallow" };

/* The repository's own part; neither must lead out of the roots. */
static const char *const own[] = { "HEAD", "index" };

static struct place *resolve(struct call *call, const char *path)
{
	return place_resolve(&call->arena, call->caller, str_of(path), 0, &call->err);
}

/* A whole small file, without blanks at its end, in the call's memory; p NULL: there is none such. */
static struct str read_place(struct call *call, const struct place *place, size_t max)
{
	AUTOCLOSE int fd = place_open(place, O_RDONLY, 0);
	char *text;
	ssize_t len;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || (size_t)st.st_size > max)
		return (struct str){ NULL, 0 };
	text = call_alloc(call, (size_t)st.st_size + 1);
	len = text ? read(fd, text, (size_t)st.st_size) : -1;
	if (len < 0)
		return (struct str){ NULL, 0 };
	while (len && (text[len - 1] == '\n' || text[len - 1] == '\r'))
		len--;
	text[len] = '\0';
	return (struct str){ text, (size_t)len };
}

static struct str read_text(struct call *call, const char *path, size_t max)
{
	struct place *place = resolve(call, path);
	struct str text = place ? read_place(call, place, max) : (struct str){ NULL, 0 };

	place_close(place);
	return text;
}

static const char *join(struct call *call, const char *folder, const char *path)
{
	return path[0] == '/' ? arena_strdup(&call->arena, path)
			      : arena_printf(&call->arena, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, path);
}

/* The real path behind a pointer found in `folder`; NULL with call->err. */
static const char *follow(struct call *call, const char *folder, const char *path)
{
	const char *joined = join(call, folder, path);
	struct place *place = joined ? resolve(call, joined) : NULL;
	const char *real = place ? place->path : NULL;

	if (!joined)
		err_set(&call->err, ERR_BUSY, "the call needs more memory than is left");
	place_close(place);
	return real;
}

/* 1: found, 0: not here, -1 with call->err. */
static int look_at(struct call *call, const char *folder, struct git_repo *repo)
{
	struct place *place;
	struct str text = { NULL, 0 };
	struct stat st;
	int status = 0;
	const char *path = join(call, folder, ".git");

	place = path ? resolve(call, path) : NULL;
	if (!place)
		return -1;
	if (fstatat(place->parent_fd, place->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		st.st_mode = 0;
	repo->top = folder;
	if (S_ISDIR(st.st_mode)) {
		repo->git_dir = place->path;
		status = 1;
	} else if (S_ISREG(st.st_mode)) {
		text = read_place(call, place, POINTER_MAX);
	}
	place_close(place);
	if (!text.p || !str_starts(text, "gitdir: "))
		return status;
	repo->git_dir = follow(call, folder, text.p + strlen("gitdir: "));
	return repo->git_dir ? 1 : -1;
}

static bool is_reachable(struct call *call, const char *path)
{
	struct place *place = resolve(call, path);

	place_close(place);
	return place != NULL;
}

/* Above the roots nothing is looked at. */
static int find(struct call *call, const struct place *folder, struct git_repo *repo)
{
	char *path = arena_strdup(&call->arena, folder->path);

	while (path && is_reachable(call, path)) {
		char *slash = strrchr(path, '/');
		int status = look_at(call, path, repo);

		if (status != 0)
			return MIN(status, 0);
		if (strcmp(path, "/") == 0)
			break;
		path = arena_strndup(&call->arena, path, slash == path ? 1 : (size_t)(slash - path));
	}
	if (!path)
		return err_set(&call->err, ERR_BUSY, "the call needs more memory than is left");
	call->err = (struct err){ 0 };
	return err_set(&call->err, ERR_GIT_FAILED, "'%s' is in no git repository", folder->given);
}

static int check_inside(struct call *call, const char *folder, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!follow(call, folder, names[i]) && call->err.code != ERR_FILES_NOT_FOUND &&
			call->err.code != ERR_FILES_NOT_DIR)
			return -1;
	}
	return 0;
}

/* Other stores of objects: each inside the roots too. */
static int check_alternates(struct call *call, const char *common)
{
	const char *objects = join(call, common, "objects");
	const char *path = join(call, common, "objects/info/alternates");
	struct str rest = path ? read_text(call, path, ALTERNATES_MAX) : (struct str){ NULL, 0 };

	while (rest.len) {
		struct str line = str_cut(&rest, '\n');
		char *text = arena_strndup(&call->arena, line.p, line.len);

		if (line.len && line.p[0] != '#' && (!text || !objects || !follow(call, objects, text)))
			return -1;
	}
	return 0;
}

static int find_common(struct call *call, struct git_repo *repo)
{
	const char *pointer = join(call, repo->git_dir, "commondir");
	struct str text = pointer ? read_text(call, pointer, POINTER_MAX) : (struct str){ NULL, 0 };

	repo->common = text.len ? follow(call, repo->git_dir, text.p) : repo->git_dir;
	if (!repo->common || check_inside(call, repo->common, linked, ARRAY_LEN(linked)) < 0 ||
		check_inside(call, repo->git_dir, own, ARRAY_LEN(own)) < 0)
		return -1;
	return check_alternates(call, repo->common);
}

/* A file of the view, of the user that git runs as. */
static int write_view(struct call *call, int view_fd, const char *name, const struct buf *text)
{
	const struct run_as *user = policy_user(principal_policy(call->caller), NULL);
	AUTOCLOSE int fd = openat(view_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0 || buf_failed(text) || write(fd, text->data ? text->data : "", text->len) != (ssize_t)text->len)
		return err_system(&call->err, fd < 0 ? errno : ENOSPC, "cannot write a temporary file");
	if (user && fchown(fd, user->uid, user->gid) < 0)
		return err_system(&call->err, errno, "cannot give a temporary file away");
	return 0;
}

static int write_config(struct call *call, const struct git_repo *repo, int view_fd)
{
	const char *path = join(call, repo->common, "config");
	struct str text = path ? read_text(call, path, TEXT_MAX) : (struct str){ NULL, 0 };
	AUTOBUF struct buf kept;

	buf_init(&kept, TEXT_MAX * 2);
	if (git_config_filter(text, &kept) < 0)
		return err_set(&call->err, ERR_GIT_FAILED, "the configuration of the repository is malformed");
	return write_view(call, view_fd, "config", &kept);
}

/* What is ignored here, and the folder of confined programs, where the view itself is then. */
static int write_exclude(struct call *call, const struct git_repo *repo, int view_fd, const char *temp_dir)
{
	const char *path = join(call, repo->common, "info/exclude");
	struct str text = path ? read_text(call, path, TEXT_MAX) : (struct str){ NULL, 0 };
	AUTOBUF struct buf kept;

	buf_init(&kept, TEXT_MAX * 2);
	if (text.p)
		buf_add(&kept, text.p, text.len);
	if (temp_dir)
		buf_adds(&kept, "\n" CONFINE_TEMP_NAME "/\n" CONFINE_TEMP_NAME "-*/\n");
	return write_view(call, view_fd, "info/exclude", &kept);
}

/*
 * In memory where that can be, and where the roots of callers hardly ever are.  A confined git reaches memory too, which is for
 * where its user may make nothing in the base.
 */
static bool make_folder(const char *confined, char to[static GIT_VIEW_SIZE])
{
	const char *const folders[] = { confined ? confined : "/dev/shm", confined ? "/dev/shm" : "/tmp" };

	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		int len = snprintf(to, GIT_VIEW_SIZE, "%s/abx-git-XXXXXX", folders[i]);

		if (len < GIT_VIEW_SIZE && mkdtemp(to))
			return true;
	}
	to[0] = '\0';
	return false;
}

static int make_view(struct call *call, struct git_repo *repo)
{
	const char *temp_dir = confine_temp_dir(call->caller, NULL, &call->arena);
	const struct run_as *user = policy_user(principal_policy(call->caller), NULL);
	AUTOCLOSE int fd = -1;

	if (!make_folder(temp_dir, repo->view))
		return err_system(&call->err, errno, "cannot make a temporary folder");
	fd = open(repo->view, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || mkdirat(fd, "info", 0755) < 0)
		return err_system(&call->err, errno, "cannot make a temporary folder");
	if (user && fchown(fd, user->uid, user->gid) < 0)
		return err_system(&call->err, errno, "cannot give a temporary folder away");
	for (size_t i = 0; i < ARRAY_LEN(linked); i++) {
		const char *target = join(call, repo->common, linked[i]);

		if (!target || symlinkat(target, fd, linked[i]) < 0)
			return err_system(&call->err, errno, "cannot make a temporary link");
	}
	return write_config(call, repo, fd) < 0 || write_exclude(call, repo, fd, temp_dir) < 0 ? -1 : 0;
}

int git_repo_open(struct call *call, const struct place *folder, struct git_repo *ret_repo)
{
	*ret_repo = (struct git_repo){ 0 };
	if (find(call, folder, ret_repo) < 0 || find_common(call, ret_repo) < 0)
		return -1;
	call->err = (struct err){ 0 };
	return make_view(call, ret_repo);
}

void git_repo_close(struct git_repo *repo)
{
	AUTOCLOSE int fd = repo->view[0] ? open(repo->view, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;

	if (fd < 0)
		return;
	for (size_t i = 0; i < ARRAY_LEN(linked); i++)
		unlinkat(fd, linked[i], 0);
	unlinkat(fd, "config", 0);
	unlinkat(fd, "info/exclude", 0);
	unlinkat(fd, "info", AT_REMOVEDIR);
	rmdir(repo->view);
	repo->view[0] = '\0';
}
