/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/tree.h"

#include "base/json_write.h"
#include "ops/files/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum {
	CHECK_MAX = 4 * 1000 * 1000, /* entries; beyond it, what cannot be known is refused */
	ROUNDS_MAX = 16,             /* of reading folders again that did not get empty, in all */
	TO_PATH_MAX = 16 * 1024,
};

/* Whether the current entry is a folder, which is then entered: 1, 0, or a negative errno. */
static int enter(struct walk *w)
{
	int status;

	if (w->type != DT_DIR && w->type != DT_UNKNOWN)
		return 0;
	status = walk_enter(w);
	if (status == -ENOTDIR || status == -ELOOP || status == -ENOENT)
		return 0;
	return status < 0 ? status : 1;
}

static int fail(const char *what, int number, const struct walk *w, struct err *err)
{
	return err_system(err, number, "cannot %s '%s'", what, w->path.data ? w->path.data : "");
}

static int stopped(struct err *err)
{
	return err_set(err, ERR_FILES_BUSY, "stopped before the end");
}

/* {"left": "…"} for the details. */
static const char *left(struct call *call, const char *path)
{
	AUTOBUF struct buf text;
	struct json_writer w;

	buf_init(&text, 64 * 1024);
	json_write_init(&w, &text);
	json_object_begin(&w);
	json_key(&w, "left");
	json_string(&w, path);
	json_object_end(&w);
	return buf_failed(&text) ? NULL : arena_strndup(&call->arena, text.data, text.len);
}

static int check_mount(struct call *call, const struct walk *w, struct err *err)
{
	if (!walk_is_mount(w))
		return 0;
	fail("remove", EBUSY, w, err);
	err->details = left(call, w->path.data);
	return -1;
}

/* The rules of an entry: its own message would tell what is denied, so the tree is named. */
static int check_rules(struct call *call, const struct walk *w, const struct place *place, struct err *err)
{
	struct err why;

	if (place_check_write(call->caller, w->path.data, &why) == 0)
		return 0;
	err_set(err, why.code, "'%s' holds an entry that the policy protects", place->given);
	memcpy(err->rule, why.rule, sizeof err->rule);
	return -1;
}

struct wanted {
	bool rules, mounts;  /* what is looked at */
	bool visible;        /* alone: what the caller may not see is left out */
	const char *to_path; /* or NULL: where the tree will be, for the rules there */
};

/* The rules of the place where an entry will be. */
static int check_new_place(
	struct call *call, const struct walk *w, const struct place *place, const char *to_path, struct err *err)
{
	struct err why = { .code = ERR_POLICY_READONLY };
	AUTOBUF struct buf to;

	buf_init(&to, TO_PATH_MAX);
	buf_addf(&to, "%s%s", to_path, w->path.data + strlen(place->path));
	if (!buf_failed(&to) && place_check_write(call->caller, to.data, &why) == 0)
		return 0;
	err_set(err, why.code, "the policy protects a place below '%s'", to_path);
	memcpy(err->rule, why.rule, sizeof err->rule);
	return -1;
}

static int check_entry(
	struct call *call, struct walk *w, const struct place *place, struct wanted wanted, struct err *err)
{
	int status;

	if (wanted.visible && !place_visible(call->caller, w->path.data))
		return 0;
	if (wanted.rules && check_rules(call, w, place, err) < 0)
		return -1;
	if (wanted.to_path && check_new_place(call, w, place, wanted.to_path, err) < 0)
		return -1;
	status = enter(w);
	if (status < 0)
		return fail("look into", -status, w, err);
	return status && wanted.mounts ? check_mount(call, w, err) : 0;
}

static int check_all(
	struct call *call, struct walk *w, const struct place *place, struct wanted wanted, struct err *err)
{
	int event;

	for (unsigned count = 0; (event = walk_next(w)) > 0; count++) {
		if (event == WALK_LEFT)
			continue;
		if (count >= CHECK_MAX)
			return err_set(
				err, ERR_FILES_BUSY, "'%s' holds too many entries to look through", place->given);
		if (call_stopped(call))
			return stopped(err);
		if (check_entry(call, w, place, wanted, err) < 0)
			return -1;
	}
	return event < 0 ? fail("look into", -event, w, err) : 0;
}

static int check(struct call *call, const struct place *place, struct wanted wanted, struct err *err)
{
	int fd = place_open_dir(place), status;
	struct walk w;

	if (fd < 0)
		return err_system(err, -fd, "'%s'", place->given);
	status = walk_start(&w, fd, place->path);
	if (status < 0)
		status = fail("look into", -status, &w, err);
	else if (wanted.mounts && check_mount(call, &w, err) < 0)
		status = -1;
	else
		status = check_all(call, &w, place, wanted, err);
	walk_done(&w);
	return status;
}

int tree_check(struct call *call, const struct place *place, struct err *err)
{
	struct wanted wanted = { .rules = place_may_hold_rule(call->caller, place->path), .mounts = true };

	return check(call, place, wanted, err);
}

int tree_check_rules(struct call *call, const struct place *place, struct err *err)
{
	if (!place_may_hold_rule(call->caller, place->path))
		return 0;
	return check(call, place, (struct wanted){ .rules = true }, err);
}

int tree_check_moved(struct call *call, const struct place *place, const char *to_path, struct err *err)
{
	if (!place_may_hold_rule(call->caller, to_path))
		return 0;
	return check(call, place, (struct wanted){ .to_path = to_path }, err);
}

int tree_check_copied(struct call *call, const struct place *place, const char *to_path, struct err *err)
{
	if (!place_may_hold_rule(call->caller, to_path))
		return 0;
	return check(call, place, (struct wanted){ .visible = true, .to_path = to_path }, err);
}

/* The folder behind WALK_LEFT; when it has got new entries meanwhile, they are removed too, a few times. */
static int remove_folder(struct walk *w, int dir_fd, const char *name, unsigned *rounds)
{
	if (unlinkat(dir_fd, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
		return 0;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return -errno;
	return ++*rounds < ROUNDS_MAX ? walk_again(w) : -EBUSY;
}

static int remove_entry(struct walk *w)
{
	int status = enter(w);

	if (status != 0)
		return status < 0 ? status : walk_is_mount(w) ? -EBUSY : 0;
	return unlinkat(w->dir_fd, w->name, 0) == 0 || errno == ENOENT ? 0 : -errno;
}

static int remove_all(struct call *call, struct walk *w, int parent_fd, const char *name)
{
	unsigned rounds = 0;
	int event, status = 0;

	while (status == 0 && (event = walk_next(w)) != WALK_END) {
		if (event < 0 || (call && call_stopped(call)))
			return event < 0 ? event : -ECANCELED;
		if (event == WALK_ENTRY)
			status = remove_entry(w);
		else if (w->depth > 1)
			status = remove_folder(w, w->dir_fd, w->name, &rounds);
		else
			status = remove_folder(w, parent_fd, name, &rounds);
	}
	return status;
}

int tree_remove(struct call *call, int parent_fd, const char *name, const char *path, struct err *err)
{
	int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), status;
	struct walk w;

	if (fd < 0)
		return err_system(err, errno, "cannot delete '%s'", path);
	status = walk_start(&w, fd, path);
	if (status == 0)
		status = remove_all(call, &w, parent_fd, name);
	if (status < 0) {
		fail("delete", -status, &w, err);
		err->details = call ? left(call, w.path.data) : NULL;
	}
	walk_done(&w);
	return status < 0 ? -1 : 0;
}
