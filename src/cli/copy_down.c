/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/copy.h"

#include "cli/save.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

int copy_down_file(struct copy *copy, struct str from, unsigned mode, const char *to)
{
	if (copy->continues && strcmp(to, "-") != 0)
		return copy_down_part(copy, from, mode, to);
	if (copy_open_remote(copy->cli, from, (struct str){ 0 }) < 0)
		return -1;
	return save_body(copy->cli, to, mode);
}

/* A name from the server becomes a part of a local path: it must be one name and nothing else. */
static bool is_one_name(struct str name)
{
	return name.len > 0 && !str_has(name, '/') && !str_has(name, '\0') && !str_is(name, ".") && !str_is(name, "..");
}

static int copy_entry(
	struct copy *copy, struct copy_tasks *tasks, const struct copy_task *task, const struct json *entry)
{
	struct remote_stat st = {
		.exists = true, .type = remote_type(entry), .mode = remote_mode(reply_text(entry, "mode"))
	};
	struct str name = remote_name(entry);
	AUTOFREE char *from = NULL, *to = NULL;

	if (!is_one_name(name))
		return problem_set(
			&copy->cli->problem, EXIT_OTHER, "the server lists a name that is none; nothing is made of it");
	from = remote_join(str_of(task->from), name);
	to = remote_join(str_of(task->to), name);
	if (st.type == 'd') {
		copy_tasks_push(tasks, take_ptr(from), take_ptr(to), st.mode);
		return 0;
	}
	if (st.type == 'l' && remote_stat(copy->cli, str_of(from), true, &st) < 0)
		return -1;
	if (st.exists && st.type == 'f')
		return copy_down_file(copy, str_of(from), st.mode, to);
	copy_skip(copy, from,
		remote_type(entry) == 'l' ? "a symbolic link that leads to no file" : "a device, FIFO or socket");
	return 0;
}

static int make_folder(struct copy *copy, const char *path, unsigned mode)
{
	struct stat st;

	/* We must be able to fill it. */
	if (mkdir(path, (mode | 0700) & 0777) == 0 || (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
		return 0;
	return problem_errno(&copy->cli->problem, errno, "cannot make the folder '%s'", path);
}

static int copy_folder(struct copy *copy, struct copy_tasks *tasks, const struct copy_task *task)
{
	struct cli *cli = copy->cli;
	AUTOREPLY struct reply reply;

	if (remote_list(cli, str_of(task->from), true, &reply) < 0 ||
		reply_parse(&cli->api, &reply, &cli->problem) < 0 || make_folder(copy, task->to, task->mode) < 0)
		return -1;
	if (reply_bool(reply.value, "truncated", false))
		return problem_set(
			&cli->problem, EXIT_OTHER, "more entries exist than a listing holds: %s", task->from);
	for (const struct json *e = reply_list(reply.value, "entries"); e; e = e->next) {
		if (copy_entry(copy, tasks, task, e) < 0)
			return -1;
	}
	return 0;
}

int copy_down_tree(struct copy *copy, struct str from, unsigned mode, const char *to)
{
	CLEANUP(copy_tasks_free) struct copy_tasks tasks = { 0 };

	copy_tasks_push(&tasks, strndup(from.p, from.len), mem_strdup(to), mode);
	while (tasks.count) {
		CLEANUP(copy_task_free) struct copy_task task = copy_tasks_pop(&tasks);

		if (copy_folder(copy, &tasks, &task) < 0)
			return -1;
	}
	return 0;
}
