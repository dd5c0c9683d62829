/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/copy.h"

#include "wire/url.h"

#include <stdlib.h>

enum { TARGET_MAX = 64 * 1024 };

int copy_open_remote(struct cli *cli, struct str path, struct str fields)
{
	AUTOBUF struct buf target;
	struct api *api = cli_api(cli);
	struct api_request request = { .op = "files.download_stream",
		.method = "GET",
		.accept = "application/octet-stream",
		.is_read = true,
		.fields = fields };

	buf_init(&target, TARGET_MAX);
	if (!api)
		return -1;
	buf_adds(&target, "/files/download-stream?path=");
	url_encode(&target, path, true);
	if (buf_failed(&target))
		return problem_set(&cli->problem, EXIT_USAGE, "the path is too long");
	request.target = buf_str(&target);
	if (api_open(api, &request, &cli->problem) < 0)
		return -1;
	/* Without a told end a broken connection would look like a shorter file. */
	if (!http_client_is_framed(&api->http))
		return problem_set(&cli->problem, EXIT_OTHER, "the answer does not tell its length");
	return 0;
}

void copy_skip(struct copy *copy, const char *path, const char *why)
{
	copy->skipped++;
	problem_set(&copy->cli->problem, EXIT_OTHER, "left out: %s: %s", path, why);
	cli_complain(copy->cli);
}

void copy_tasks_push(struct copy_tasks *tasks, char *from, char *to, unsigned mode)
{
	if (tasks->count == tasks->cap) {
		tasks->cap = tasks->cap ? tasks->cap * 2 : 64;
		tasks->items = realloc(tasks->items, tasks->cap * sizeof *tasks->items);
		if (!tasks->items)
			abort();
	}
	tasks->items[tasks->count++] = (struct copy_task){ from, to, mode };
}

struct copy_task copy_tasks_pop(struct copy_tasks *tasks)
{
	return tasks->items[--tasks->count];
}

void copy_task_free(struct copy_task *task)
{
	free(task->from);
	free(task->to);
}

void copy_tasks_free(struct copy_tasks *tasks)
{
	while (tasks->count) {
		struct copy_task task = copy_tasks_pop(tasks);

		copy_task_free(&task);
	}
	free(tasks->items);
	*tasks = (struct copy_tasks){ 0 };
}
