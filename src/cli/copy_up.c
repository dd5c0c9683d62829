/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/copy.h"

#include "cli/upload_fd.h"
#include "wire/url.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TARGET_MAX = 64 * 1024 };

static void make_target(struct buf *target, struct str to, unsigned mode)
{
	buf_adds(target, "/files/upload-stream?path=");
	url_encode(target, to, true);
	if (mode)
		buf_addf(target, "&mode=%03o", mode);
}

/* What the server says it stored must be what was sent. */
static int check_stored(struct copy *copy, struct reply *reply, uint64_t sent)
{
	struct cli *cli = copy->cli;
	int64_t stored;

	if (cli->json && cli_print_json(cli, reply) < 0)
		return -1;
	if (reply_parse(&cli->api, reply, &cli->problem) < 0)
		return -1;
	stored = reply_int(reply->value, "bytes", -1);
	if (stored < 0 || (uint64_t)stored != sent)
		return problem_set(&cli->problem, EXIT_OTHER, "the server stored %lld of %llu bytes", (long long)stored,
			(unsigned long long)sent);
	return 0;
}

static int send_fd(struct copy *copy, int fd, const char *name, struct str to)
{
	struct cli *cli = copy->cli;
	struct upload_fd u;
	AUTOBUF struct buf target;
	AUTOREPLY struct reply reply = { 0 };
	struct api *api = cli_api(cli);
	struct api_request request = { .op = "files.upload_stream", .method = "POST", .upload = &u.upload };
	unsigned mode = 0;
	int failed;

	buf_init(&target, TARGET_MAX);
	if (!api || upload_fd_init(&u, fd, name, cli->quiet, &mode, &cli->problem) < 0)
		return -1;
	make_target(&target, to, mode);
	if (buf_failed(&target))
		return problem_set(&cli->problem, EXIT_USAGE, "the path is too long");
	request.target = buf_str(&target);
	failed = api_open(api, &request, &cli->problem);
	term_progress_end(&u.progress);
	if (failed < 0 || api_finish(api, &reply, &cli->problem) < 0)
		return -1;
	return check_stored(copy, &reply, u.progress.done);
}

int copy_up_file(struct copy *copy, const char *from, struct str to)
{
	AUTOCLOSE int fd = -1;

	if (strcmp(from, "-") == 0)
		return send_fd(copy, STDIN_FILENO, "standard input", to);
	fd = open(from, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return problem_errno(&copy->cli->problem, errno, "cannot read '%s'", from);
	return send_fd(copy, fd, from, to);
}

static int make_folder(struct copy *copy, struct str path, unsigned mode)
{
	AUTOBUF struct buf body;
	AUTOREPLY struct reply reply = { 0 };
	struct json_writer w;
	char digits[8];

	buf_init(&body, TARGET_MAX);
	if (!cli_api(copy->cli))
		return -1;
	/* The owner must be able to fill it. */
	snprintf(digits, sizeof digits, "%03o", (mode | 0700) & 0777);
	json_write_init(&w, &body);
	json_object_begin(&w);
	api_path(&w, "path", path);
	json_key(&w, "mode");
	json_string(&w, digits);
	json_object_end(&w);
	return api_call(&copy->cli->api, "files.mkdir", buf_str(&body), false, &reply, &copy->cli->problem);
}

static int copy_entry(struct copy *copy, struct copy_tasks *tasks, const char *from, struct str to, const char *name)
{
	AUTOFREE char *path = remote_join(str_of(from), str_of(name));
	AUTOFREE char *target = remote_join(to, str_of(name));
	struct stat st;

	if (lstat(path, &st) < 0)
		return problem_errno(&copy->cli->problem, errno, "cannot read '%s'", path);
	if (S_ISDIR(st.st_mode)) {
		copy_tasks_push(tasks, take_ptr(path), take_ptr(target), 0);
		return 0;
	}
	if (S_ISLNK(st.st_mode) && (stat(path, &st) < 0 || !S_ISREG(st.st_mode)))
		copy_skip(copy, path, "a symbolic link that leads to no file");
	else if (!S_ISREG(st.st_mode))
		copy_skip(copy, path, "a device, FIFO or socket");
	else
		return copy_up_file(copy, path, str_of(target));
	return 0;
}

static void cleanup_dir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static int copy_folder(struct copy *copy, struct copy_tasks *tasks, const struct copy_task *task)
{
	CLEANUP(cleanup_dir) DIR *dir = opendir(task->from);
	const struct dirent *entry;
	struct stat st;

	if (!dir || fstat(dirfd(dir), &st) < 0)
		return problem_errno(&copy->cli->problem, errno, "cannot read '%s'", task->from);
	if (make_folder(copy, str_of(task->to), st.st_mode) < 0)
		return -1;
	while ((entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (copy_entry(copy, tasks, task->from, str_of(task->to), entry->d_name) < 0)
			return -1;
	}
	return 0;
}

int copy_up_tree(struct copy *copy, const char *from, struct str to)
{
	CLEANUP(copy_tasks_free) struct copy_tasks tasks = { 0 };

	copy_tasks_push(&tasks, mem_strdup(from), strndup(to.p, to.len), 0);
	while (tasks.count) {
		CLEANUP(copy_task_free) struct copy_task task = copy_tasks_pop(&tasks);

		if (copy_folder(copy, &tasks, &task) < 0)
			return -1;
	}
	return 0;
}
